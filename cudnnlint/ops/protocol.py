"""What a layer or a function is to the interpreter, and the registry of their spellings.

A layer family is one file: frozen records with `check`, `infer` and `weights`, and under them the
spellings, functions with the library's real signature that build them:

    @layer("keras.layers.Dense")
    def dense(units, activation=None, use_bias=True, ...) -> LayerOp

A plain function (`tf.concat`) is `@function("tensorflow.concat", "keras.ops.concatenate")` over abstract
values. Arguments arrive as raw Python values (int, str, tuple, list, dict, None ...), Tensor, Unknown, or
values that an op only passes on (layers, callables). They never arrive as `Assumed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from typing import Any, ClassVar, Protocol, runtime_checkable

from cudnnlint.ops.table import Table
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Stack, Tensor, Unknown
from cudnnlint.values.mismatch import Problem
from cudnnlint.values.tensor import Shape

Outcome = Any
"""Tensor, a tuple/list/dict of Tensors, Unknown or Mismatch."""


@record(frozen=True, slots=True)
class Weight:
    """One variable of a layer; `shape` may hold Unknown extents.

    `step` is how the tensor that stands for it came to be: the same for whoever else holds it.
    """

    name: str
    shape: Shape
    trainable: bool = True
    dtype: str = ""
    step: Any = field(default=None, compare=False, repr=False)


@record(frozen=True, slots=True)
class Policy:
    """A Keras dtype policy: what a layer computes in and keeps its variables in."""

    compute: str = "float32"
    variable: str = "float32"


def _cannot_apply(callee: Any, *args: Any, **kwargs: Any) -> Any:
    return Unknown("nested call")


def _no_attribute(value: Any, name: str) -> Any:
    return Unknown(f"attribute {name}")


def _cannot_weigh(callee: Any, *args: Any) -> Any:
    return Unknown("nested weights")


@record(frozen=True, slots=True)
class LayerCall:
    """One application of a layer.

    inputs   first positional argument: a Tensor, or a tuple/list/dict of them
    args     further positional arguments; kwargs the keyword ones (mask=, training=, initial_state=, value=)
    apply    calls any callable value (a wrapped layer, a Lambda's function) on abstract arguments
    weigh    the weights of a wrapped layer for the given inputs: tuple[Weight, ...] or Unknown
    attribute  an attribute of a wrapped object: attribute(cell, "state_size")
    policy   float inputs have already been cast to policy.compute
    built    whether the layer was called before: what build() refuses is refused once
    traced   within call() of a layer of the user's: the layer is run, and not asked for its compute_output_shape()
    """

    inputs: Any
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    policy: Policy = Policy()
    stack: Stack = Stack()
    apply: Callable[..., Any] = _cannot_apply
    weigh: Callable[..., Any] = _cannot_weigh
    attribute: Callable[[Any, str], Any] = _no_attribute
    built: bool = False
    traced: bool = False


@runtime_checkable
class LayerOp(Protocol):
    """A configured layer. All three methods are total: any argument may be Unknown."""

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        """What the constructor itself would reject, before any input is seen."""

    def infer(self, call: LayerCall) -> Outcome:
        """Output of one application; Mismatch if it certainly fails."""

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        """Variables created when built on `call.inputs`; of wrapped layers too."""


class SingleInput:
    """Base of layers with one tensor in: subclasses write `output(x, call)` and maybe `variables(x, call)`.

    stacks  whether a list of tensors, of images, is made one first
    """

    __slots__ = ()
    stacks: ClassVar[bool] = False

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        return ()

    def infer(self, call: LayerCall) -> Outcome:
        x = single(call.inputs)
        if self.stacks and isinstance(x, Mismatch):
            return Unknown("a list that is made one tensor")
        return self.output(x, call) if isinstance(x, Tensor) else x

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        x = single(call.inputs)
        if isinstance(x, Tensor):
            return self.variables(x, call)
        return x if isinstance(x, Unknown) else Unknown("inputs are not one tensor")

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        raise NotImplementedError

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        return ()


def single(inputs: Any) -> Any:
    """The one tensor of `inputs`, Unknown, or a Mismatch for several tensors."""
    if isinstance(inputs, (list, tuple)) and len(inputs) == 1:
        inputs = inputs[0]
    if isinstance(inputs, (Tensor, Unknown)):
        return inputs
    if isinstance(inputs, (list, tuple)) and inputs and all(isinstance(item, Tensor) for item in inputs):
        return Mismatch(Problem.INPUT_COUNT, f"expected 1 input tensor, received {len(inputs)}",
                        error=f'ValueError "expects 1 input(s), but it received {len(inputs)} input tensors"')
    return Unknown("inputs are not tensors")


BASE_ARGUMENTS: Mapping[str, str] = {
    "name": "", "dtype": "", "trainable": "", "autocast": "", "activity_regularizer": "",
    "input_shape": "", "input_dim": "",
    "batch_input_shape": "<3", "batch_size": "<3", "weights": "<3", "dynamic": "<3", "implementation": "<3",
}
"""What every layer's constructor takes -> the Keras versions that take it.

keras/src/layers/layer.py: Layer.__init__; tf_keras/src/engine/base_layer.py: Layer.__init__, allowed_kwargs.
No spelling lists them, but where another positional parameter follows (Dense's activity_regularizer).
"""

Builder = Callable[..., Any]


@record(frozen=True, slots=True)
class Spelling:
    """A public callable of a library: its signature is the builder's.

    versions   parameter -> version clause of the *stack's Keras* on which it exists, e.g. {"fused": "<3"};
               "" stands for the callable itself, e.g. {"": "<3"} for LocallyConnected1D;
               "fused=" says where it is taken by name only, though it stands among the positional ones
    own        the path under which the class has its own name: keras.layers.MaxPooling2D for MaxPool2D
    """

    path: str
    builder: Builder
    is_layer: bool
    versions: Mapping[str, str]
    own: str = ""


LAYERS = Table()
FUNCTIONS = Table()


def layer(*paths: str, versions: Mapping[str, str] | None = None) -> Callable[[Builder], Builder]:
    """Register a layer class by its canonical paths, its own name first (`keras.layers.Conv2D`,
    `keras.layers.Convolution2D`); those of PyTorch are classes of their own."""
    return _register(LAYERS, True, paths, versions)


def function(*paths: str, versions: Mapping[str, str] | None = None) -> Callable[[Builder], Builder]:
    """Register a function over abstract values by its canonical paths (`tensorflow.concat`)."""
    return _register(FUNCTIONS, False, paths, versions)


CALLED = {"keras.layers.GroupQueryAttention": "keras.layers.GroupedQueryAttention"}
"""A class that is exported under another name only (keras/src/layers/attention/grouped_query_attention.py)."""


def _register(table: Table, is_layer: bool, paths: tuple[str, ...],
              versions: Mapping[str, str] | None) -> Callable[[Builder], Builder]:
    def decorate(builder: Builder) -> Builder:
        for path in paths:
            shared = path.partition(".")[0] == paths[0].partition(".")[0] != "torch"
            own = paths[0] if shared else path
            table.add(Spelling(path, builder, is_layer, versions or {}, CALLED.get(own, own)))
        return builder

    return decorate
