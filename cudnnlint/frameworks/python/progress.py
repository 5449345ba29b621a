"""Progress bars: what they are given is what one iterates over."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.builtin.functions import BUILTINS
from cudnnlint.interp.forget import forget_closures
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown

TQDM = ("tqdm", "tqdm.auto", "tqdm.notebook", "tqdm.autonotebook", "tqdm.std", "tqdm.rich")


@FRAMEWORK.on(*(f"{room}.tqdm" for room in TQDM), "tqdm.tqdm_notebook", "rich.progress.track",
              "alive_progress.alive_it")
def bar(c: Call) -> Any:
    """`tqdm(iterable, ...)`; without one it is a counter that the program moves itself."""
    given = c.get(0, "iterable", c.kwargs.get("sequence"))
    held = plain(given)
    if given is None or held is None:
        forget_closures(c.machine, c)
        return Unknown("a progress bar")
    return ListV(list(held.items), held.unknown) if isinstance(held, DictV) else given


@FRAMEWORK.on(*(f"{room}.trange" for room in TQDM))
def bar_range(c: Call) -> Any:
    """`trange(10)` is `tqdm(range(10))`."""
    return c.machine.call(BUILTINS["range"], c.args, {}, c.node)
