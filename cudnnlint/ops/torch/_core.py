"""What every PyTorch op shares: unbatched inputs, dtypes, and how its errors read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.ops.arith import as_dim, is_known
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight
from cudnnlint.records import record
from cudnnlint.values import Assumption, Dim, DType, Mismatch, Problem, Shape, Stack, Tensor, Unknown

NAMES = {"float32": "float", "float64": "double", "float16": "Half", "bfloat16": "BFloat16", "int64": "long",
         "int32": "int", "int16": "short", "int8": "signed char", "uint8": "unsigned char", "bool": "bool"}
"""What C++ calls a dtype, as error messages do (c10/core/ScalarType.h)."""


class Module:
    """Base of modules with one tensor in; they are made with their weights and take inputs as they are."""

    __slots__ = ()

    def check(self, stack: Stack) -> Any:
        return ()

    def infer(self, call: LayerCall) -> Outcome:
        x = call.inputs
        if isinstance(x, (Tensor, Unknown)):
            return self.output(x, call) if isinstance(x, Tensor) else self.blind(x)
        return Unknown("the input is not a tensor")

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        return self.variables()

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        raise NotImplementedError

    def blind(self, why: Unknown) -> Outcome:
        """The output for an input of which nothing is known."""
        return self.output(Tensor(why, Unknown("dtype of an unknown input"), "torch"), LayerCall(why))

    def variables(self) -> tuple[Weight, ...] | Unknown:
        return ()


@record(frozen=True, slots=True)
class Parts:
    """A shape taken apart: (N, C, *spatial), or (C, *spatial) without a batch (`batch` empty)."""

    batch: Shape
    channel: Dim
    spatial: Shape

    def shape(self, channel: Dim, spatial: Shape) -> Shape:
        return (*self.batch, channel, *spatial)


def parts(x: Tensor, rank: int) -> Parts:
    """`x` by axis for `rank` spatial ones; of an unknown rank is taken that it has a batch axis (`assumed`)."""
    if isinstance(x.shape, Unknown):
        unknown = x.shape if x.shape.why else Unknown("shape of the input")
        return Parts((unknown,), unknown, (unknown,) * rank)
    return Parts(x.shape[:-rank - 1], x.shape[-rank - 1], x.shape[len(x.shape) - rank:])


def assumed(x: Tensor, name: str, rank: int, shape: Shape, dtype: DType | None = None) -> Tensor:
    """The result of a module that takes batches or single samples, for an input whose rank may be open."""
    found = x.dtype if dtype is None else dtype
    if not isinstance(x.shape, Unknown):
        return x.with_(shape=shape, dtype=found)
    text = f"the input of {name} has {rank} axes, the batch axis among them"
    return x.with_(shape=shape, dtype=found, assumptions=x.assumptions | {Assumption(text)})


def rank_problem(x: Tensor, ranks: tuple[int, ...], name: str, error: str) -> Mismatch | None:
    """The Mismatch of a module whose input must have one of `ranks` axes."""
    if x.rank is None or x.rank in ranks:
        return None
    wanted = " or ".join(map(str, ranks))
    hint = "one sample needs a batch axis, x.unsqueeze(0)" if x.rank == ranks[0] - 1 else ""
    return Mismatch(Problem.RANK, f"{name} needs {wanted} axes, its input has {x.rank}: {x}", help=hint, error=error,
                    facts=(("expected", ranks[-1]), ("actual", x.rank)))


def size(shape: Shape) -> str:
    """A shape as torch prints it in messages: [1, 3, 8, 8]."""
    return "[" + ", ".join(str(dim) if isinstance(dim, int) else "..." for dim in shape) + "]"


def by(extents: Any) -> str:
    """`2 x 9`."""
    return " x ".join(str(extent) if isinstance(extent, int) else "..." for extent in extents)


def torch_size(shape: Shape) -> str:
    return f"torch.Size({size(shape)})"


def dtype_of(value: Any, default: DType = "float32") -> DType:
    """The dtype that an argument `dtype=` names.

    >>> dtype_of(None), dtype_of("int64")
    ('float32', 'int64')
    """
    return as_dtype(value, default, "torch")


def dtype_problem(x: Tensor, weight: Any, other: str = "bias") -> Mismatch | None:
    """A convolution's input must have the dtype of its weights (aten/src/ATen/native/Convolution.cpp)."""
    names = {**NAMES, "complex64": "c10::complex<float>", "complex128": "c10::complex<double>"}
    if isinstance(x.dtype, Unknown) or not isinstance(weight, str) or x.dtype == weight \
            or not {x.dtype, weight} <= names.keys():
        return None
    floating = x.dtype.startswith(("float", "bfloat", "complex"))
    error = f'RuntimeError "Input type ({names[x.dtype]}) and {other} type ({names[weight]}) should be the same"'
    return Mismatch(Problem.DTYPE if floating else Problem.INTEGER_INPUT,
                    f"input of dtype {x.dtype}, weights of dtype {weight}", error=error,
                    help="x.abs(), or torch.view_as_real(x)" if x.dtype.startswith("complex") else "x.float()"
                    if weight == "float32" else f"x.to(torch.{weight})", facts=(("dtype", x.dtype),))


