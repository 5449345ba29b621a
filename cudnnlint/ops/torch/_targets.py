"""What losses of PyTorch refuse in their targets: class indices, probabilities of classes, and yes or no."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import may_equal
from cudnnlint.ops.torch._core import size, torch_size
from cudnnlint.values import Mismatch, Problem, Shape, Tensor, Unknown
from cudnnlint.values.bounds import bounds
from cudnnlint.values.dim import is_known
from cudnnlint.values.tensor import show

REFUSED = ("float", "bfloat", "int32", "int16", "int8")
INTEGERS = ("int64", "uint8")
"""What class indices may be (aten/src/ATen/native/LossNLL.cpp)."""
SQUEEZED = "{}.squeeze(1)"
ASSERTED = 'on a GPU "device-side assert triggered", reported by a later call'


def binary_targets(name: str, x: Tensor, target: Tensor) -> Mismatch | None:
    """Equal shapes and, for probabilities, targets from 0 to 1 (torch/nn/functional.py: binary_cross_entropy)."""
    if isinstance(x.shape, tuple) and isinstance(target.shape, tuple) and (
            len(x.shape) != len(target.shape) or not all(map(may_equal, x.shape, target.shape))):
        told = "must be the same as input size" if "Logits" in name else "that is different to the input size"
        return Mismatch(Problem.TARGET, f"{name} of {x} and targets {target}: shapes must be equal",
                        help="bring both to one shape" + (", logits.squeeze(1) or target.unsqueeze(1)" if _column(
                            x.shape, target.shape) else ""),
                        error=f'ValueError "target size ({torch_size(target.shape)}) {told} '
                              f'({torch_size(x.shape)})"', facts=(("shapes", (x.shape, target.shape)),
                                                                 ("wrap", _column(x.shape, target.shape))))
    if (wrong := _binary_dtype(name, x, target)) is not None:
        return wrong
    held = bounds(target) if name == "BCELoss" else None
    if held is None or (held.low >= 0 and held.high <= 1):
        return None
    return Mismatch(Problem.LABEL, f"targets run from {held}, BCELoss takes 0 to 1",
                    help=f"target / {held.high}" if held.low == 0 else "targets are 0 for no and 1 for yes",
                    error=f'RuntimeError "all elements of target should be between 0 and 1" on a CPU; {ASSERTED}')


def _binary_dtype(name: str, x: Tensor, target: Tensor) -> Mismatch | None:
    """Targets are floats as the outputs are (aten/src/ATen/native/Loss.cpp: binary_cross_entropy_out_cpu;
    binary_cross_entropy_with_logits adds in place)."""
    if not isinstance(x.dtype, str) or not isinstance(target.dtype, str) or not x.dtype.startswith("float") \
            or target.dtype == x.dtype or (name != "BCELoss" and target.dtype.startswith(("float", "bfloat"))):
        return None
    told = 'RuntimeError "Found dtype ... but expected"' if name == "BCELoss" else \
        'RuntimeError "result type Float can\'t be cast to the desired output type" or "Subtraction, the `-` operator"'
    cast = {"float32": "float()", "float64": "double()", "float16": "half()"}.get(x.dtype, f"to({x.dtype})")
    return Mismatch(Problem.DTYPE, f"{name} of {x} with targets of dtype {target.dtype}: {target}",
                    help=f"target.{cast}", error=told,
                    facts=(("shapes", (x.shape, target.shape)), ("wrap", ("target", 1, f"{{}}.{cast}"))))


def _column(x: Shape, target: Shape) -> tuple[str, int, str] | None:
    """What makes (n, 1) beside (n,) fit (see rules/wording.py: wrapped)."""
    if len(x) + len(target) != 3 or 1 not in (*x[1:], *target[1:]):
        return None
    return ("input", 0, SQUEEZED) if len(x) == 2 else ("target", 1, SQUEEZED)


def class_targets(name: str, x: Tensor, target: Tensor, ignored: Any) -> Mismatch | None:
    """(N, C, ...) against class indices (N, ...) or probabilities (N, C, ...)."""
    if isinstance(x.shape, Unknown) or not x.shape:
        return None
    wrong = None
    if isinstance(target.shape, tuple) and x.shape != target.shape:
        wrong = (_indices(name, x, target) if isinstance(target.dtype, str) else None) or _rows(name, x, target)
    elif isinstance(target.dtype, str) and isinstance(target.shape, tuple) and len(x.shape) > 1:
        wrong = _probabilities(name, x, target)
    return wrong or _range(x, target, ignored)


def _indices(name: str, x: Tensor, target: Tensor) -> Mismatch | None:
    assert isinstance(x.shape, tuple) and isinstance(target.shape, tuple) and isinstance(target.dtype, str)
    rank = len(x.shape) - 1 if len(x.shape) > 1 else 0
    if target.dtype.startswith(REFUSED) and len(target.shape) == rank:
        return _wanted(name, x, target, f"class indices of dtype {target.dtype}", "target.long()",
                       'RuntimeError "expected target dtype to be Long or Byte"', Problem.DTYPE, "{}.long()")
    if len(target.shape) == len(x.shape) and len(x.shape) > 1 and (
            target.dtype in INTEGERS or not all(map(may_equal, x.shape, target.shape))):
        one = target.shape[1] == 1
        cast = "" if target.dtype in INTEGERS else ".long()"
        hint = f"target.squeeze(1){cast}" if one else "class indices without the class axis"
        return _wanted(name, x, target, f"targets with {len(target.shape)} axes", hint, _rank_error(x, target),
                       Problem.TARGET, SQUEEZED + cast if one else "")
    if len(x.shape) == len(target.shape) == 1 and may_equal(target.shape[0], 1):
        return None  # one sample with one target
    if target.dtype in INTEGERS and len(target.shape) != rank:
        return _wanted(name, x, target, f"targets with {len(target.shape)} axes", f"targets with {rank} axes",
                       _rank_error(x, target), Problem.TARGET)
    return None


def _rank_error(x: Tensor, target: Tensor) -> str:
    """What PyTorch 2.14 was seen to say of targets with another number of axes; of batches that are not known, what it
    says where they are equal.

    >>> _rank_error(Tensor((4, 5)), Tensor(()))
    'ValueError "Expected input batch_size (4) to match target batch_size (0)."'
    """
    assert isinstance(x.shape, tuple) and isinstance(target.shape, tuple)
    first = (*target.shape, 0)[0]
    if len(x.shape) > 1 and is_known(x.shape[0]) and is_known(first) and x.shape[0] != first:
        return f'ValueError "Expected input batch_size ({x.shape[0]}) to match target batch_size ({first})."'
    if len(x.shape) == len(target.shape) == 1:
        return f'ValueError "For 1D input, 1D target must have size 1, but got target size: {first}"'
    if len(x.shape) == 4:
        return 'RuntimeError "only batches of spatial targets supported (3D tensors)"'
    if len(x.shape) < 3:
        return 'RuntimeError "0D or 1D target tensor expected, multi-target not supported"'
    return f'RuntimeError "Expected target size {size((x.shape[0], *x.shape[2:]))}, got {size(target.shape)}"'


def _rows(name: str, x: Tensor, target: Tensor) -> Mismatch | None:
    """One target for each row, of whatever dtype."""
    assert isinstance(x.shape, tuple) and isinstance(target.shape, tuple)
    wanted = (x.shape[0], *x.shape[2:])
    if len(x.shape) < 2 or len(target.shape) != len(wanted) or all(map(may_equal, wanted, target.shape)):
        return None
    last = all(map(may_equal, x.shape[:-1], target.shape))
    error = f'ValueError "Expected input batch_size ({x.shape[0]}) to match target batch_size ({target.shape[0]})."'
    if may_equal(wanted[0], target.shape[0]):  # aten/src/ATen/native/LossNLL.cpp: nll_loss_nd_symint
        error = f'RuntimeError "Expected target size {size(wanted)}, got {size(target.shape)}"' if len(wanted) != 3 \
            else f'RuntimeError "size mismatch (got input: {size(x.shape)} , target: {size(target.shape)}"'
    swapped = last and len(wanted) == 2
    return Mismatch(Problem.TARGET, f"{name} of {x} takes targets {show(wanted)}, it is given {target}",
                    help="the classes are axis 1: output.transpose(1, 2)" if swapped else "one target for each row",
                    error=error, facts=(("shapes", (x.shape, target.shape)),
                                        ("wrap", ("input", 0, "{}.transpose(1, 2)") if swapped else None)))


def _probabilities(name: str, x: Tensor, target: Tensor) -> Mismatch | None:
    """Targets of the shape of the input: for CrossEntropyLoss probabilities of the classes."""
    if name == "NLLLoss":
        return _wanted(name, x, target, "targets of the same shape", "class indices, without the class axis",
                       _rank_error(x, target), Problem.TARGET)
    if not isinstance(target.dtype, str) or target.dtype.startswith(("float", "bfloat")):
        return None
    return _wanted(name, x, target, f"probabilities of dtype {target.dtype}",
                   "class indices without the class axis, or target.float()",
                   'RuntimeError "Expected floating point type for target with class probabilities"', Problem.DTYPE)


def _wanted(name: str, x: Tensor, target: Tensor, what: str, hint: str, error: str, problem: Problem,
            wrap: str = "") -> Mismatch:
    return Mismatch(problem, f"{name} of {x} with {what}: {target}", help=hint, error=error,
                    facts=(("shapes", (x.shape, target.shape)), ("expected", x.rank), ("actual", target.rank),
                           ("wrap", ("target", 1, wrap) if wrap else None)))


VOID = 255
"""What masks hold where nothing is labelled (PASCAL VOC, Cityscapes)."""


def _range(x: Tensor, target: Tensor, ignored: Any) -> Mismatch | None:
    """A class index must be one of the classes, or ignore_index (aten/src/ATen/native/LossNLL.cpp)."""
    assert isinstance(x.shape, tuple)
    classes = x.shape[1] if len(x.shape) > 1 else x.shape[0]
    held = bounds(target)
    if held is None or not isinstance(classes, int):
        return None
    if target.rank is not None and target.rank >= len(x.shape) > 1:
        return None
    wrong = next((one for one in (held.high, held.low) if not 0 <= one < classes), None)
    if wrong is None or not isinstance(ignored, int) or wrong == ignored:
        return None
    void = wrong == VOID and classes < VOID
    hint = f"ignore_index={VOID} leaves out what has no class" if void else \
        "count from 0, target - 1" if held.low == 1 and held.high == classes else \
        f"give the last layer {held.high + 1} outputs" if wrong > 0 else "class numbers count from 0"
    there = f"classes run from {held}" if held.low != held.high else f"a target is {held}"
    return Mismatch(Problem.LABEL, f"{there}, the output has {classes} classes: 0 to {classes - 1}", help=hint,
                    error=f'IndexError "Target {wrong} is out of bounds." on a CPU; {ASSERTED}')
