"""Addresses, hosts and URLs: where they are, and which are public."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from vcompat.facts.vocabulary import PACKAGES

URL = re.compile(r"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s\"'<>)\]}|,`]{1,2000}")
EMAIL = re.compile(r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
#: A user on a host, as a shell's prompt or ssh have it. A decorator or `package @ address` has a space before it.
LOGIN = re.compile(r"(?<![\w@])([a-z_][\w.-]{0,31})@([A-Za-z][\w.-]{1,63})(?![\w(])")
#: A repository as git names it over SSH; a prompt of a shell has a root or a home behind the colon.
REPOSITORY = re.compile(
    r"(?<![\w@/])([a-z_][\w.-]{0,31})@([A-Za-z][\w.-]{1,63}):([\w][\w.-]{0,100}(?:/[\w.-]{1,100}){1,6})"
)
#: The image of a container: what registry, with which port, and what there.
IMAGE = re.compile(
    r"(?<![\w/@.:-])([A-Za-z][\w-]{0,63}(?:\.[\w-]{1,63}){1,8}):(\d{2,5})/([\w.-]{1,100}(?:/[\w.-]{1,100}){1,6}(?::[\w.-]{1,100})?)"
)
_MAC = re.compile(r"(?<![\w:-])[0-9A-Fa-f]{2}(?:([:-])[0-9A-Fa-f]{2})(?:\1[0-9A-Fa-f]{2}){4,18}(?![\w:-])")
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_IPV6 = re.compile(r"(?<![\w:.])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f.]{0,15}(?:%[\w.-]{1,20})?(?![\w:])")
#: Addresses that every machine has.
_LOCAL = frozenset({"0.0.0.0", "127.0.0.1", "255.255.255.255", "::", "::1"})
_PACKAGES = "|".join(sorted({*map(re.escape, PACKAGES), "cudnn", "nccl", "cuda", "python", "pip", "driver", "rocm"}))
#: What stands before four numbers that are a version.
_VERSION = re.compile(
    rf"(?:==|[<>~!]=|\bv|\bversions?:?|\bversion ?[=:]|(?:packages|vllm|torch|gpu|host)\.[\w.-]{{1,40}} =|\.so\."
    rf"|\b(?:{_PACKAGES}|nvidia-[\w-]{{2,40}}|lib\w{{2,40}})(?:[-_]cu\d{{2}})?)[-:=`|(\s]{{0,40}}$",
    re.IGNORECASE,
)

_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})"
_CLEAR = "com|net|org|edu|gov|mil|lan|corp|intranet|arpa"
_DOUBTFUL = (
    "local|localdomain|internal|cluster|cloud|dev|xyz|io|ai|co|app|tech|info|biz|int|de|uk|fr|ch|at|be|dk|fi|no|nl|se|eu|cn"
    "|jp|kr|in|ca|au|us|ru|it|es|pl|br|sg|hk|tw|il|ac|svc|home|site|online|host|systems|network|sh|ml|gg|me"
)
#: Names with a top-level domain. What is doubtful could be an attribute: it needs a hyphen or a digit, or a third part.
_DOMAINS = (
    re.compile(rf"(?<![\w.@-])(?:{_LABEL}\.){{1,8}}(?:{_CLEAR})(?![\w(-]|\.\w)", re.IGNORECASE),
    re.compile(rf"(?<![\w.@-])(?:{_LABEL}\.){{2,8}}(?:{_DOUBTFUL})(?![\w(-]|\.\w)", re.IGNORECASE),
    re.compile(
        rf"(?<![\w.@-])(?=[\w.]{{0,60}}[-\d])(?:{_LABEL}\.){{1,8}}(?:{_DOUBTFUL})(?![\w(-]|\.\w)", re.IGNORECASE
    ),
)
_NAME = r"[A-Za-z0-9](?:[\w.-]{0,62}[A-Za-z0-9])?"
#: What is surely a host by what is around it: torchrun, c10d, NCCL, MPI, Slurm, urllib3, resolvers, syslog, variables.
_SURE = (
    re.compile(rf"(?i:\bhost(?:_?name)?['\"]?\s{{0,12}}[:=]\s{{0,4}})['\"]?({_NAME})(?![\w(])"),
    re.compile(rf"\[({_NAME})\]:\d{{2,5}}\b"),
    re.compile(rf"[\[(]({_NAME}), \d{{2,5}}[\])]"),
    re.compile(rf"(?<![\w./-])({_NAME}):\d{{1,8}}:\d{{1,8}} \[\w{{1,4}}\] "),
    re.compile(rf"\[({_NAME}):\d{{2,8}}\](?= \*\*\*)"),
    re.compile(rf"\b(?:srun|slurmstepd|salloc|sbatch)(?:-\S{{1,60}})?: (?:error|warning|info): ({_NAME})(?=: )"),
    re.compile(
        r"\b(?:HOSTNAME|HOST|MASTER_ADDR|SLURMD_NODENAME|SLURM_(?:JOB_)?NODELIST|NODE_NAME|NODENAME|head_node_ip"
        rf"|master_addr|rdzv_endpoint|--master_addr|--rdzv[-_]endpoint|--host|--head-node)[= ]['\"]?({_NAME})"
    ),
    re.compile(
        r"(?i:\b(?:resolve|getaddrinfo|connect to|lookup|ping|ssh|scp)(?: host| hostname)?:?\s{1,3})"
        rf"['\"(]?({_NAME})(?![\w(])"
    ),
    re.compile(rf"^[A-Z][a-z]{{2}} {{1,2}}\d{{1,2}} \d\d:\d\d:\d\d ({_NAME}) (?=[\w./-]{{1,40}}(?:\[\d+\])?:)"),
)
#: What is a host if there is a digit or a hyphen in it.
_LIKELY = (
    re.compile(rf"\[({_NAME}):\d{{2,8}}\](?=\s)"),
    re.compile(rf"(?<![\w./-])({_NAME}):\d{{4,5}}\b(?!:)"),
    re.compile(rf"(?:(?i:\b(?:node|host|hostname|machine|server|nodes|hosts)\s{{1,3}})|\bON )({_NAME})(?![\w(])"),
)
#: Names as clusters give them to their nodes.
_NODES = re.compile(
    r"(?<![\w.-])(?:gpu|node|dgx|hgx|compute|cluster|slurm|login|host|server|worker|ip|vm|pod)-[a-z0-9]{1,30}"
    r"(?:-[a-z0-9]{1,30}){0,6}(?:\.[\w.-]{1,80})?(?![\w-])"
)
#: Hosts that everybody knows.
_PUBLIC = frozenset(
    (
        "localhost huggingface.co hf.co github.com raw.githubusercontent.com pytorch.org docs.pytorch.org"
        " discuss.pytorch.org download.pytorch.org pypi.org files.pythonhosted.org docs.vllm.ai vllm.ai"
        " wheels.vllm.ai docs.nvidia.com developer.nvidia.com nvidia.com docs.python.org docs.ray.io"
        " errors.pydantic.dev wandb.ai api.wandb.ai"
    ).split()
)
#: Words that are no hosts, although they stand where one can.
_NO_HOSTS = frozenset(
    (
        "str int float bool bytes none self any optional true false host hostname localhost is was has and or the"
        " a to for in of not no with rank ranks local_rank group name names list id ids count index all each"
    ).split()
)
_SOURCE = re.compile(r"\.(?:py|pyx|cu|cuh|cc|cpp|c|h|hpp|so|json|toml|ya?ml|txt|log|sh)$")
#: Pages of upstream projects, which a report may name.
_PAGES = re.compile(
    r"https?://(?:github\.com/(?:vllm-project|pytorch|NVIDIA|deepspeedai|triton-lang|flashinfer-ai|ray-project"
    r"|Dao-AILab|bitsandbytes-foundation|huggingface/(?:trl|transformers|accelerate|peft|datasets|huggingface_hub))/"
    r"|docs\.vllm\.ai|wheels\.vllm\.ai|(?:docs\.|discuss\.|download\.)?pytorch\.org|huggingface\.co/docs/|pypi\.org"
    r"|docs\.nvidia\.com|docs\.python\.org|docs\.ray\.io|errors\.pydantic\.dev)"
)


def is_page(url: str) -> bool:
    """Return whether a URL is a page of an upstream project."""
    return _PAGES.match(url) is not None and "@" not in url


def is_public(host: str) -> bool:
    """Return whether everybody knows a host."""
    return host.lower().strip("[]") in _PUBLIC | _LOCAL


def addresses(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where MAC and IP addresses are, with their kinds; not four numbers that are a version."""
    yield from ((*address.span(), "mac") for address in _MAC.finditer(text))
    for pattern in (_IPV6, _IPV4):
        for address in pattern.finditer(text):
            before = text[max(0, address.start() - 120) : address.start()]
            if address[0] not in _LOCAL and _is_address(address[0]) and not _VERSION.search(before):
                yield *address.span(), "ip"


