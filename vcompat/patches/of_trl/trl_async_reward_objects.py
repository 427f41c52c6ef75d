"""Await rewards that are objects with an asynchronous `__call__`, in GRPOTrainer of TRL 0.27.0 - 1.13.0.

Why: the trainer awaits a reward if `iscoroutinefunction` is true of it, as it is of functions made with `async def`. An
object whose method `__call__` is one is called as if it were synchronous. The trainer takes the coroutine for the list
of rewards, and the first step raises TypeError. Up to 0.26.2 TRL awaits no reward at all; the patch does not add that.
How: the constructor puts a function made with `async def` in place of each such object, also of one behind
`functools.partial`. The function has the name that TRL gives the object. TRL before 1.9.0 refuses objects without
`__name__`, and still does.
Process: every rank.
Upstream: https://github.com/huggingface/trl/pull/7213, released with TRL 1.14.0.
Remove when: TRL below 1.14.0 is no longer supported.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from vcompat.patching.patch import Change, Patch
from vcompat.patching.replace import Wrap


def _attribute(reward: Any) -> Any:
    return getattr(reward, "__name__", None)


def _attribute_or_class(reward: Any) -> Any:
    called = _called(reward)
    return getattr(called, "__name__", type(called).__name__)


def _called(reward: Any) -> Any:
    while isinstance(reward, functools.partial):
        reward = reward.func
    return reward


def _awaited(reward: Any, name_of: Callable[[Any], Any]) -> Any:
    """Return a function made with ``async def`` if `reward` is an asynchronous object; else return `reward`."""
    import inspect

    called = _called(reward)
    if inspect.iscoroutinefunction(reward) or not callable(called):
        return reward
    if not inspect.iscoroutinefunction(type(called).__call__):
        return reward
    name = name_of(reward)
    if not isinstance(name, str):
        return reward

    async def call(*args: Any, **kwargs: Any) -> Any:
        return await reward(*args, **kwargs)

    call.__name__ = name
    return functools.update_wrapper(call, reward, assigned=(), updated=())


def _with_functions(given: Any, name_of: Callable[[Any], Any]) -> Any:
    """Replace the asynchronous objects among rewards. TRL takes what is no list for one reward."""
    if not isinstance(given, list):
        return _awaited(given, name_of)
    rewards = [_awaited(reward, name_of) for reward in given]
    # TRL changes the list that it gets, so the caller's own list is passed if nothing in it is replaced.
    return given if all(new is old for new, old in zip(rewards, given, strict=True)) else rewards


def _named_by(name_of: Callable[[Any], Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    def with_functions(init: Callable[..., None]) -> Callable[..., None]:
        def init_with_functions(self: Any, *args: Any, **kwargs: Any) -> None:
            if len(args) > 1:
                args = (args[0], _with_functions(args[1], name_of), *args[2:])
            elif "reward_funcs" in kwargs:
                kwargs["reward_funcs"] = _with_functions(kwargs["reward_funcs"], name_of)
            init(self, *args, **kwargs)

        return init_with_functions

    return with_functions


def _change(name_of: Callable[[Any], Any], name: str) -> Change:
    return Change(
        "trl.trainer.grpo_trainer",
        "GRPOTrainer.__init__",
        Wrap("GRPOTrainer.__init__", _named_by(name_of)),
        shape=(
            "(self, model: 'str | PreTrainedModel | PeftModel', reward_funcs: RewardFunc | list[RewardFunc]",
            "start_event_loop_in_daemon(",
        ),
        has=("iscoroutinefunction(func) for func in self.reward_funcs", f"self.reward_func_names.append({name})"),
    )


PATCH = Patch(
    id="trl_async_reward_objects",
    title="Await rewards that are objects with an asynchronous __call__",
    package="trl",
    process="every rank",
    changes=(
        _change(_attribute, "reward_funcs[i].__name__"),
        _change(_attribute_or_class, "get_callable_name(reward_funcs[i])"),
    ),
)
