"""Losses that a program calls itself: `loss_fn(y, y_pred)`, `keras.losses.mse(y, y_pred)`, what they tell and give."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import LossCalled, LossInfo, tensors
from cudnnlint.events.training import LOSS
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.frameworks.training.loss_names import CLASSES, FUNCTIONS
from cudnnlint.interp.attributes import method_of
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layers import LayerV, ObjectV, snake
from cudnnlint.interp.loops.kept import TAPES
from cudnnlint.interp.machine import Machine, assume, plain
from cudnnlint.interp.objects import MISSING, InstanceV
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import PARENTS, Call
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Shape, Step, Tensor, Unknown, Where
from cudnnlint.values.dim import FREE, Dim, may_equal, meet

for _name in CLASSES:
    PARENTS[f"keras.losses.{_name}"] = "keras.losses.Loss"
    PARENTS[f"tensorflow.losses.{_name}"] = "keras.losses.Loss"
for _name in ("auto", "none", "sum", "sum_over_batch_size"):  # tf_keras/src/utils/losses_utils.py: ReductionV2
    for _room in ("keras", "tensorflow"):
        FRAMEWORK.constant(f"{_room}.losses.Reduction.{_name.upper()}", _name)


class LossV(ObjectV):
    """A loss object of the library, which can be called."""

    def called(self, c: Call) -> Any:
        first = self.args[0] if self.args and self.path.endswith("Crossentropy") and "Focal" not in self.path else False
        given = self.kwargs.get("from_logits", first)
        info = LossInfo(name=snake(self.path.rpartition(".")[2]), from_logits=plain(given), span=self.span, made=True,
                        ignores=bool(self.kwargs.keys() & {"ignore_class", "**"}) or len(self.args) > 1)
        reduction = plain(self.kwargs.get("reduction", "auto"))
        if "**" not in self.kwargs and len(self.args) < 2:
            refuse_mean(c, self.path.rpartition(".")[2], reduction)
        return call_loss(c, info, "object", reduction)


OF_COMPILE = "a compiled loss"
"""In a machine's state: training computes the loss that compile() was given, for which Keras knows the other replicas
(tf_keras/src/engine/compile_utils.py: LossesContainer._get_loss_object, `_allow_sum_over_batch_size`)."""


def refuse_mean(c: Call, name: str, reduction: Any) -> None:
    """A loss object is called on a replica, and Keras 2 does not know how many samples the others have, by which it
    would divide (tf_keras/src/losses.py: Loss._get_reduction). The default strategy is none."""
    m = c.machine
    current = m.state.get("strategy")
    if current is None or not current.own or OF_COMPILE in m.state or m.stack.keras >= (3,) \
            or m.stack.tensorflow < (2,) or reduction not in ("auto", "sum_over_batch_size"):
        return
    refuse(m, c.span, Mismatch(
        Problem.INVALID_ARGUMENT, f"{name} is called on a replica of a strategy with reduction={reduction!r}",
        where=Where(keras="<3", tensorflow=">=2"),
        help='reduction="none", and the sum divided by the batch size of all replicas '
             "(tf.nn.compute_average_loss)",
        error='ValueError "Please use `tf.keras.losses.Reduction.SUM` or `tf.keras.losses.Reduction.NONE` for loss '
              'reduction"', argument="reduction"), what=name)


@FRAMEWORK.on(*(f"keras.losses.{name}" for name in CLASSES), *(f"tensorflow.losses.{name}" for name in CLASSES))
def make_loss(c: Call) -> Any:
    name = plain(c.callee).path.rpartition(".")[2]
    if (given := next((arg for arg in map(plain, c.args[:2]) if isinstance(arg, Tensor)), None)) is not None \
            and is_meant(c.machine):
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, f"{name} is made with tensors, {given}, which it takes where it is called",
            help=f"{name}()(y_true, y_pred), or keras.losses.{snake(name)}(y_true, y_pred)",
            error='ValueError "The truth value of an array with more than one element is ambiguous" or TypeError; or '
                  f"none, and what is made is the object {name}, no loss"), about=(given,), what=name)
    if plain(c.kwargs.get("reduction")) == "auto" and is_meant(c.machine):
        refuse(c.machine, c.span, Mismatch(
            Problem.INVALID_ARGUMENT, f'{name} is made with reduction="auto"', where=Where(keras=">=3"),
            help='leave it out, which is "sum_over_batch_size"', argument="reduction",
            error='ValueError "Invalid value for argument `reduction`."'), what=name)
    return LossV(f"keras.losses.{name}", tuple(c.args), dict(c.kwargs), c.span)


@FRAMEWORK.on(*(f"{room}.{name}" for name in FUNCTIONS for room in ("keras.losses", "keras.metrics")))
def loss_function(c: Call) -> Any:
    """A loss function gives one loss for each sample."""
    info = LossInfo(name=FUNCTIONS[plain(c.callee).path.rpartition(".")[2]],
                    from_logits=plain(c.get(2, "from_logits", False)), ignores="ignore_class" in c.kwargs)
    return call_loss(c, info, "function", None)


@FRAMEWORK.on(*(f"tensorflow.losses.{name}" for name in FUNCTIONS))
def tf_loss_function(c: Call) -> Any:
    """tf.losses is keras.losses from TensorFlow 2 on, and something else before."""
    return loss_function(c) if c.machine.stack.tensorflow >= (2,) else Unknown("tf.losses of TensorFlow 1")


@FRAMEWORK.on("keras.losses.Loss.__init__")
def init_loss(c: Call) -> Any:
    """`super().__init__(...)` of a loss class of the user's (keras/src/losses/loss.py: Loss.__init__)."""
    if isinstance(value := plain(c.receiver), InstanceV):
        position = 1 if c.machine.stack.keras >= (3,) else 0
        c.machine.set_item(value, "reduction", plain(c.get(position, "reduction", "auto")))
    return None


