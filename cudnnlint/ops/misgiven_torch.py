"""Arguments that functions of PyTorch refuse before they compute: a range of nothing, classes that are no integers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cudnnlint.ops.arguments import show
from cudnnlint.ops.functions.contents import flat
from cudnnlint.values import Mismatch, Problem, Tensor


def refused(name: str, arguments: Mapping[str, Any]) -> Mismatch | None:
    """`name` is that of the function without `torch.`"""
    for argument in SIZED.get(name, ()):
        if found := _no_integers(name, argument, arguments.get(argument)):
            return found
    check = CHECKED.get(name)
    return check(arguments) if check is not None else None


SIZED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("zeros", "ones", "empty", "rand", "randn", "full", "Tensor.new_zeros",
                     "Tensor.new_ones", "Tensor.new_empty", "Tensor.expand", "broadcast_to"), ("size",)),
    **dict.fromkeys(("Tensor.view", "Tensor.reshape", "reshape"), ("shape",)), "Tensor.repeat": ("repeats",),
    "tile": ("dims",), "permute": ("dims",), "unflatten": ("sizes",), "eye": ("n", "m"), "linspace": ("steps",),
    "chunk": ("chunks",), "unsqueeze": ("dim",), "transpose": ("dim0", "dim1"), "narrow": ("start", "length"),
    "cat": ("dim",), "stack": ("dim",), "softmax": ("dim",), "argmax": ("dim",), "flatten": ("start_dim", "end_dim"),
    "nn.functional.softmax": ("dim",), "nn.functional.pad": ("pad",), "nn.functional.one_hot": ("num_classes",),
    **dict.fromkeys(("split", "Tensor.split"), ("split_size_or_sections", "dim")),
    **dict.fromkeys(("roll", "Tensor.roll"), ("shifts", "dims")), "topk": ("k",),
    **dict.fromkeys(("cumsum", "cumprod"), ("dim",)),
    "repeat_interleave": ("repeats",), "Tensor.unfold": ("dimension", "size", "step"),
    "randint": ("size", "low", "high"),
    **dict.fromkeys(("nn.functional.pixel_shuffle", "pixel_shuffle"), ("upscale_factor",)),
    "nn.functional.interpolate": ("size",), "nn.functional.unfold": ("kernel_size",),
    **{f"nn.functional.adaptive_{kind}_pool{rank}d": ("output_size",) for kind in ("avg", "max") for rank in (1, 2, 3)}}
"""Functions and their arguments that are integers, or tuples of them: each refuses a float and a text (run with
PyTorch 2.14; torch/csrc/utils/python_arg_parser.cpp)."""


DTYPES = frozenset({
    *(f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)), "float16", "bfloat16", "float32",
    "float64", "complex64", "complex128", "bool", "float8_e4m3fn", "float8_e5m2"})
EXTENTS = frozenset({"size", "shape", "repeats"})
"""Arguments that are extents: None is none of them, nor is a tuple among them."""


def _no_integers(name: str, argument: str, value: Any) -> Mismatch | None:
    """`x.view(-1, heads, width / heads)`"""
    items = value if isinstance(value, list | tuple) else (value,)
    if argument in EXTENTS and items is value and any(one is None or isinstance(one, list | tuple) for one in items):
        return _no_extents(name, argument, value)
    odd = next((item for item in items if isinstance(item, float | str)), None)
    if name == "Tensor.view" and items is not value and odd in DTYPES:
        return None  # x.view(torch.uint8): the same bytes as another dtype
    of_name = isinstance(odd, str) and argument.startswith("dim") and not odd.isdigit()  # an axis may have one
    if odd is None or of_name:
        return None
    shown, called = show(odd), name.rpartition(".")[2]
    kind = "float" if isinstance(odd, float) else "str"
    return Mismatch(Problem.INVALID_ARGUMENT, f"{argument} is {shown}, not an integer" if items is not value else
                    f"{argument} {show(value)} holds {shown}, not an integer", argument=argument,
                    help="use // where / divides two integers" if kind == "float" else "make it one with int()",
                    error=f"TypeError \"{called}(): argument ... must be tuple of ints\", \"must be int, not {kind}\", "
                          f"\"type must be tuple of ints,but got {kind}\" or \"received an invalid combination\"")


def _no_extents(name: str, argument: str, value: list[Any] | tuple[Any, ...]) -> Mismatch | None:
    """`torch.zeros(batch, None)`, `x.view((batch, x.shape[1:]))`"""
    odd = next(one for one in value if one is None or isinstance(one, list | tuple))
    if odd is not None and len(value) == 1:
        return None  # unpacked by whoever takes it
    kind = "NoneType" if odd is None else type(odd).__name__
    return Mismatch(Problem.INVALID_ARGUMENT, f"{argument} {show(value)} holds {show(odd)}, not an integer",
                    argument=argument, help="" if odd is None else f"its elements: *{show(odd)}",
                    error=f"TypeError \"{name.rpartition('.')[2]}(): argument '{argument}' ... must be tuple of ints, "
                          f'but got {kind}" or "takes 1 positional argument"')


def _randint(arguments: Mapping[str, Any]) -> Mismatch | None:
    """randint(high, size), randint(low, high, size) (aten/src/ATen/native/DistributionTemplates.h: random_from_to)."""
    low, high, size = (arguments.get(name) for name in ("low", "high", "size"))
    if size is None:
        low, high, size = 0, low, high
    elif high is None or low is None:
        low, high = 0, low if high is None else high
    if size is None:
        return _told("torch.randint is given no size", "size", "size=(rows, columns), or () for one number",
                     'TypeError "randint() received an invalid combination of arguments"')
    if type(size) is int:
        return _told(f"torch.randint is given {size} for its size, which is a tuple", "size", f"({size},)",
                     "TypeError \"randint(): argument 'size' must be tuple of ints, not int\" or \"randint() received "
                     'an invalid combination of arguments"')
    if type(low) is not int or type(high) is not int or low < high:
        return None
    return _told(f"torch.randint draws from {low} up to {high}, which is left out: from nothing", "high", "",
                 f"RuntimeError \"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}\"")


def _arange(arguments: Mapping[str, Any]) -> Mismatch | None:
    """aten/src/ATen/native/RangeFactories.cpp: arange"""
    start, end, step = (arguments.get(name) for name in ("start", "end", "step"))
    if end is None:
        start, end = 0, start
    if any(type(one) not in (int, float) for one in (start, end, step)):
        return None
    if step == 0:
        return _told("torch.arange goes on in steps of 0", "step", "", 'RuntimeError "step must be nonzero"')
    if (end - start) * step >= 0:  # type: ignore[operator]
        return None
    return _told(f"torch.arange from {start} to {end} in steps of {step} comes nowhere", "step",
                 f"torch.arange({start}, {end}, -1)" if step == 1 else "",
                 'RuntimeError "upper bound and lower bound inconsistent with step sign"')


def _one_hot(arguments: Mapping[str, Any]) -> Mismatch | None:
    """aten/src/ATen/native/Onehot.cpp"""
    tensor, classes = arguments.get("input"), arguments.get("num_classes")
    if not isinstance(tensor, Tensor) or not isinstance(tensor.dtype, str):
        return None
    if tensor.dtype != "int64":
        return Mismatch(Problem.DTYPE, f"one_hot of {tensor}: classes are of dtype int64", help="x.long()",
                        argument="input", error='RuntimeError "one_hot is only applicable to index tensor of type '
                        'LongTensor."')
    numbers = [one for one in flat(tensor.content) or () if type(one) is int]
    if type(classes) is not int or classes < 1 or not numbers or max(numbers) < classes:
        return None
    return Mismatch(Problem.INDEX, f"class {max(numbers)} of {classes} classes, which count from 0",
                    argument="num_classes", help="of masks of 0 and 255: one_hot(masks // 255, ...)"
                    if set(numbers) <= {0, 255} else f"num_classes={max(numbers) + 1}",
                    error='RuntimeError "Class values must be smaller than num_classes."')


def _interpolate(arguments: Mapping[str, Any]) -> Mismatch | None:
    """torch/nn/functional.py: interpolate"""
    size, factor = arguments.get("size"), arguments.get("scale_factor")
    if size is None and factor is None:
        return _told("interpolate is given neither a size nor a scale_factor", "size", "size=(height, width)",
                     'ValueError "either size or scale_factor should be defined"')
    known = (int, float, list, tuple)
    if not isinstance(size, known) or not isinstance(factor, known):
        return None
    return _told("interpolate is given both a size and a scale_factor", "size", "leave one of them out",
                 'ValueError "only one of size or scale_factor should be defined"')


def _pad(arguments: Mapping[str, Any]) -> Mismatch | None:
    """torch/nn/functional.py: pad"""
    mode = arguments.get("mode")
    if not isinstance(mode, str) or mode in PADS:
        return None
    return _told(f"pad() in the mode {mode!r}", "mode", f"one of {', '.join(PADS)}",
                 f'NotImplementedError "Unrecognised padding mode {mode}"')


def _randperm(arguments: Mapping[str, Any]) -> Mismatch | None:
    count = arguments.get("n")
    return _told(f"torch.randperm of {count} numbers", "n", "int(...) of it",
                 "TypeError \"randperm(): argument 'n' (position 1) must be int, not float\"") \
        if isinstance(count, float) else None


def _pad_sequence(arguments: Mapping[str, Any]) -> Mismatch | None:
    """torch/nn/utils/rnn.py: pad_sequence"""
    given = arguments.get("sequences")
    row = given[0] if isinstance(given, list | tuple) and given else None
    if not isinstance(row, list | tuple) or not all(isinstance(one, int | float) for one in row):
        return None
    return _told("pad_sequence is given lists, not tensors", "sequences", "torch.tensor(...) of each of them",
                 'TypeError "expected Tensor as element 0 in argument 0, but got list" or RuntimeError')


def _tensor(arguments: Mapping[str, Any]) -> Mismatch | None:
    """torch/csrc/utils/tensor_new.cpp: infer_scalar_type"""
    first = arguments.get("data")
    depth = 0
    while isinstance(first, list | tuple) and first:
        first, depth = first[0], depth + 1
    if not isinstance(first, str) or not depth:
        return None
    return Mismatch(Problem.DTYPE, f"torch.tensor() of texts, the first of them {first!r}"[:120], argument="data",
                    help="numbers: int(...) or float(...) of each, or their places in a list of all texts",
                    error='ValueError "too many dimensions \'str\'"')


def _cross_entropy(arguments: Mapping[str, Any]) -> Mismatch | None:
    """torch/nn/functional.py: cross_entropy"""
    target, weight = arguments.get("target"), arguments.get("weight")
    if isinstance(weight, list | tuple) and isinstance(target, Tensor):
        kind = type(weight).__name__
        return _told(f"weight is a {kind}, not a tensor", "weight", "torch.tensor(...) of it",
                     f"TypeError \"argument 'weight' (position 3) must be Tensor, not {kind}\"")
    if not isinstance(arguments.get("input"), Tensor) or not isinstance(target, int | float | list | tuple):
        return None
    kind = type(target).__name__
    return _told(f"the target is {'an' if kind == 'int' else 'a'} {kind}, not a tensor", "target",
                 "torch.tensor(...) of it", f"TypeError \"argument 'target' (position 2) must be Tensor, not {kind}\" "
                 "or AttributeError")


def _dropout(arguments: Mapping[str, Any]) -> Mismatch | None:
    """torch/nn/functional.py: dropout"""
    p = arguments.get("p")
    if not isinstance(p, int | float) or isinstance(p, bool) or 0 <= p <= 1:
        return None
    return _told(f"p is {p}, not a probability", "p", "p must lie between 0 and 1",
                 f'ValueError "dropout probability has to be between 0 and 1, but got {p}"')


PADS = ("constant", "reflect", "replicate", "circular")


def _joined(name: str) -> Any:
    def nothing(arguments: Mapping[str, Any]) -> Mismatch | None:
        """aten/src/ATen/native/TensorShape.cpp: cat, stack"""
        given = arguments.get("tensors")
        if isinstance(given, list | tuple) and given and isinstance(given[0], int | float):
            kind = type(given[0]).__name__
            return Mismatch(
                Problem.INVALID_ARGUMENT, f"torch.{name} is given a {kind}, {show(given[0])}, not tensors",
                argument="tensors", help="torch.tensor(...) of numbers",
                error=f'TypeError "expected Tensor as element 0 in argument 0, but got {kind}"')
        if given not in ([], ()):
            return None
        return Mismatch(Problem.INVALID_ARGUMENT, f"torch.{name} is given an empty list", argument="tensors",
                        help="nothing was appended to it", error=f'RuntimeError or ValueError "{EMPTY[name]}"',
                        facts=((EMPTIED, True),))

    return nothing


EMPTIED = "emptied"
"""A fact of what fails because nothing is in a list: it may be filled where that is not followed."""
EMPTY = {**dict.fromkeys(("cat", "concat", "concatenate"), "expected a non-empty list of Tensors"),
         **dict.fromkeys(("stack", "hstack", "vstack", "dstack"), "expects a non-empty TensorList")}
CHECKED = {**{name: _joined(name) for name in EMPTY}, "randint": _randint, "arange": _arange,
           "randperm": _randperm, "nn.functional.pad": _pad, "nn.utils.rnn.pad_sequence": _pad_sequence,
           "nn.functional.one_hot": _one_hot, "nn.functional.interpolate": _interpolate, "tensor": _tensor,
           **dict.fromkeys(("nn.functional.cross_entropy", "nn.functional.nll_loss"), _cross_entropy),
           "nn.functional.dropout": _dropout, "nn.functional.dropout2d": _dropout}


def _told(message: str, argument: str, help: str, error: str) -> Mismatch:
    return Mismatch(Problem.INVALID_ARGUMENT, message, help=help, error=error, argument=argument)
