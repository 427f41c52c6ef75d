"""Scripts that only call the entry point of a framework."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.sources.reading.frameworks.launched import OPEN, known, launched
from vcompat.sources.reading.frameworks.wrapping_scripts import wrapped_by

RUN = "torchrun --nproc_per_node 2 train.py --rlhf_type grpo --model org/m-1B --use_vllm true --num_generations 6"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_words_of_such_a_script_are_those_of_the_framework() -> None:
    Path("train.py").write_text("from swift.llm import rlhf_main\n\nif __name__ == '__main__':\n    rlhf_main()\n")
    assert known(launched(RUN), "framework model use_vllm num_generations world_size trainer") == [
        *("ms-swift", "org/m-1B", True, 6, 2, OPEN)
    ]


@pytest.mark.parametrize(
    ("source", "command"),
    [
        ("from swift.llm import rlhf_main\nrlhf_main()\n", "swift.rlhf"),
        ("'''Text.'''\nimport os\nfrom swift.pipelines import sft_main as go\nif __name__ == '__main__':\n    go()\n",
         "swift.sft"),
        ("from swift import pt_main\nexit_code = 0\npt_main()\n", ""),
        ("from llamafactory.train.tuner import run_exp\n\ndef main():\n    run_exp()\n\ndef _mp_fn(index):\n    run_exp()\n\n"
         "if __name__ == '__main__':\n    main()\n", "llamafactory-cli.train"),
        ("from swift.llm import rlhf_main\nrlhf_main(['--model', 'a'])\n", ""),
        ("from swift.llm import rlhf_main\nimport os\nos.environ['A'] = '1'\nrlhf_main()\n", ""),
        ("from swift.llm import rlhf_main\n\ndef main():\n    setup()\n    rlhf_main()\n\nmain()\n", ""),
        ("from .swift import rlhf_main\nrlhf_main()\n", ""),
        ("from mine import rlhf_main\nrlhf_main()\n", ""),
        ("from swift.llm import rlhf_main\nif __name__ == '__main__':\n    rlhf_main()\nelse:\n    pass\n", ""),
        ("from swift.llm import rlhf_main\n", ""),
        ("from swift.llm import rlhf_main\nrlhf_main(\n", ""),
    ],
)  # fmt: skip
def test_a_script_that_does_anything_else_is_none(source: str, command: str) -> None:
    found = wrapped_by(source.encode())
    assert (found.command if found else "") == command
