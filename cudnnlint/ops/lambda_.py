"""Lambda: any function as a layer, followed where it can be, else trusted to its output_shape."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cudnnlint.ops.arith import as_dim, may_equal, meet
from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, layer
from cudnnlint.ops.windows import symbolic_dtype
from cudnnlint.ops.wrapped import PLAIN, each_tensor
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Shape, Stack, Symbol, Tensor, Unknown
from cudnnlint.values.dim import Dim


@record(frozen=True, slots=True)
class Lambda:
    """What `function(inputs, **arguments)` gives; where that is not known, (B, *output_shape).

    keras/src/layers/core/lambda_layer.py: Keras 3 builds on output_shape alone when it is given, Keras 2 never does.
    """

    function: Any
    output_shape: Any = None
    arguments: Any = None
    name: str = "Lambda"

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        if self.function is None or isinstance(self.function, PLAIN):
            yield Mismatch(Problem.INVALID_ARGUMENT, f"function of Lambda is {self.function}", argument="function",
                           help="pass a function of the input tensor", error='TypeError "unsupported callable"')

    def infer(self, call: LayerCall) -> Outcome:
        found = self._followed(call)
        if isinstance(found, Mismatch):
            return found
        declared = self._declared(call)
        if isinstance(found, Unknown):
            return declared if declared is not None and call.stack.keras >= (3,) else found
        if declared is not None and call.stack.keras >= (3,) and _symbolic(call.inputs):
            found = _reconciled(found, declared)
        labelled = call.stack.keras >= (3,) and _symbolic(call.inputs)  # constants that the function gives as well
        return each_tensor(found, lambda out: out.with_(
            dtype=call.policy.compute if labelled else symbolic_dtype(out, call), content=out.content))

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        return ()

    def _followed(self, call: LayerCall) -> Outcome:
        """The function itself on the inputs."""
        given = {} if self.arguments is None else self.arguments
        if not isinstance(given, dict) or not all(isinstance(name, str) for name in given):
            return Unknown("arguments of Lambda")
        out = call.apply(self.function, call.inputs, **given)
        return out if _is_structure(out) else Unknown("what the function returns")

    def _declared(self, call: LayerCall) -> Tensor | Unknown | None:
        """The tensor that output_shape promises; None when it promises nothing."""
        x = _first(call.inputs)
        wanted = self.output_shape
        if wanted is None or x is None:
            return None
        if isinstance(wanted, (list, tuple)):
            if not all(item is None or isinstance(item, int | Symbol | Unknown) for item in wanted):
                return Unknown("several output shapes")
            shape: Shape | Unknown = (_batch(x), *map(_extent, wanted))
        else:
            shape = self._computed(wanted, x, call)
        return x.with_(shape=shape, dtype=call.policy.compute)

    def _computed(self, function: Any, x: Tensor, call: LayerCall) -> Shape | Unknown:
        """output_shape as a function of the input shape."""
        if isinstance(function, (Unknown, *PLAIN)) or isinstance(x.shape, Unknown) or x is not call.inputs:
            return Unknown("output_shape")
        given = call.apply(function, tuple(None if isinstance(size, Symbol) else size for size in x.shape))
        shape = tuple(map(_extent, given)) if isinstance(given, (list, tuple)) else Unknown("output_shape")
        if isinstance(shape, tuple) and shape and isinstance(shape[0], Symbol) and isinstance(x.shape[0], Symbol):
            return (x.shape[0], *shape[1:])
        return shape


def _reconciled(found: Outcome, declared: Tensor | Unknown) -> Outcome:
    """Both the run's shape and the build's; Unknown where they contradict each other."""
    if isinstance(declared, Unknown) or not isinstance(found, Tensor):
        return Unknown("output_shape and function") if isinstance(declared, Tensor) else declared
    a, b = found.shape, declared.shape
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return declared if isinstance(a, Unknown) else found
    if len(a) != len(b) or not all(map(may_equal, a, b)):
        return Unknown("output_shape is not what the function returns")
    return found.with_(shape=tuple(map(meet, b, a)))


def _extent(value: Any) -> Dim:
    size = as_dim(value)
    return Unknown("a negative extent in output_shape") if isinstance(size, int) and size < 0 else size


def _batch(x: Tensor) -> Dim:
    return x.shape[0] if isinstance(x.shape, tuple) and x.shape else Unknown("batch")


def _symbolic(inputs: Any) -> bool:
    x = _first(inputs)
    return x is not None and x.kind == "keras"


def _first(structure: Any) -> Tensor | None:
    if isinstance(structure, Tensor):
        return structure
    items = structure.values() if isinstance(structure, dict) else structure
    found = (_first(item) for item in items) if isinstance(structure, (list, tuple, dict)) else ()
    return next((tensor for tensor in found if tensor is not None), None)


def _is_structure(out: Any) -> bool:
    """Tensors, or lists, tuples and dicts of them."""
    if isinstance(out, (list, tuple)):
        return bool(out) and all(map(_is_structure, out))
    if isinstance(out, dict):
        return bool(out) and all(map(_is_structure, out.values()))
    return isinstance(out, Tensor | Unknown | Mismatch)


@layer("keras.layers.Lambda")
def lambda_(function: Any, output_shape: Any = None, mask: Any = None, arguments: Any = None) -> Lambda:
    return Lambda(function, output_shape, arguments)
