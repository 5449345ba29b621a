"""Layers and functions: made, applied, refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from cudnnlint.events.base import Event
from cudnnlint.finding import Label
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.trace import newest
from cudnnlint.values import Mismatch, Tensor, Unknown
from cudnnlint.values.dim import Dim


@record(frozen=True, slots=True, kw_only=True)
class LayerInfo:
    """A layer as rules see it.

    path       canonical class path, "keras.layers.Conv2D"; "" for a class of the user's
    name       display name, "Conv2D"
    span       the constructor call
    arguments  bound constructor arguments by parameter name (raw values, Tensors, Unknown); defaults included
    given      names of the arguments the user wrote
    variable   dtype of its variables, or Unknown
    positional how many arguments were given by position
    twice      whether its second and third argument by position are one variable, given twice
    base       arguments that every layer takes, as the user wrote them: dtype, name, input_shape
    compute    dtype that it computes in, or Unknown
    derives    canonical path of the library's class that a class of the user's derives from
    """

    path: str
    name: str
    span: Span
    arguments: Mapping[str, Any] = field(default_factory=dict)
    given: frozenset[str] = frozenset()
    op: Any = None
    variable: Any = "float32"
    positional: int = 0
    twice: bool = False
    base: Mapping[str, Any] = field(default_factory=dict)
    compute: Any = "float32"
    derives: str = ""


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class LayerCreated(Event):
    """A layer's constructor ran; `hidden` is where the program hid all GPUs before, if it certainly did."""

    layer: LayerInfo
    hidden: Span | None = None


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class LayerApplied(Event):
    """A layer accepted its inputs. `span` is the application (the constructor in a Sequential).

    eager  real tensors flow (a call on data, fit), not symbolic ones
    fixed  eager, and the batch is the one that this very call brings, not one of those of fit() or a pipeline; never
           of those that a model which was built before is made of
    phase  "symbolic" (keras.Input, Sequential, functional), "eager" (real tensors), "call" (inside a subclass' call)
    maker  what was applied: the same object each time the same layer is; not for rules
    fed    where the outermost layer or model of the user's was given its tensors that is being followed, and these
    around "tape" or "graph": what records, or traces, the call of a model
    tested the functions under way tested something before that the analysis does not know
    number counts the applications of one analysis in the order in which they begin
    within the numbers of the applications that were under way, outermost first
    asked  only for the shapes that it gives: Keras 3 does not call the layers of a model that is called on symbolic
           tensors of other shapes (keras/src/ops/function.py: Function.compute_output_spec)
    hypothetical  within a layer of the user's with a compute_output_shape() of its own, which Keras 3 asks instead of
           its call() while a model is built
    """

    layer: LayerInfo
    inputs: Any
    output: Any
    phase: str = "symbolic"
    eager: bool = False
    fixed: bool = False
    training: Any = None
    params: Dim = Unknown()
    maker: Any = None
    fed: tuple[Span, tuple[Tensor, ...]] | None = None
    around: str = ""
    tested: bool = False
    number: int = 0
    within: tuple[int, ...] = ()
    asked: bool = False
    hypothetical: bool = False


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class LayerFed(Event):
    """A layer of a model that was built for open extents, or other ones, gets what fit() and its kin bring; not for
    rules."""

    applied: LayerApplied


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Rejected(Event):
    """A layer (constructor or application) or function certainly fails on `stack`.

    what   display name of the layer or function, "Conv2D", "tf.concat"
    layer  the layer, or None for a function
    stage  "constructor" or "call"
    path   canonical path of a function, "tensorflow.concat"
    args   what a function was given by position, or a layer besides its inputs; kwargs by name
    before inputs of the layer's first application, if it was applied before
    """

    what: str
    mismatch: Mismatch
    inputs: Any = None
    layer: LayerInfo | None = None
    stage: str = "call"
    path: str = ""
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    before: Any = None

    @property
    def trace(self) -> tuple[Label, ...]:
        """Where the input was made on the very lines that are pointed at, these tell of it."""
        last = newest(self.about) if self.stage == "call" else None
        at = {(span.path, span.line) for span in (self.span, self.applied_at) if span is not None}
        return self._traced(f"gets {last.text}" if last is not None and (last.span.path, last.span.line) in at else "")


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RejectedBefore(Event):
    """What is accepted was refused by an older stack, which it may be as well: `rejected` is about that one."""

    mismatch: Mismatch
    rejected: Rejected


@record(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class FunctionApplied(Event):
    """A registered function (tf.nn.conv2d, np.concatenate, ...) accepted its arguments.

    taped   a GradientTape is open: gradients are taken of it
    """

    path: str
    arguments: Mapping[str, Any]
    output: Any
    taped: bool = False