def whole(value: Any) -> Dim:
    """A number: a bool counts as the one that it is, None and floats as unknown."""
    if isinstance(value, bool):
        return int(value)
    return Unknown("not a whole number") if value is None or isinstance(value, float) else as_dim(value)


def count(value: Any) -> Dim:
    """A number of channels or features; a negative one is refused where it is given."""
    found = whole(value)
    return Unknown("a negative number") if isinstance(found, int) and found < 0 else found


def late(wrong: Mismatch | None, lazy: bool) -> Mismatch | None:
    """The same of a lazy module, which makes its weights when it is first called."""
    return replace(wrong, facts=(*wrong.facts, ("moment", "when it is first called"))) if wrong and lazy else wrong


def negative(name: str, value: Any, shape: str = "...") -> Mismatch | None:
    """A weight tensor cannot be made with a negative extent, nor with one that is no integer."""
    if isinstance(value, float):
        return Mismatch(Problem.INVALID_ARGUMENT, f"{name} is {value}, not an integer", argument=name,
                        help="use // where / divides two integers",
                        error="TypeError \"empty(): argument 'size' must be tuple of ints, but found element of type "
                              'float" or "type must be tuple of ints,but got float"')
    if isinstance(value, str):
        return Mismatch(Problem.INVALID_ARGUMENT, f"{name} is the text {value!r}, not an integer", argument=name,
                        help="make it one with int()", error="TypeError \"must be tuple of ints, but found element of "
                        "type str\" or \"type must be tuple of ints,but got str\" or \"not all arguments converted\"")
    if isinstance(value, (tuple, list, dict)):
        return _several(name, value)
    if is_known(value) and value < 0:
        return Mismatch(Problem.NON_POSITIVE, f"{name} is {value}", argument=name, help=f"{name} must be positive",
                        error=f'RuntimeError "Trying to create tensor with negative dimension {value}: [{shape}]"')
    return None


def _several(name: str, value: Any) -> Mismatch:
    """A shape, or a configuration, where one number is asked for: `nn.Linear(x.shape, 10)`."""
    kind = type(value).__name__
    return Mismatch(Problem.INVALID_ARGUMENT, f"{name} is a {kind}, not an integer", argument=name,
                    help="x.shape[-1] is one extent of a shape" if kind == "tuple" else "give one number of it",
                    error=f"TypeError \"type must be tuple of ints,but got {kind}\", \"must be tuple of ints, but "
                          f"found element of type {kind}\" or \"unsupported operand type(s) for %: '{kind}' and "
                          "'int'\"")


def not_whole(name: str, value: Any) -> Mismatch | None:
    """A float among the numbers of a window (torch/csrc/utils/python_arg_parser.cpp: "tuple of ints")."""
    given = value if isinstance(value, (tuple, list)) else (value,)
    if not any(isinstance(one, float) for one in given):
        return None
    return Mismatch(Problem.INVALID_ARGUMENT, f"{name} is {shown(value)}, not an integer", argument=name,
                    help="use // where / divides two integers",
                    error='TypeError "received an invalid combination of arguments", "must be tuple of ints" or "must '
                          'be int, not float"')


def spread(value: Any, rank: int) -> tuple[Dim, ...]:
    """One number for each axis; what is no number of that length is unknown.

    >>> spread(3, 2), spread((1, 2), 2), spread([1], 2)
    ((3, 3), (1, 2), (1, 1))
    """
    if isinstance(value, (list, tuple)):
        if len(value) == 1:
            value = value[0]
        elif len(value) == rank:
            return tuple(map(whole, value))
        else:
            return (Unknown(f"not {rank} numbers"),) * rank
    return (whole(value),) * rank


def shown(value: Any) -> str:
    """An argument in a message: a number, or (3, 5)."""
    if isinstance(value, (list, tuple)):
        return "(" + ", ".join(map(shown, value)) + ")"
    return f'"{value}"' if isinstance(value, str) else str(value)
