"""What is replaced in a text that is sent upstream, what stays, and that nothing which was hidden in a log is left."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.rules_for_tests import make_rule
from vcompat.diagnosis.diagnosing import diagnose_text
from vcompat.report.anonymous.anonymizer import Anonymizer
from vcompat.report.diagnoses.issue import Known, issue


def anonymous(text: str, hosts: tuple[str, ...] = (), users: tuple[str, ...] = ()) -> str:
    return Anonymizer([text], hosts, users).text(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        # Keys.
        ("token hf_abcdefghijklmnopqrstuvwxyzABCDEFGH!", "token <key1>!"),
        ("OPENAI_API_KEY=sk-proj-abc_DEF-123456", "OPENAI_API_KEY=<key1>"),
        ("api_key='my own secret'", "api_key='<key1>'"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "<key1>"),
        ("github_pat_11ABCDEFG0abcdefghij_klmnop", "<key1>"),
        ("AKIAIOSFODNN7EXAMPLE", "<key1>"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = <key1>"),
        ("wandb: api key 0123456789abcdef0123456789abcdef01234567", "wandb: api key <key1>"),
        ("Authorization: Bearer abc.def-123", "Authorization: Bearer <key1>"),
        ("Authorization: Basic YWxpY2U6c2VjcmV0", "Authorization: Basic <key1>"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-DEF_123", "<key1>"),
        ("password=hunter2, port=1", "password=<key1>, port=1"),
        ("login(token='0123secret')", "login(token='<key1>')"),
        ("qT7xP2mK9wB4vN8rL3zD6cF1", "<key1>"),
        ("token: secretword", "token: <key1>"),
        ("token=abcdefg, port=1", "token=<key1>, port=1"),
        ("Invalid user token s3cr3t", "Invalid user token <key1>"),
        ("Invalid api key abcd0123 for org-AbCdEfGh123", "Invalid api key <key1> for <key2>"),
        ("pwd: 12345", "pwd: <key1>"),
        ("url: /health?token=s3cr3t&step=512 (", "url: /health?token=<key1>&step=512 ("),
        ("url: /ping?key=abcd&sig=Xyz%3D", "url: /ping?key=<key1>&sig=<key2>"),
        ("AccountName=zqstore;AccountKey=AbC1/2==;x", "AccountName=<user1>;AccountKey=<key1>;x"),
        ("Cookie: session=abcdef0; token=abc", "Cookie: <key1>"),
        ("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7 x", "ssh-rsa <key1> x"),
        # URLs.
        ("at https://api.wandb.ai. Use", "at https://api.wandb.ai. Use"),
        ("see https://bob:pw1@hub.acme.com:8443/a?b=c.", "see https://<credentials>@<host1>:8443/<path>."),
        ("https://huggingface.co/acme/model/resolve/main/config.json", "https://huggingface.co/<path>"),
        ("tcp://gpu-node-17:29500", "tcp://<host1>:29500"),
        ("file:///home/alice/a.py", "file://<path>/a.py"),
        ("s3://acme-bucket/data", "s3://<host1>/<path>"),
        # Addresses.
        ("connect to 10.1.2.3:29500", "connect to <ip1>:29500"),
        ("eth0:10.1.2.3<0>", "eth0:<ip1><0>"),
        ("(fn pid=12, ip=10.1.2.3)", "(fn pid=12, ip=<ip1>)"),
        ("[fe80::1ff:fe23:4567:890a]:80 fe80::1%eth0 ::ffff:10.1.2.3", "[<ip1>]:80 <ip2> <ip3>"),
        ("aa:bb:cc:dd:ee:ff 00-1B-63-84-45-E6", "<mac1> <mac2>"),
        ("alice.b@acme.com", "<email1>"),
        ("GPU-01234567-89ab-cdef-0123-456789abcdef", "<uuid1>"),
        # Hosts.
        ("  host      : titan", "  host      : <host1>"),
        ("to [titan7]:29500, (titan7, 29500), titan7", "to [<host1>]:29500, (<host1>, 29500), <host1>"),
        ("gpu17:12345:12567 [0] NCCL INFO", "<host1>:12345:12567 [0] NCCL INFO"),
        ("[gpu17:12345] *** Process received signal ***", "[<host1>:12345] *** Process received signal ***"),
        ("srun: error: gpu17: task 3: Exited with exit code 1", "srun: error: <host1>: task 3: Exited with exit code 1"),
        ("a.internal.acme.org b-1.cluster.local", "<host1> <host2>"),
        ("MASTER_ADDR=node7 HOSTNAME=pod7", "MASTER_ADDR=<host1> HOSTNAME=<host2>"),
        ("ip-10-1-2-3.ec2.internal", "<host1>"),
        # Users.
        ("alice@gpu17:~$ USER=alice for alice", "<user1>@<host1>:~$ USER=<user1> for <user1>"),
        ("logged in as: alice (acme-team)", "logged in as: <user1> (<user2>)"),
        ("logged in as: zqjane (zq-research)\nzqjane of zq-research", "logged in as: <user1> (<user2>)\n<user1> of <user2>"),
        ("entity zq-research is gone, entity not found", "entity <user1> is gone, entity not found"),
        ("git clone git@github.com:acme/secret.git by git", "git clone git@github.com:<repository1> by git"),
        ("SLURM_NODELIST=gpu[01-04],zqnode7 of zqnode7", "SLURM_NODELIST=<host2>[01-04],<host1> of <host1>"),
        ("image registry.acme.com:5000/team/secret:1 not", "image <host1>:5000/<image1> not"),
        # Paths.
        ("a=%2Fhome%2Fzqbob%2Fsecret of zqbob", "a=<path1> of <user1>"),
        (r'"\/home\/zqbob\/secret" of zqbob', '"<path1>" of <user1>'),
        ('File "/home/alice/my project/train.py", line 3', 'File "<path>/train.py", line 3'),
        ("/v/lib/python3.12/site-packages/vllm/core.py", "<path>/site-packages/vllm/core.py"),
        ("/home/a1/vllm/vllm/v1/core.py:515", "<path>/vllm/v1/core.py:515"),
        ("/home/a1/.pyenv/lib/python3.11/queue.py", "<path>/python3.11/queue.py"),
        ("PYTHONPATH=/data/a:/data/b", "PYTHONPATH=<path1>:<path2>"),
        (r"C:\Users\alice\x\train.py", "<path>/train.py"),
        ("~/secret/run", "<path1>"),
        ("./out/alice-run/config.json", "<path>/config.json"),
        ("/data/acme and /data/acme", "<path1> and <path1>"),
        # Models.
        ("The model `acme-llm` does not exist.", "The model `<model1>` does not exist."),
        ("acme/secret-model is not a local folder", "<model1> is not a local folder"),
        ("model='acme-1', tokenizer='acme/b', served_model_name=acme-1", "model='<model1>', tokenizer='<model2>', served_model_name=<model1>"),
        ("served_model_name=['acme-7b']", "served_model_name=['<model1>']"),
        ("/x/hub/models--acme--secret/snapshots/1/config.json", "<path>/config.json"),
    ],
)  # fmt: skip
def test_what_identifies_somebody_is_replaced(text: str, shown: str) -> None:
    assert anonymous(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "vllm 10.0.1.2, torch-2.13.0.1, nvidia-cudnn-cu12==9.1.0.70, nccl 2.13.0.1",
        "nvidia-cublas-cu12        12.4.5.8",
        "NCCL version 2.21.5.1+cuda12.4, libnccl.so.2.13.0.1, packages.vllm = 10.0.1.2, v1.2.3.4",
        "listening on 127.0.0.1:8000 and 0.0.0.0, localhost, [::]:80",
        "RuntimeError: CUDA error: an illegal memory access was encountered",
        "at::native::index c10::Error std::vector _ZN3c106detail14torchCheckFailEPKcS2_jRKSs",
        "Qwen/Qwen2.5-7B-Instruct and meta-llama/Llama-3.1-8B",
        "tokens/s 3.2it/s 0/100 sampling/sampling_logp_difference/mean train/loss and/or",
        "failed to connect/validate, supported/useful, roles/ranks, top_p/top_k/min_p, NVIDIA/AMD GPUs",
        "ImportError: cannot import name 'AutoModelForVision2Seq' from 'transformers'",
        r"\\   /|    NVIDIA GeForce GTX 1070. Num GPUs = 1.",
        "</s> <think></think> <|im_end|>",
        "vllm.v1.engine.core torch.cuda.is_available() self.local logger.info('x') threading.local()",
        "https://github.com/vllm-project/vllm/issues/946",
        "/usr/lib/x86_64-linux-gnu/libcuda.so.1 /dev/shm /usr/local/cuda-12.8/bin/nvcc",
        "POST /v1/completions 500, /init_communicator/",
        "(EngineCore_DP0 pid=12) ERROR 06-05 02:45:37 [core.py:515] EngineCore failed",
        "dtype=torch.bfloat16, max_seq_len=4096, model=None, pad_token_id=151643, tokenizer=self.tokenizer",
        "eos_token: </s>, pad_token='<pad>', bos_token=<s>, token='[PAD]', image_token: <image>, token: <|im_end|>",
        "123.4 tokens/s, max_tokens=512, token 5, num_tokens=33, token: 5, stop_token_ids=[1], token_id: 7",
        "token: Optional[str], token=None, token=self.token, token=token, token=args.hf_token",
        "KeyError: 'model.layers.0.self_attn.q_proj.weight'",
        "logits = logits / temperature",
        r"the pattern \d+\/\w+, 50%2F",
        "2025-06-05_02:45:37 rank : 1 (local_rank: 1)",
        "Qwen2_5_VLForConditionalGeneration triton_poi_fused_add_mul_0 cutlass_80_tensorop_bf16_s16816gemm_128x128",
    ],
)
def test_what_tells_only_about_the_failure_stays(text: str) -> None:
    assert anonymous(text) == text


@pytest.mark.parametrize("end", ["-----END RSA PRIVATE KEY-----", ""])
def test_a_private_key_is_replaced_with_all_its_lines(end: str) -> None:
    text = f"a\n-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc=\n{end}"
    assert anonymous(text) == "a\n<key1>"


def test_names_that_this_machine_tells_are_replaced_wherever_they_are() -> None:
    assert anonymous("run of zqalice on Titan_3", ("titan",), ("zqalice",)) == "run of <user1> on <host1>_3"


def test_accounts_that_many_machines_have_are_no_names() -> None:
    text = "root@localhost: vllm serve as user root"
    assert anonymous(text, users=("root", "vllm")).count("root") == 1
    assert "vllm serve" in anonymous(text, users=("root", "vllm"))


@pytest.mark.parametrize("name", ["line", "file", "in", "module", "error", "main", "git", "python", "trl", "Model"])
def test_a_word_that_texts_have_is_no_name_outside_of_a_path(name: str) -> None:
    text = f'File "/home/{name}/x/a.py", line 1, in <module>\nError of the module main in the file: git, python, trl, model'
    assert anonymous(text, users=(name,)) == text.replace(f"/home/{name}/x", "<path>")


def test_a_repository_of_upstream_stays() -> None:
    assert anonymous("git@github.com:vllm-project/vllm.git") == "git@github.com:vllm-project/vllm.git"


def test_a_line_that_has_the_characters_of_replaced_parts_shows_nothing_else() -> None:
    assert anonymous("\ue000 \uf8ff 10.1.2.3") == "? ? <ip1>"


@pytest.mark.parametrize(
    "unit", ["a.", "/a", "::", "a@", "host=", "key=", "[a]:1", "model='", "http://", "eyJa.", "a-1."]
)
def test_no_line_is_too_long_to_be_read(unit: str) -> None:
    assert len(anonymous(unit * 100_000)) < 20_000


_WORD = st.text("abcdefghijkmnprstuvw", min_size=3, max_size=9).map("zq".__add__)
_ALNUM = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def _text(characters: str, size: int) -> st.SearchStrategy[str]:
    return st.text(characters, min_size=size, max_size=size)


_DIGITS = "0123456789abcdef"
_HOST = st.builds("{}-{}{}".format, _WORD, st.integers(0, 300), st.sampled_from(["", ".acme.internal", ".hpc.zq.edu"]))
#: Each kind of secret, and the texts that it is in.
SECRETS: dict[str, tuple[st.SearchStrategy[str], list[str]]] = {
    "hugging face": (_text(_ALNUM, 34).map("hf_".__add__), ["{}", "HF_TOKEN={}", "token='{}'", "Invalid token {}."]),
    "openai": (_text(_ALNUM + "-_", 40).map("sk-".__add__).filter(lambda t: t[-1] not in "-_"), ["{}", "key {},", "({})"]),
    "github": (_text(_ALNUM, 36).map("ghp_".__add__), ["{}", "https://{}@github.com/zq/x.git", "git+https://x:{}@host/"]),
    "aws": (_text("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16).map("AKIA".__add__), ["{}", "AWS_ACCESS_KEY_ID={}", '"{}"']),
    "aws secret": (_text(_ALNUM + "/+", 40), ["aws_secret_access_key={}", "AWS_SECRET_ACCESS_KEY={}"]),
    "wandb": (_text(_DIGITS, 40), ["{}", "WANDB_API_KEY={}", "wandb login {}", "[{}]"]),
    "bearer": (_text(_ALNUM, 20), ["Authorization: Bearer {}", "'authorization': 'Bearer {}'", "bearer {}"]),
    "password": (_text(_ALNUM + "!#%^*", 10), ["password={}", "PASSWORD='{}'", "passwd: {}", "postgres://zq:{}@db/x"]),
    "token": (_text(_ALNUM, 12).map("t0".__add__), ["token: {}", "token={}", "token {}", "/health?token={}", "/x?a=1&sig={}", "pwd: {}",
                      "Cookie: session={}; x=1", "AccountKey={}==;x", "user_token: {}"]),
    "user": (_WORD, ["/home/{}/x/y.py", 'File "/home/{}/a b/c.py", line 1', "/Users/{}", "{}@gpu17:", "USER={}", "/home/{}/x of {}", "uid=1000({}) gid=1",
                     "logged in as: {}", "C:\\Users\\{}\\x.py", "cannot access '/home/{}'", "'user': '{}'", "SLURM_JOB_USER={}", "no permission for user '{}'",
                     "%2Fhome%2F{}%2Fx", "\\/home\\/{}\\/x", "AccountName={};x", "entity {} not found", "logged in as: zqx ({})"]),
    "host": (_HOST, ["http://{}:8000/x", "[{}]:29500", "{}:123:456 [0] NCCL INFO", "host      : {}", "zq@{}", "({}, 29500)",
                     "srun: error: {}: task 0: Exited", "MASTER_ADDR={}", "host='{}', port=1",
                     "Failed to resolve '{}'", "error: *** STEP 12.0 ON {} CANCELLED AT", "rdzv_endpoint={}:29400", "on node {}",
                     "ssh {} ls", "Could not resolve hostname {}: x", "ssh: connect to host {} port 22", "--master_addr {}", "SLURM_NODELIST=gpu[01-04],{}"]),
    "ipv4": (st.integers(0x0A000001, 0x7EFFFFFF).map(IPv4Address).map(str), ["{}", "{}:29500", "ip={})", "<{}>", "http://{}/", "'{}',"]),
    "ipv6": (st.integers(1 << 112, (1 << 128) - 1).map(IPv6Address).map(str), ["{}", "[{}]:29500", "tcp://[{}]:1", "({}, 1)"]),
    "mac": (st.lists(_text(_DIGITS, 2), min_size=6, max_size=6).map(":".join), ["{}", "HWaddr {},", "({})"]),
    "email": (st.builds("{}.{}@{}.com".format, _WORD, _WORD, _WORD), ["{}", "<{}>", "by {}."]),
    "uuid": (st.uuids().map(str), ["GPU-{}", "UUID: {})", "MIG-{}"]),
    "model": (st.builds("{}/{}-{}b".format, _WORD, _WORD, st.integers(1, 70)),
              ["{} is not", "model='{}'", "https://huggingface.co/{}/resolve/main/x.json", "--model {}", "'{}'", '{{"model": "{}"}}',
               "--model_name_or_path={}", "loading {} ...", "('{}',)", "Repository Not Found for {}!"]),
    "repository": (_WORD, ["git@github.com:zq/{}.git", "git@github.com:{}/x.git", "registry.zq.com:5000/zq/{}:1", "The model `{}` does not exist"]),
    "folder": (_WORD, ["%2Fdata%2F{}%2Fx", "\\/data\\/{}\\/x", "/data/{}/ckpt/x.py", '"/scratch/{}"', "./{}/run/x.json", "model='/data/{}/m'", "D:\\{}\\x.py", "~/{}/y",
                      "file:///data/{}/x", "output_dir='./{}'", "--output_dir /data/{}", "../{}/x", "data/{}/x.jsonl", "{}/train.py",
                      "-I/data/{}/include", "/data/{}:/x", "PATH=/a:/data/{}/bin", "\\\\server\\{}\\x"]),
}  # fmt: skip
_RULES = [make_rule(symptoms=[{"pattern": "out of memory"}])]


@st.composite
def logs(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A log with a failure that has secrets in its frames and in its message, and these secrets."""
    secrets, texts = [], []
    for kind in draw(st.lists(st.sampled_from(sorted(SECRETS)), min_size=1, max_size=4)):
        values, places = SECRETS[kind]
        secret = draw(values)
        secrets.append(secret)
        texts.append(draw(st.sampled_from(places)).replace("{}", secret))
    half = len(texts) // 2
    code = "".join(f"    start({text!r})\n" if draw(st.booleans()) else f"    {text}\n" for text in texts[:half])
    frames = f'Traceback (most recent call last):\n  File "/opt/train.py", line 3, in main\n{code}'
    between = draw(st.sampled_from([" ", "\n", ", ", " | "]))
    return f"{frames}ValueError: out of memory {between.join(texts[half:])}\n", secrets


@pytest.mark.long
@settings(max_examples=200, deadline=None)
@given(logs())
def test_no_secret_of_a_log_is_left_in_what_is_sent(given_: tuple[str, list[str]]) -> None:
    log, secrets = given_
    found = diagnose_text(log, _RULES)
    sent = issue(found.facts, found, Known())
    assert "### The first failure" in sent
    for secret in secrets:
        assert not re.search(rf"(?<![A-Za-z0-9]){re.escape(secret)}(?![A-Za-z0-9])", sent, re.IGNORECASE), (
            secret,
            sent,
        )
