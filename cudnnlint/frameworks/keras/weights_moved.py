"""Weights that go from one model to another: get_weights() to set_weights(), save_weights() to load_weights()."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from cudnnlint.frameworks.keras.endings import tell_of_loaded_name
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.frameworks.keras.unbuilt import is_open, is_unbuilt
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.parts import weights_of
from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.mistakes.indices import tell_of_index
from cudnnlint.interp.refusals import is_certain, of_line, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.ops.protocol import Weight
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import EVERYWHERE, Mismatch, Problem, Tensor, Unknown, Where, show
from cudnnlint.values.tensor import Shape, tensors

SAVED = "weights saved"


@record(frozen=True, slots=True)
class WeightsV:
    """What get_weights() gave: arrays of these shapes, in an order that is not followed."""

    shapes: tuple[Shape, ...]
    span: Span
    always_true: ClassVar[bool] = True
    counted: ClassVar[bool] = True

    def iterated(self, m: Machine) -> tuple[Tensor, ...]:
        return self._arrays()

    def length(self, m: Machine) -> Any:
        return len(self.shapes)

    def sample(self, m: Machine) -> Any:
        return Unknown("weights of a layer")

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        index = plain(key)
        if type(index) is int and not -len(self.shapes) <= index < len(self.shapes):
            tell_of_index(m, ListV([*self._arrays()]), index, assumptions_of(key), node)
        return Unknown("weights of a layer")

    def _arrays(self) -> tuple[Tensor, ...]:
        return tuple(Tensor(Unknown("weights in an order"), Unknown("dtype of weights"), "numpy") for _ in self.shapes)


def shapes_of(value: Any) -> tuple[Shape, ...] | None:
    """Of all variables; None where one of them is not known."""
    found: tuple[Weight, ...] | Unknown = weights_of(value)
    if isinstance(found, Unknown) or not all(isinstance(dim, int) for weight in found for dim in weight.shape):
        return None
    return tuple(weight.shape for weight in found)


@FRAMEWORK.on("keras.layers.Layer.get_weights")
def get_weights(c: Call) -> Any:
    """Of a model without weights yet Keras 3 gives an empty list (keras/src/layers/layer.py: Layer.get_weights), and
    Keras 2 nothing (tf_keras/src/engine/training.py: Model._assert_weights_created)."""
    if is_certain(c.machine) and is_open(plain(c.receiver)):
        refuse(c.machine, c.span, Mismatch(
            Problem.UNBUILT, "get_weights() of a model that does not know the shape of its input", help=BUILT,
            error='ValueError "Weights for model \'...\' have not yet been created"', where=Where(keras="<3")),
            what="Model.get_weights", stage="get_weights")
        return WeightsV((), c.span)
    shapes = shapes_of(c.receiver)
    return Unknown("weights of a layer") if shapes is None else WeightsV(shapes, c.span)


@FRAMEWORK.on("keras.layers.Layer.set_weights")
def set_weights(c: Call) -> Any:
    given, m = plain(c.get(0, "weights")), c.machine
    if m.trying or m.uncertain or not (wanted := shapes_of(c.receiver)):
        return None
    if (shapes := _shapes_given(given)) is None:
        if not isinstance(given, ListV) or given.unknown or len(given.items) == len(wanted):
            return None
        shapes = ((),) * len(given.items)  # arrays of any shape, of which there are too many or too few
    if told := difference(shapes, wanted):
        whose, help_ = (of_line(c.span, given.span), HELP if shapes else BUILT) if isinstance(given, WeightsV) \
            else ("", "a list of arrays, set_weights([x])" if isinstance(given, Tensor) else "")
        refuse(m, c.span, Mismatch(
            Problem.SET_WEIGHTS, f"the weights{whose} do not fit: {told}", help=help_,
            where=EVERYWHERE if shapes else Where(keras=">=3"),
            error='ValueError "Layer ... weight shape ... is not compatible with provided weight shape" or "with a '
                  'weight list of length"'), about=tensors(getattr(given, "items", ())), what="set_weights",
            stage="set_weights")
    return None


def _shapes_given(given: Any) -> tuple[Shape, ...] | None:
    """Of what get_weights() gave, of a list of arrays, or of an array, which Keras goes through as if it were one."""
    if isinstance(given, WeightsV):
        return given.shapes
    if isinstance(given, Tensor):
        return _rows(given)
    if not isinstance(given, ListV) or given.unknown:
        return None
    shapes = [item.shape for item in map(plain, given.items) if isinstance(item, Tensor)]
    found = tuple(shape for shape in shapes if isinstance(shape, tuple) and all(isinstance(dim, int) for dim in shape))
    return found if len(found) == len(given.items) else None


MANY = 1 << 16
"""Rows of an array that are counted."""


def _rows(given: Tensor) -> tuple[Shape, ...] | None:
    """`layer.set_weights(matrix)`: each row is taken for a weight."""
    if not isinstance(given.shape, tuple) or not given.shape:
        return None
    count, *rest = given.shape
    if not isinstance(count, int) or not 0 < count <= MANY or not all(isinstance(dim, int) for dim in rest):
        return None
    return (tuple(rest),) * count


@FRAMEWORK.on("keras.Model.load_weights")
def load_weights(c: Call) -> Any:
    path, m = plain(c.get(0, "filepath")), c.machine
    tell_of_loaded_name(c, path, "load_weights")
    if isinstance(path, str) and path.endswith((".weights.h5", ".keras")) and is_certain(m) and is_unbuilt(c.receiver):
        refuse(m, c.span, Mismatch(
            Problem.UNBUILT, "load_weights() of a model that has no weights yet",
            help="call the model on one batch, or model.build((None, ...)), first", where=Where(keras=">=3"),
            error='ValueError "You are loading weights into a model that has not yet been built" or "expected 0 '
                  'variables"'), what="Model.load_weights", stage="load_weights")
        return None
    saved = m.state.get(SAVED, {}).get(path) if isinstance(path, str) and path.endswith((".h5", ".hdf5")) else None
    if saved is None or m.trying or m.uncertain or c.kwargs.keys() & {"by_name", "skip_mismatch", "**"}:
        return None
    wanted = shapes_of(c.receiver)
    if wanted is not None and (told := difference(saved[0], wanted)):
        refuse(m, c.span, Mismatch(
            Problem.SET_WEIGHTS, f"the weights{of_line(c.span, saved[1])} do not fit: {told}", help=HELP,
            error='ValueError "The shape of the target variable and the shape of the target value in `variable.assign('
                  'value)` must match" or "Layer count mismatch"'), what="load_weights", stage="load_weights")
    return None


BUILT = "input_shape=... of the first layer, or model.build((None, ...)) first"
HELP = "the same architecture, with the same widths; or move only those layers whose weights have one shape"


def saved(m: Machine, model: Any, path: Any, span: Span) -> None:
    """A model's weights are in a file now."""
    kept: dict[str, Any] = m.state.setdefault(SAVED, {})
    if not isinstance(path, str):
        return
    shapes = shapes_of(model)
    if shapes is None or m.uncertain:
        kept.pop(path, None)
    else:
        kept[path] = shapes, span


def difference(given: tuple[Shape, ...], wanted: tuple[Shape, ...]) -> str:
    """How many, or which, whatever their order."""
    if len(given) != len(wanted):
        return f"{len(given)} arrays for {len(wanted)} variables"
    more, less = Counter(given) - Counter(wanted), Counter(wanted) - Counter(given)
    return f"{show(next(iter(more)))} for {show(next(iter(less)))}" if more else ""


__all__ = ["difference", "saved", "shapes_of"]
