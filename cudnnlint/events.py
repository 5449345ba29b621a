"""What happened while the program was followed: all that a rule ever sees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cudnnlint.finding import Finding, Label
from cudnnlint.source import Span
from cudnnlint.trace import assumption_texts, provenance
from cudnnlint.values import Mismatch, Stack, Tensor, Unknown, Where
from cudnnlint.values.assumption import NONE, Assumptions
from cudnnlint.values.dim import Dim
from cudnnlint.values.tensor import Shape
from cudnnlint.values.tensor import first_tensor as first_tensor  # noqa: PLC0414 - those who read events import
from cudnnlint.values.tensor import tensors as tensors  # noqa: PLC0414 - both from here


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Common to all.

    span         where the user can act
    stack        the versions the verdict is about
    about        the tensors involved (a structure): where the provenance comes from
    control      assumptions that the event rests on besides those of `about`
    calls        the user's calls under way, outermost first
    applied_at   where it happened, when that is not `span`
    uncalled     it happened in a function that nothing calls, followed with open parameters
    """

    span: Span
    stack: Stack
    about: Any = ()
    control: Assumptions = NONE
    calls: tuple[Span, ...] = ()
    applied_at: Span | None = None
    uncalled: bool = False

    @property
    def trace(self) -> tuple[Label, ...]:
        """The provenance of the values involved, oldest first, each step with its inferred shape."""
        labels = provenance(self.about, self.span)
        if self.applied_at is None:
            return labels
        here = Label(self.applied_at, "applied here")
        return (*(label for label in labels if label.span.line != self.applied_at.line), here)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """Defaults that the event rests on, as text."""
        return assumption_texts(self.about, self.control)

    def finding(self, message: str, **more: Any) -> Finding:
        """A finding here, with this event's provenance."""
        more.setdefault("span", self.span)
        more.setdefault("trace", self.trace)
        return Finding(message=message, calls=self.calls, assumptions=self.assumptions, **more)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerInfo:
    """A layer as rules see it.

    path       canonical class path, "keras.layers.Conv2D"; "" for a class of the user's
    name       display name, "Conv2D"
    span       the constructor call
    arguments  bound constructor arguments by parameter name (raw values, Tensors, Unknown); defaults included
    given      names of the arguments the user wrote
    variable   dtype of its variables, or Unknown
    positional how many arguments were given by position
    base       arguments that every layer takes, as the user wrote them: dtype, name, input_shape
    compute    dtype that it computes in, or Unknown
    """

    path: str
    name: str
    span: Span
    arguments: Mapping[str, Any] = field(default_factory=dict)
    given: frozenset[str] = frozenset()
    op: Any = None
    variable: Any = "float32"
    positional: int = 0
    base: Mapping[str, Any] = field(default_factory=dict)
    compute: Any = "float32"


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerCreated(Event):
    """A layer's constructor ran; `hidden` is where the program hid all GPUs before, if it certainly did."""

    layer: LayerInfo
    hidden: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerApplied(Event):
    """A layer accepted its inputs. `span` is the application (the constructor in a Sequential).

    eager  real tensors flow (a call on data, fit), not symbolic ones
    fixed  eager, and the batch is the one that this very call brings, not one of those of fit() or a pipeline; never
           of a model, which takes batches of any size
    phase  "symbolic" (keras.Input, Sequential, functional), "eager" (real tensors), "call" (inside a subclass' call)
    maker  what was applied: the same object each time the same layer is; not for rules
    fed    where the outermost layer or model of the user's was given its tensors that is being followed, and these
    tested the functions under way tested something before that the analysis does not know
    number counts the applications of one analysis in the order in which they begin
    within the numbers of the applications that were under way, outermost first
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
    tested: bool = False
    number: int = 0
    within: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionApplied(Event):
    """A registered function (tf.nn.conv2d, np.concatenate, ...) accepted its arguments."""

    path: str
    arguments: Mapping[str, Any]
    output: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class LossInfo:
    """One loss: `name` in snake case ("sparse_categorical_crossentropy"), "" when it is the user's own or unknown.

    ignores  it was made with an `ignore_class`, or may have been; `made`: the call at `span` made it, an object
    """

    name: str
    from_logits: Any = False
    span: Span | None = None
    ignores: bool = False
    made: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelView:
    """A model as rules see it.

    kind       "functional", "sequential" or "subclassed"
    inputs     structure of its declared input Tensors; None when it declares none (deferred, subclassed)
    outputs    structure of its output Tensors for one batch, or Unknown
    losses     LossInfo, or a list/dict of them per output; None before compile() or with a custom train_step
    compiled   bound arguments of compile() (optimizer, metrics, jit_compile ...), or None when not known
    layer      span of the layer that made the first output: where a wrong width or activation is written
    replicas   number of replicas of the strategy it was made under: 1, a number or Unknown
    towers     the replicas are those of multi_gpu_model(), which nothing keeps from running on no rows
    policy     the dtype policy that all its layers have, or Unknown: the layers tell it one by one (LayerApplied)
    """

    kind: str
    name: str
    span: Span
    inputs: Any = None
    outputs: Any = Unknown()
    losses: Any = None
    compiled: Mapping[str, Any] | None = None
    layer: LayerInfo | None = None
    replicas: Any = 1
    towers: bool = False
    policy: Any = Unknown()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelBuilt(Event):
    """A functional model was made, or a sequential one that declares its inputs is run: `applied` is the model as one
    layer from its inputs to its outputs.
    """

    applied: LayerApplied


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelMade(Event):
    """A sequential or subclassed model was made; its layers may come later. `model` is the object; not for rules."""

    model: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAsked(Event):
    """The command line asks for one model: what happened before this is not what it asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCompiled(Event):
    """compile() was called; `arguments` are its bound arguments."""

    model: ModelView
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Differing:
    """Two shapes that a component of a dataset's elements takes.

    origin  what yields elements of several sizes: a generator, a data set of photos, decoded files
    seen    the program itself shows these two; else they stand for any two sizes
    """

    shapes: tuple[Shape, Shape]
    origin: str
    span: Span
    seen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetBatched(Event):
    """`Dataset.batch(batch_size)`: `rows` is the cardinality before; `differing` the shapes of two elements if those
    that are batched certainly differ in size, and where they come from."""

    batch_size: Dim
    rows: Any
    drop_remainder: Any
    differing: Differing | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetMade(Event):
    """Arrays became a dataset as they are (`from_tensor_slices`, `from_tensors`): `arrays` is their structure,
    `device` where the program said that they go, "" if it did not, Unknown if that is not known."""

    arrays: Any
    device: Any = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetBuffered(Event):
    """A dataset keeps elements in memory: `count` of them, each like `element`, whose batches have `batch_size` rows.

    what  "shuffle" or "cache"
    """

    what: str
    element: Any
    count: Any
    batch_size: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Data:
    """What a training call is fed.

    x, y, weights  structures (Tensor, tuple, list, dict) of *one batch*: batch axis first, a number,
                   BATCH or Unknown; None where not given; Unknown where not known
    kind           "arrays", "dataset", "generator", "sequence", "batch" (what one step of a custom loop is given)
                   or "unknown"
    rows           number of samples for arrays (before validation_split); for the rest Unknown
    batches        number of batches in one pass: int, INFINITE or Unknown
    batched        False for a tf.data.Dataset that was never batched; Unknown when not known
    span           where the data came from, if known
    element        the batch as train_step() is given it: the tuple that a dataset's element is, say
    full           rows of the first batch of a dataset, as far as batch() says them
    shuffled       False for a dataset of arrays that was never shuffled; Unknown where not known
    padded         where rows of different lengths were padded to the longest of their batch
    last, batching rows of a dataset's last batch if it has fewer than the others, and the call of batch()
    """

    x: Any = Unknown()
    y: Any = Unknown()
    weights: Any = None
    kind: str = "unknown"
    rows: Dim = Unknown()
    batches: Any = Unknown()
    batched: Any = Unknown()
    span: Span | None = None
    element: Any = Unknown()
    full: Dim = Unknown()
    shuffled: Any = Unknown()
    padded: Span | None = None
    last: Dim = Unknown()
    batching: Span | None = None