@FRAMEWORK.on("keras.losses.Loss.__call__")
def own_loss(c: Call) -> Any:
    """A loss class of the user's: its call(), reduced to a number (keras/src/losses/loss.py: Loss.__call__)."""
    value = plain(c.receiver)
    method = method_of(value, "call") if isinstance(value, InstanceV) else MISSING
    if method is MISSING:
        return Unknown("a loss that is not known")
    made = c.machine.call(method, [c.get(0, "y_true"), c.get(1, "y_pred")], {}, c.node)
    found: set[Any] = set()
    parents = tensors(strip(made, found))
    reduction = value.items.get("reduction", Unknown("reduction"))
    refuse_mean(c, value.cls.name, reduction)
    if not parents or not isinstance(reduction, str) or reduction == "none":
        return made if parents else Unknown("a loss that is not known")
    made = Step(c.span, parents[:1], "keras.ops.mean", ((parents[0],), {}))
    return assume(Tensor((), parents[0].dtype, "tf", None, made), frozenset(found))


def call_loss(c: Call, info: LossInfo, form: str, reduction: Any) -> Any:
    """Tell of the labels and predictions that a loss was called on; gives what it returns."""
    found: set[Any] = set()
    y, output = (strip(c.get(i, name), found) for i, name in enumerate(("y_true", "y_pred")))
    taken = frozenset(found)
    tell(c.machine, c.span, info, y, output, form, taken)
    given = tensors([output, y])
    if not isinstance(output, Tensor):
        return Unknown(f"{info.name or 'loss'} of unknown predictions")
    dtype = c.machine.state.get("floatx", "float32") if c.machine.stack.keras >= (3,) and form != "function" \
        else output.dtype
    step = Step(c.span, given, LOSS, ((info, output), {}))
    return assume(Tensor(shape(info.name, y, output, reduction), dtype, "tf", None, step), taken)


def tell(m: Machine, span: Span, losses: Any, y: Any, output: Any, form: str, taken: frozenset[Any]) -> None:
    """One LossCalled, if labels or predictions are known at all."""
    about = tensors([output, y])
    if about:
        maker = about[0].step.maker if about[0].step is not None else None
        m.say(LossCalled, span, about=about, assumptions=taken, losses=losses, y=y, output=output, form=form,
              layer=maker.info() if isinstance(maker, LayerV) else None, taped=bool(m.state.get(TAPES)))


def shape(name: str, y: Any, output: Tensor, reduction: Any) -> Any:
    """A scalar, or one loss for each sample and place where nothing is reduced."""
    if isinstance(reduction, str) and reduction.lower() != "none":
        return ()
    if isinstance(reduction, Unknown):
        return Unknown("reduction")
    o = output.shape
    if isinstance(o, Unknown) or not o:
        return Unknown("losses of each sample")
    if name.startswith("sparse_"):
        return Unknown("losses of each sample") if o[-1] == 1 else o[:-1]
    t = y.shape if isinstance(y, Tensor) else Unknown("labels")
    if isinstance(t, Unknown) or len(t) != len(o):
        return Unknown("losses of each sample")
    return _broadcast(t, o)[:-1]


def _broadcast(t: Shape, o: Shape) -> Shape:
    return tuple(_wider(a, b) for a, b in zip(t, o, strict=True))


def _wider(a: Dim, b: Dim) -> Dim:
    if a == 1 or b == 1:
        return b if a == 1 else a
    return meet(a, b) if may_equal(a, b) else FREE


__all__ = ["LossV", "call_loss", "shape", "tell"]