_NODE_LIST = re.compile(r"(?i:nodelist)[=:] ?['\"]?([\w.,[\]-]{1,1000})")
_NODE = re.compile(r"(?:^|,)([A-Za-z][\w.-]{0,62})(?=[\[,]|$)")


def _listed(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the hosts of Slurm's lists of nodes, such as ``gpu[01-04],login7``."""
    for nodes in _NODE_LIST.finditer(text):
        for node in _NODE.finditer(re.sub(r"\[[^\]]*\]", lambda inside: "[" * len(inside[0]), nodes[1])):
            start, end = node.span(1)
            yield nodes.start(1) + start, nodes.start(1) + end, re.search(r"[\d-]", node[1]) is not None


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return True


def hosts(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield where hosts are, and whether the name alone tells it, so that it is one wherever it is."""
    for pattern in _DOMAINS:
        yield from ((*match.span(), True) for match in pattern.finditer(text) if not is_public(match[0]))
    yield from ((*match.span(), True) for match in _NODES.finditer(text))
    yield from _listed(text)
    for pattern in (*_SURE, *_LIKELY):
        for match in pattern.finditer(text):
            name = match[1]
            if name.lower() in _NO_HOSTS or is_public(name) or _SOURCE.search(name) or not re.search("[A-Za-z]", name):
                continue
            tells = len(name) >= 4 and re.search(r"[\d-]", name) is not None
            if tells or pattern in _SURE:
                yield *match.span(1), tells