INFINITE = "infinite"
"""Cardinality of an endless dataset or generator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingStarted(Event):
    """`fit`, `evaluate`, `predict`, `train_on_batch`, `test_on_batch`, `predict_on_batch` on a model, or a loop of
    the program's own: the place where an optimizer applies gradients to a model's variables, told once a loop.

    method     the method's name; "GradientTape" in a custom loop, "train_step" in one that fit() calls. Of those:
               `data` is one batch (of one replica, under a strategy), `model.outputs` what the model made of it,
               `model.losses` the loss that was called on it, `model.compiled["optimizer"]` the optimizer
    arguments  bound arguments of the call by parameter name; given: those the user wrote
    batch_size effective rows per batch (the default 32 applied for arrays), or Unknown
    memory     gives a memory.estimate.Estimate of one step when it is called, during the event only, with a batch
               size or None for the program's own; None where there is no model
    """

    method: str
    model: ModelView
    data: Data
    batch_size: Dim = Unknown()
    steps_per_epoch: Any = None
    arguments: Mapping[str, Any] = field(default_factory=dict)
    given: frozenset[str] = frozenset()
    validation: Data | None = None
    memory: Callable[..., Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LossCalled(Event):
    """A loss was called on labels and predictions: `loss_fn(y, y_pred)`.

    losses  LossInfo; for what compile() was given also a list or dict of them
    form    "object", "function", or "fit" for what compile() was given (`self.compute_loss(...)`)
    layer   the layer that made the predictions, if one did
    """

    losses: Any
    y: Any
    output: Any
    form: str
    layer: LayerInfo | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceConfigured(Event):
    """A GPU's memory is set up by tf.config.

    what     "memory_growth" or "logical_devices"
    value    whether memory is to grow, for the former
    started  what certainly made TensorFlow take hold of the GPUs before, or None
    limited  where this GPU certainly was given logical devices before, or None
    """

    what: str
    value: Any = None
    started: Span | None = None
    limited: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyMisplaced(Event):
    """A dtype policy is given where it has no effect.

    policy  its name
    cause   "late": a model is trained (`used`) that has `early` layers of the policy before, of `layers` in all, the
            first made at `made`; "options": it is given to tf.config.optimizer, as an object or as `text`
    """

    policy: str
    cause: str
    early: int = 0
    layers: int = 0
    made: Span | None = None
    used: Span | None = None
    text: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopesMixed(Event):
    """A model that is trained was made, compiled and trained partly inside and partly outside of a strategy's scope.

    made, compiled, trained  whether inside; `compiled` None where that is not known
    compiled_at, trained_at  where
    """

    made: bool
    compiled: bool | None
    trained: bool
    trained_at: Span
    compiled_at: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerMadeInside(Event):
    """A layer is made and gets its variables inside of what is traced or run for each batch.

    owner      the class whose call() it is, or the name of the tf.function
    method     "call", or "" for a tf.function
    attribute  the attribute that it is kept in, or ""
    """

    layer: LayerInfo
    owner: str
    method: str
    attribute: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthUneven(Event):
    """Memory growth is turned on for one GPU, that at `place`, and nowhere in the program for the others."""

    place: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopInfo:
    """A loop that Python runs.

    span   what it goes through, or the condition of a while loop
    turns  how many it takes, or Unknown
    over   "dataset", "range", "items" or, for a while loop, ""
    """

    span: Span
    turns: Any = Unknown()
    over: str = "items"


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated(Event):
    """What a loop does in each of its turns, or in several, and a program does once; `span` is where.

    loop   the innermost loop that does it
    turns  how many turns that makes in all, those of the loops around it included, or Unknown
    """

    loop: LoopInfo
    turns: Any = Unknown()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRebuilt(Repeated):
    """Each turn makes a model and trains or runs it: `used` is where, `method` how (see TrainingStarted)."""

    method: str
    used: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionTraced(Repeated):
    """Each turn calls a tf.function with what makes TensorFlow trace it again; for an argument, `turns` are the
    values that it takes.

    name      the function's
    cause     "number", "text" or "shape" for an argument that differs; "made" for a function that is made there
    argument  the parameter's name
    values    what it was in two turns, where that is known
    made      where the function is made
    """

    name: str
    cause: str
    argument: str = ""
    values: tuple[Any, ...] = ()
    made: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphGrown(Repeated):
    """A loop in which a session runs (`ran`) adds operations to its graph: `what` first, and `more` besides."""

    what: str
    more: int
    ran: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictedInLoop(Repeated):
    """Each turn calls predict() on `rows` rows, which are one batch."""

    rows: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopTaped(Repeated):
    """A loop applies a model to one batch of its data after the other (`used`) under one tape, made at `span`."""

    used: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorsKept(Repeated):
    """Each turn adds a model's outputs, or what was computed from them, to a list that is older than the loop.

    loops  all loops that the list is older than, outermost first
    alone  what is added is this tensor itself
    """

    tensor: Tensor
    loops: tuple[LoopInfo, ...] = ()
    alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiChanged(Event):
    """The program uses what the library at hand does not have, or takes without effect.

    what      "name", "method", "argument" (not taken) or "ignored" (an argument without effect)
    name      the dotted name, or that of the callable whose argument it is
    exists    the stacks on which it exists, or has an effect
    imported  by an import statement
    """

    what: str
    name: str
    argument: str = ""
    exists: Where = Where()
    instead: str = ""
    imported: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphKept(Repeated):
    """Each turn adds a PyTorch tensor, with the graph that it was computed by, to what is older than the loop.

    form     "list" or "sum"
    trained  backward() went through that graph in the loop; else the modules are in evaluation mode
    """

    tensor: Tensor
    form: str
    trained: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RequirementsClash(Event):
    """Two requirements of a project cannot both be met; `span` is the one that gives way, `trace` shows the other.

    what     "package" (another version is required), "cuda" (a wheel of NVIDIA's, which the extra and-cuda requires),
             "cudnn" (TensorFlow without the extra was built for another cuDNN), "python" (no wheel for it),
             "cpu" (wheels of NVIDIA's beside a TensorFlow that does not look for them), "removed" (a package that
             refuses to be installed)
    asked    as the user wrote it, "nvidia-cudnn-cu12==9.1.0.70"
    by       the requirement that clashes with it, "tensorflow[and-cuda]==2.16.1"
    release  the newest release that `by` allows, "tensorflow 2.16.1"
    wanted   what that release wants, "nvidia-cudnn-cu12==8.9.7.29", or "Python 3.9 to 3.12"
    """

    what: str
    asked: str
    by: str = ""
    by_span: Span | None = None
    release: str = ""
    wanted: str = ""

    @property
    def trace(self) -> tuple[Label, ...]:
        return () if self.by_span is None else (Label(self.by_span, "required here"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundHit(Event):
    """The analysis gave up on a part: what, for `--verbose`."""

    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Crashed(Event):
    """Our own op or handler raised; becomes CUD900."""

    where: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceBroken(Event):
    """A file, or a notebook's cell, cannot be read as Python; becomes CUD901."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleFinished(Event):
    path: str
    steps: int = 0
