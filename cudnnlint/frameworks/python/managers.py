"""contextlib: stacks of context managers, and those that do nothing."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.contexts import enter, leave
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.registry import Call
from cudnnlint.records import record


@record(eq=False, slots=True)
class StackV:
    """contextlib.ExitStack(): what it entered, in order."""

    held: ListV = field(default_factory=ListV)
    path: str = "contextlib.ExitStack"

    def entered(self, m: Machine) -> Any:
        return self

    def left(self, m: Machine) -> None:
        m.heap.touch(self.held)
        while self.held.items:
            manager, node = self.held.items.pop()
            leave(m, manager, node)


@record(eq=False, slots=True)
class NothingV:
    """contextlib.nullcontext(value), contextlib.closing(value): the value, whatever happens."""

    value: Any

    def entered(self, m: Machine) -> Any:
        return self.value


@FRAMEWORK.on("contextlib.ExitStack", "contextlib.AsyncExitStack")
def exit_stack(c: Call) -> Any:
    return StackV()


@FRAMEWORK.on("contextlib.ExitStack.enter_context", "contextlib.ExitStack.enter_async_context")
def enter_context(c: Call) -> Any:
    stack, manager = plain(c.receiver), c.get(0, "cm")
    value = enter(c.machine, manager, c.node)
    if isinstance(stack, StackV):
        c.machine.heap.touch(stack.held)
        stack.held.items.append((manager, c.node))
    return value


@FRAMEWORK.on("contextlib.ExitStack.close")
def close(c: Call) -> Any:
    stack = plain(c.receiver)
    if isinstance(stack, StackV):
        stack.left(c.machine)


@FRAMEWORK.on("contextlib.nullcontext", "contextlib.closing")
def nothing(c: Call) -> Any:
    return NothingV(c.get(0, "enter_result", c.kwargs.get("thing")))
