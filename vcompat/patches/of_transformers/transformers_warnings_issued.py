"""Give models `warnings_issued`, of which TRL before 0.27.2 sets a key, under transformers 5.1.0 and later.

Why: the constructors of TRL's trainers execute ``model.warnings_issued["estimate_tokens"] = True``. transformers 5.1.0
removed the attribute, so that they raise AttributeError.
How: the constructor of `PreTrainedModel` gives each model an empty dictionary of that name, as older releases did.
Process: every rank, before the model is created.
Upstream: https://github.com/huggingface/trl/pull/4960, released with TRL 0.27.2.
Remove when: TRL 0.27.1 is no longer supported.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from packaging.version import Version

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap

#: The first TRL that does not use the attribute.
_FIRST_WITHOUT = Version("0.27.2")


def _with_attribute(create: Callable[..., None]) -> Callable[..., None]:
    def create_with_attribute(self: Any, *args: Any, **kwargs: Any) -> None:
        create(self, *args, **kwargs)
        self.warnings_issued = {}

    return create_with_attribute


def _trl_does_not_use_it() -> str:
    try:
        installed = version("trl")
    except PackageNotFoundError:
        return ""
    return f"TRL {installed} does not use it" if Version(installed) >= _FIRST_WITHOUT else ""


PATCH = Patch(
    id="transformers_warnings_issued",
    title="Give models the attribute that TRL's trainers set",
    package="transformers",
    process="every rank",
    changes=(
        Change(
            "transformers.modeling_utils",
            "PreTrainedModel.__init__",
            Wrap("PreTrainedModel.__init__", _with_attribute),
            shape=("super().__init__()", "self.config = config"),
            lacks=("self.warnings_issued = {}",),
            unneeded=_trl_does_not_use_it,
        ),
    ),
)
