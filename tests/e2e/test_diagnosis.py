"""Logs of real runs with several processes: the one that failed first is named, with its cause.

`Stack.run` diagnoses the log of each run that ends well, and expects nothing.
"""

from __future__ import annotations

import http.server
import threading

import pytest

import vcompat
from tests.e2e.conftest import Stack
from vcompat.diagnosis.killed import signal_in

ENGINE = """
from vllm import LLM

if __name__ == "__main__":
    LLM({model!r}, dtype="bfloat16", enforce_eager=True, max_model_len={length}, hf_overrides={{"max_position_embeddings": {length}}})
"""
RANKS = """
import torch.distributed as dist

dist.init_process_group("gloo")
if dist.get_rank() == 1:
    raise KeyError("prompt")
dist.barrier()
"""


@pytest.mark.slow
def test_the_engines_process_names_the_cause_and_its_parent_does_not(stack: Stack) -> None:
    script = stack.folder / "engine.py"
    script.write_text(ENGINE.format(model=str(stack.model), length=2_000_000))
    code, output = stack.run([str(script)])
    assert code != 0
    found = vcompat.diagnose(output)
    assert found.causes[0].rule.id == "longest-sequence-exceeds-cache"
    assert found.failure is not None
    assert found.failure.cause.line.process.startswith("EngineCore")
    assert "packages.vllm" in found.facts.known


def test_the_rank_that_failed_is_named_and_not_the_launcher(stack: Stack) -> None:
    script = stack.folder / "ranks.py"
    script.write_text(RANKS)
    launcher = ["-m", "torch.distributed.run", "--nproc_per_node", "2", "--tee", "3"]
    code, output = stack.run([*launcher, str(script)])
    assert code != 0
    failure = vcompat.diagnose(output).failure
    assert failure is not None
    assert (failure.cause.line.process, failure.cause.error) == ("default1 rank1", "KeyError: 'prompt'")


class _Interrupted(http.server.BaseHTTPRequestHandler):
    """Serves a model whose files break off, as when a network fails."""

    def log_message(self, format: str, *arguments: object) -> None:
        """Print nothing."""

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("ETag", '"1"')
        self.send_header("X-Repo-Commit", "a" * 40)
        self.send_header("Content-Length", "1000000")
        self.end_headers()

    def do_GET(self) -> None:
        self.do_HEAD()
        self.wfile.write(b"x" * 1000)


def test_an_interrupted_download_is_named_by_what_was_raised_first(stack: Stack) -> None:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Interrupted)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    program = "from huggingface_hub import hf_hub_download; hf_hub_download('org/model', 'model.safetensors')"
    variables = {"HF_HUB_OFFLINE": "0", "HF_HUB_DISABLE_XET": "1", "HF_HOME": str(stack.folder)}
    code, output = stack.run(["-c", program], HF_ENDPOINT=f"http://127.0.0.1:{server.server_port}", **variables)
    server.shutdown()
    assert code != 0
    found = vcompat.diagnose(output)
    assert (found.causes, found.failure is not None) == ((), True)
    assert found.failure.cause.error.startswith("httpcore.RemoteProtocolError: peer closed connection")


def test_a_rank_that_is_killed_is_named_and_not_the_rank_that_misses_it(stack: Stack) -> None:
    script = stack.folder / "ranks.py"
    script.write_text(
        RANKS.replace('raise KeyError("prompt")', "os.kill(os.getpid(), 9)").replace("import", "import os\nimport", 1)
    )
    code, output = stack.run(["-m", "torch.distributed.run", "--nproc_per_node", "2", str(script)])
    assert code != 0
    failure = vcompat.diagnose(output).failure
    assert failure is not None
    assert signal_in(failure.cause.error) == "SIGKILL"
