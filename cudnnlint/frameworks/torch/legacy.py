"""torch.Tensor(...), torch.FloatTensor(...) and their kin: classes of before torch.tensor(...), of one dtype and one
device each."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.convert import strip
from cudnnlint.interp.functions import PLACED, apply_function
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import External
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.places import CPU, device_of
from cudnnlint.values import Mismatch, Problem, Step, Tensor, Unknown
from cudnnlint.values.origins import GPU

DTYPES = {"": "float32", "Float": "float32", "Long": "int64", "Int": "int32", "Double": "float64", "Half": "float16",
          "Byte": "uint8", "Bool": "bool"}
OF_OTHERS = ("dtype", "requires_grad")
"""What torch.tensor() and torch.empty() take and these do not."""


@FRAMEWORK.on("torch.Tensor", "torch.FloatTensor", "torch.LongTensor", "torch.IntTensor", "torch.DoubleTensor",
              "torch.HalfTensor", "torch.ByteTensor", "torch.BoolTensor", "torch.cuda.FloatTensor",
              "torch.cuda.LongTensor")
def legacy(c: Call) -> Any:
    """torch.Tensor(2, 3) is of that size, torch.Tensor([2, 3]) of those elements, torch.Tensor() is empty; an integer
    of NumPy's is a size as well."""
    callee = plain(c.callee)
    path = callee.path if isinstance(callee, External) else ""
    where = {"device": "cuda"} if path.startswith("torch.cuda.") else {
        name: value for name, value in c.kwargs.items() if name == "device"}
    dtype = DTYPES[path.rpartition(".")[2].removesuffix("Tensor")]
    if is_meant(c.machine) and STAR not in c.kwargs:
        _tell_of_arguments(c, path)
    if not c.args and not c.kwargs:
        return Tensor((0,), dtype, "torch", None, Step(c.span))
    first = Unknown("size") if STAR in c.kwargs else strip(c.args[0]) if c.args else ()
    if isinstance(first, Tensor) and first.kind == "numpy" and first.rank == 0:
        first = first.content if isinstance(first.content, int) else Unknown("a size")
        return Tensor((first,), dtype, "torch", None, Step(c.span))
    if len(c.args) == 1 and isinstance(first, (list, Tensor)):
        return apply_function(c.machine, "torch.tensor", [c.args[0]], {"dtype": dtype, **where}, c.node)
    if STAR in c.kwargs or (len(c.args) == 1 and isinstance(first, (tuple, Unknown))):
        # a tuple is data, a torch.Size a size
        return Tensor(Unknown("data or a size"), dtype, "torch", None, Step(c.span))
    return apply_function(c.machine, "torch.empty", [tuple(c.args)], {"dtype": dtype, **where}, c.node)


def _tell_of_arguments(c: Call, path: str) -> None:
    """torch/csrc/utils/tensor_new.cpp: legacy_tensor_generic_ctor_new, check_legacy_ctor_device"""
    other = next((name for name in OF_OTHERS if name in c.kwargs), None)
    own, given = GPU if path.startswith("torch.cuda.") else CPU, device_of(c.kwargs.get("device"))
    if other is not None:
        refuse(c.machine, c.span, Mismatch(
            Problem.UNKNOWN_ARGUMENT, f"{path} has no argument {other}", argument=other,
            help=f"torch.tensor(..., {other}=...) takes it, and torch.empty() where sizes are given",
            error='TypeError "new() received an invalid combination of arguments"',
            facts=(("name", other), ("versions", ""), ("twice", False), ("parameters", ("device",)))),
            what=path, stage="called")
    elif given is not None and given != own and c.machine.state.get(PLACED) is not False:
        types = ("cpu", "cuda") if own == CPU else ("cuda", "cpu")
        refuse(c.machine, c.span, Mismatch(
            Problem.DEVICES, f"{path} makes tensors on the {own} alone, and is given another device",
            argument="device", help="torch.tensor(..., device=...), or .to(device) of what it makes",
            error=f'RuntimeError "legacy constructor expects device type: {types[0]} but device type: {types[1]} was '
                  f'passed"', facts=(("moment", "when it runs"),)), what=path, stage="called")
