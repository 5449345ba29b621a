"""Devices and dtypes that PyTorch is told by their names: it knows devices by a text, and dtypes by none."""

from __future__ import annotations

import ast
import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from cudnnlint.interp import convert
from cudnnlint.interp.machine import assumptions_of, plain
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.values import Mismatch, Problem

if TYPE_CHECKING:
    from cudnnlint.interp.machine import Machine

DEVICE = re.compile(r"[a-zA-Z_]+(?::(?:0|[1-9]\d*))?")
"""c10/core/Device.cpp: what a device string looks like."""
DEVICES = frozenset({"cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia",
                     "xla", "lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone"})
"""c10/core/DeviceType.cpp; packages give further ones a name, npu, mlu, dml ..., which is left alone."""
USUAL = ("cpu", "cuda", "mps", "meta", "xla")
CLOSE = 0.8
DTYPES = frozenset({"float", "double", "half", "long", "int", "short", "bool", "uint8", "bfloat16", "float16",
                    "float32", "float64", "int8", "int16", "int32", "int64"})


def tell_of_named(m: Machine, named: dict[str, Any], node: ast.AST) -> dict[str, Any]:
    """`torch.zeros(3, dtype="float32")`, `nn.Linear(2, 3, device="gpu")`. Gives back what is given."""
    if "device" in named:
        tell_of_device(m, named["device"], node)
    if "dtype" in named and isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg == "dtype":
                tell_of_text(m, keyword.value, node)
    return named


def tell_of_device(m: Machine, value: Any, node: ast.AST) -> None:
    """`x.to("gpu")` (c10/core/Device.cpp: parse_type)."""
    name = plain(value)
    if type(name) is not str or not name or m.uncalled or not is_meant(m) or (
            "None" in name and any(taken.is_none for taken in assumptions_of(value))):
        return  # f"cuda:{args.local_rank}", which whoever starts the processes gives
    kind, colon, index = name.partition(":")
    if kind in DEVICES and DEVICE.fullmatch(name):
        return
    close = ["cuda"] if kind.lower().startswith("gpu") else get_close_matches(kind.lower(), USUAL, 1, CLOSE)
    if DEVICE.fullmatch(name) and not close and name not in DTYPES:
        return  # a package's own
    refuse(m, m.span(node), Mismatch(
        Problem.INVALID_ARGUMENT, f'"{name}" is no device of PyTorch', argument="device",
        help=f"torch.{name}, which is no text, is a dtype" if name in DTYPES else
        f'"{close[0]}{colon * index.isdigit()}{index * index.isdigit()}"' if close else "",
        error='RuntimeError "Expected one of cpu, cuda, ... device type at start of device string" or "Invalid device '
              'string"'), what="device", assumptions=assumptions_of(value))


def tell_of_given(m: Machine, place: int, value: Any, node: ast.AST) -> None:
    """`x.to("float32")` by position: a dtype is no text that is written there."""
    if text_at(place, node) is not None or plain(value) not in DTYPES | convert.DTYPES:
        tell_of_device(m, value, node)


def text_at(place: int, node: ast.AST) -> str | None:
    """The text that a call is written with as an argument."""
    written = node.args[place] if isinstance(node, ast.Call) and place < len(node.args) else None
    return written.value if isinstance(written, ast.Constant) and isinstance(written.value, str) else None


def tell_of_text(m: Machine, written: ast.expr, node: ast.AST) -> None:
    """A dtype that is written as a text: torch.float32 is what PyTorch takes."""
    name = written.value if isinstance(written, ast.Constant) else None
    if isinstance(name, str) and is_meant(m):
        refuse(m, m.span(node), Mismatch(
            Problem.INVALID_ARGUMENT, f'dtype is the text "{name}"', argument="dtype",
            help=f"torch.{name}" if name in DTYPES else "",
            error="TypeError \"argument 'dtype' must be torch.dtype, not str\" or \"received an invalid combination of "
                  'arguments"'), what="dtype")
