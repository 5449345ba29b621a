"""class_weight and sample_weight of a training call, against labels, outputs and the loss."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.events import Data, LossInfo, ModelView
from cudnnlint.frameworks.training.train_steps import own_step
from cudnnlint.interp.heap import DictV, ListV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown, Where
from cudnnlint.values.dim import is_known

DICTS = Where(keras=">=2.4")
ENUMERATED = "dict(enumerate(class_weight)): class numbers to weights"
BALANCED = ('a dict of class numbers and weights; scikit-learn counts "balanced" ones: '
            'compute_class_weight("balanced", classes=np.unique(y), y=y)')
"""Before, what was no dict was passed over, and lists and dicts by the names of outputs went to several outputs (keras
2.3: standardize_weights, standardize_sample_or_class_weights)."""
FROM_0 = Where(keras=">=2.4,<3")
"""tf_keras/src/engine/data_adapter.py: _make_class_weight_map_fn. Keras 3 weighs what is not in it by 1."""
KERAS_3 = Where(keras=">=3")
SPARSE = "sparse_categorical_crossentropy"
Extents = tuple[int | None, ...]


def check_weights(c: Call, method: str, seen: ModelView, data: Data, arguments: dict[str, Any]) -> None:
    """Tell of the first thing that does not fit."""
    if method not in ("fit", "evaluate", "train_on_batch", "test_on_batch") or own_step(c.receiver, method) is not None:
        return
    classes, samples = plain(arguments.get("class_weight")), plain(arguments.get("sample_weight"))
    values = _values(seen, data, plain(arguments.get("batch_size")))
    for wrong in (*_by_class(classes, samples, seen, data, values), *_by_sample(data, values)):
        if refuse(c.machine, c.span, wrong, what=f"Model.{method}", stage=method):
            return


def with_class_weight(m: Machine, data: Data, given: Any) -> Data:
    """What a step gets where class_weight is given: the weight of each row's class as a third part.

    keras/src/trainers/data_adapters/data_adapter_utils.py: class_weight_to_sample_weights; tf_keras/src/engine/
    data_adapter.py: _make_class_weight_map_fn
    """
    classes, y = plain(given), data.y
    if classes is None or data.weights is not None or not isinstance(y, Tensor) or not isinstance(y.shape, tuple):
        return data
    weights: Any = Unknown("class weights or none")
    if y.shape and hasattr(classes, "items"):
        dtype = m.state.get("floatx", "float32") if data.kind in ("arrays", "dataset") else Unknown("class weights")
        weights = y.with_(shape=y.shape[:1], dtype=dtype)
    element = data.element
    if isinstance(element, tuple) and len(element) == 2:
        element = (*element, weights)
    return replace(data, weights=weights, element=element)


def _by_class(classes: Any, samples: Any, seen: ModelView, data: Data, values: Extents) -> Iterator[Mismatch]:
    if isinstance(classes, Tensor | ListV | tuple | str):
        given = "an array" if isinstance(classes, Tensor) else "a list" if isinstance(classes, ListV) else \
            f"a {type(classes).__name__}"
        told = f"the text {classes!r}" if isinstance(classes, str) else given
        made = classes.step if isinstance(classes, Tensor) else None
        there = () if made is None else ((made.span, str(classes)),)
        yield _wrong(f"class_weight is {told}, not a dict", BALANCED if isinstance(classes, str) else ENUMERATED,
                     "AttributeError \"object has no attribute 'get'\" or \"object has no attribute 'keys'\" or "
                     'ValueError "The truth value of an array with more than one element is ambiguous"', DICTS,
                     (("origins", there),))
        return
    if not hasattr(classes, "items"):
        return
    if isinstance(classes, DictV) and (keys := _keys(classes)) is not None and keys != list(range(len(keys))):
        yield _wrong(f"class_weight has the classes {', '.join(map(str, keys))}, not 0 to {len(keys) - 1}",
                     "a weight for each class, counted from 0", 'ValueError "Expected `class_weight` to be a dict with '
                     'keys from 0 to one less than the number of classes"', FROM_0)
    if isinstance(samples, Tensor):
        yield _wrong("class_weight and sample_weight are given together", "multiply them into sample_weight",
                     'ValueError "You cannot `class_weight` and `sample_weight` at the same time."')
    if isinstance(seen.outputs, list | tuple | dict) and len(seen.outputs) > 1:
        yield _wrong(f"class_weight for a model with {len(seen.outputs)} outputs", SAMPLES,
                     'ValueError "`class_weight` is only supported for Models with a single output."', DICTS)
    elif isinstance(data.y, Tensor) and isinstance(data.y.shape, tuple) and isinstance(seen.outputs, Tensor):
        yield from _one_each(data.y, values)


SAMPLES = "sample_weight, one weight for each label"


def _keys(classes: DictV) -> list[int] | None:
    """The classes in order, where all are known."""
    keys = [*classes.items]
    return sorted(keys) if keys and not classes.unknown and not classes.lost and all(type(key) is int for key in keys) \
        else None


def _one_each(y: Tensor, values: Extents) -> Iterator[Mismatch]:
    """Keras 3 gives each sample one weight, that of its class (data_adapter_utils.py: class_weight_to_sample_weights;
    backend/tensorflow: make_class_weight_map_fn of tf_dataset_adapter.py)."""
    rank = len(y.shape) if isinstance(y.shape, tuple) else 0
    if rank > 2:
        yield _wrong(f"class_weight for labels of {rank} axes, {y}", SAMPLES,
                     'TypeError "only 0-dimensional arrays can be converted to Python scalars", of a dataset '
                     'ValueError "`class_weight` not supported for 3+ dimensional targets."', KERAS_3)
    if rank == 2 and values and not _fits(values, values[:1]):
        yield _wrong(f"class_weight gives one weight a sample, and the loss has {values[1]} values for each, of labels "
                     f"{y}", SAMPLES, 'ValueError "Dimensions must be equal" or InvalidArgumentError "Incompatible '
                     'shapes"', KERAS_3)


def _by_sample(data: Data, values: Extents) -> Iterator[Mismatch]:
    given = data.weights
    if not values or not isinstance(given, Tensor) or not isinstance(given.shape, tuple):
        return
    weights = (values[0], *(int(dim) if is_known(dim) else None for dim in given.shape[1:]))  # type: ignore[arg-type]
    if not _fits(values, weights):
        yield _wrong(f"sample_weight {given} for a loss of {len(values)} ax{'e' if len(values) > 1 else 'i'}s, "
                     f"{_told(values)}", "one weight for each value of the loss, or for each sample",
                     'ValueError "Dimensions must be equal" or InvalidArgumentError "Incompatible shapes"',
                     Where() if len(weights) >= len(values) else KERAS_3)


def _values(seen: ModelView, data: Data, size: Any) -> Extents:
    """What a loss of the library leaves of labels and output in the first batch: all axes but the last; () where that
    is not known."""
    y, output, loss = data.y, seen.outputs, seen.losses
    if not isinstance(loss, LossInfo) or not loss.name or not isinstance(output, Tensor) or not isinstance(y, Tensor):
        return ()
    if not isinstance(output.shape, tuple) or not isinstance(y.shape, tuple) or len(output.shape) < 2 or not y.shape:
        return ()
    if loss.name != SPARSE and len(y.shape) > len(output.shape):
        return ()
    dims = [int(dim) if is_known(dim) else None for dim in output.shape[:-1]]  # type: ignore[arg-type]
    rows: Any = y.shape[0]
    if data.kind == "arrays" and isinstance(data.rows, int) and not is_known(rows):
        rows = min(data.rows, size if isinstance(size, int) else 32)  # keras/src/trainers/trainer.py: fit
    return (rows if isinstance(rows, int) else dims[0], *dims[1:])


def _fits(values: Extents, weights: Extents) -> bool:
    """keras/src/losses/loss.py: reduce_weighted_values, squeeze_or_expand_to_same_rank

    >>> _fits((16,), (16, 1)), _fits((16,), (16, 10)), _fits((16, 6), (16,)), _fits((16, 6), (16, 6, 1))
    (True, False, False, True)
    """
    longer, shorter = (weights, values) if len(weights) > len(values) else (values, weights)
    if len(longer) == len(shorter) + 1 and longer[-1] in (1, None):
        return True
    pairs = zip(reversed(longer), reversed(shorter), strict=False)
    return all(a is None or b is None or a == b or 1 in (a, b) for a, b in pairs)


def _told(values: Extents) -> str:
    return f"[{', '.join('?' if dim is None else str(dim) for dim in values)}]"


def _wrong(message: str, help: str, error: str, where: Where = Where(),
           facts: tuple[tuple[str, Any], ...] = ()) -> Mismatch:
    return Mismatch(Problem.SAMPLE_WEIGHTS, message, help=help, error=error, where=where, facts=facts)


def check_own_weights(c: Call, method: str, data: Data, made: Any) -> None:
    """What a loss of the program's own gives is weighted as it is, and must not have lost its axis of samples."""
    given, held = data.weights, plain(made)
    if not isinstance(given, Tensor) or not isinstance(held, Tensor) or not isinstance(held.shape, tuple) \
            or not held.shape or not isinstance(given.shape, tuple):
        return
    values = tuple(int(dim) if is_known(dim) else None for dim in held.shape)  # type: ignore[arg-type]
    for wrong in _by_sample(data, values):
        refuse(c.machine, c.span, wrong, what=f"Model.{method}", stage=method)


__all__ = ["check_own_weights", "check_weights"]
