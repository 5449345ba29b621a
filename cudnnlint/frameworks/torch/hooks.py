"""Hooks that modules are given: how many arguments they are called with."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.forget import forget_closures
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import BoundV, FunctionV
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Unknown

GIVEN = {"register_forward_hook": ("module", "args", "output"), "register_forward_pre_hook": ("module", "args"),
         "register_full_backward_hook": ("module", "grad_input", "grad_output"),
         "register_backward_hook": ("module", "grad_input", "grad_output"),
         "register_full_backward_pre_hook": ("module", "grad_output")}
"""What each is called with; of forward hooks `kwargs` comes after args with with_kwargs=True (torch/nn/modules/
module.py: Module._call_impl)."""


@FRAMEWORK.on(*(f"torch.nn.Module.{name}" for name in GIVEN))
def register(c: Call) -> Any:
    _tell_of_arguments(c)
    forget_closures(c.machine, c)  # a hook is called with each batch
    return Unknown("a handle")


def _tell_of_arguments(c: Call) -> None:
    """A hook that cannot take what it is called with."""
    method, hook = c.path.rpartition(".")[2], plain(c.get(0, "hook"))
    by_name = plain(c.kwargs.get("with_kwargs", False))
    if method not in GIVEN or not isinstance(by_name, bool) or STAR in c.kwargs or not is_meant(c.machine) \
            or c.machine.handlers or c.machine.uncalled:
        return
    given = list(GIVEN[method])
    if by_name:
        given.insert(2, "kwargs")
    function = hook.function if isinstance(hook, BoundV) else hook
    if not isinstance(function, FunctionV) or function.kind not in ("function", "static") \
            or getattr(function.node, "decorator_list", None):
        return
    declared, bound = function.node.args, isinstance(hook, BoundV) and function.kind == "function"
    places = len(declared.posonlyargs) + len(declared.args) - bound
    needed = places - len(declared.defaults)
    if declared.vararg is not None or needed <= len(given) <= places or places < 0:
        return
    refuse(c.machine, c.span, Mismatch(
        Problem.UNEXPECTED, f"{method}() is given a function of {places} argument{'' if places == 1 else 's'}, and "
        f"calls it with {len(given)}", argument="hook", help=f"def hook({', '.join(given)})",
        error='TypeError "positional arguments but" or "missing 1 required positional argument"'), what=method)


__all__ = ["register"]
