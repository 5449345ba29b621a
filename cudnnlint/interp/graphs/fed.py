"""What a session of TensorFlow 1 is fed, against its placeholders."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import Rejected
from cudnnlint.interp.convert import strip
from cudnnlint.interp.registry import Call
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.values import Mismatch, Problem, Symbol, Tensor, Unknown, show
from cudnnlint.values.dim import may_equal
from cudnnlint.values.tensor import tensors


def check_feed(c: Call, given: Any) -> None:
    """tensorflow/python/client/session.py: BaseSession._run, which compares shapes before anything runs.

    Placeholders of one shape are one key here: what is compared is what the last of them is fed.
    """
    found: set[Any] = set()
    feed = strip(given, found)
    for key, value in feed.items() if isinstance(feed, dict) else ():
        fed = as_tensor(value, "numpy") if isinstance(value, Tensor | list) else Unknown("what is fed")
        if isinstance(key, Tensor) and isinstance(fed, Tensor) and _is_placeholder(key) \
                and not _fits(key.shape, fed.shape):
            c.machine.say(Rejected, c.span, about=[fed, key], assumptions=frozenset(found), what="Session.run",
                          mismatch=_unfit(key, fed), inputs=fed)


def tell_fed(c: Call, fetches: Any, given: Any) -> None:
    """How many rows a placeholder of any number of them is fed, where only tensors are asked for; a training step, or
    what is not known, is none."""
    found: set[Any] = set()
    asked, feed = strip(fetches, found), strip(given, found)
    if not isinstance(feed, dict) or not isinstance(asked, Tensor | list | tuple):
        return
    listed = list(asked) if isinstance(asked, list | tuple) else [asked]
    rows = {value.shape[0] for key, value in feed.items() if _is_open(key) and isinstance(value, Tensor)
            and isinstance(value.shape, tuple) and value.shape}
    count = rows.pop() if len(rows) == 1 else None
    if listed and all(isinstance(one, Tensor) for one in listed) and isinstance(count, int):
        from cudnnlint.events import SetFed

        c.machine.say(SetFed, c.span, about=[*listed, *tensors(feed)], assumptions=frozenset(found),
                      fetched=tuple(listed), rows=count)


def _is_open(key: Any) -> bool:
    return isinstance(key, Tensor) and _is_placeholder(key) and isinstance(key.shape, tuple) and key.shape[:1] != () \
        and isinstance(key.shape[0], Symbol)


def _is_placeholder(key: Tensor) -> bool:
    """What a program declares has that shape; of others, as batches of a dataset, the graph may know less."""
    return key.step is None or not key.step.parents


def _fits(want: Any, have: Any) -> bool:
    if not isinstance(want, tuple) or not isinstance(have, tuple):
        return True
    return len(want) == len(have) and all(map(may_equal, want, have))


def _unfit(want: Tensor, have: Tensor) -> Mismatch:
    assert isinstance(want.shape, tuple) and isinstance(have.shape, tuple)
    return Mismatch(Problem.FED, f"the placeholder takes {show(want.shape)}, it is fed {show(have.shape)}",
                    help="reshape what is fed, or declare the placeholder for it",
                    error='ValueError "Cannot feed value of shape ... for Tensor ..., which has shape ..."')


__all__ = ["check_feed", "tell_fed"]
