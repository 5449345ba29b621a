"""What a model takes: given tensors matched with declared ones, and what does not fit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cudnnlint.events import tensors
from cudnnlint.values import EVERYWHERE, Mismatch, Problem, Shape, Symbol, Tensor, Unknown, Where
from cudnnlint.values.dim import Dim, is_known, may_equal
from cudnnlint.values.unknown import Window


def conformed(want: Tensor, have: Tensor) -> Tensor:
    """Inputs are cast to the dtype of the model's Input; real ones get or lose an axis of 1 at the end. Where that is
    open, as the channels of a picture that was decoded, it is what the weights behind the Input were made for.

    keras/src/models/functional.py: Functional._standardize_inputs, _adjust_input_rank.
    """
    shape = have.shape
    if have.kind != "keras" and isinstance(want.shape, tuple) and isinstance(shape, tuple):
        if len(want.shape) == len(shape) + 1 and want.shape[-1] == 1:
            shape = (*shape, 1)
        elif len(shape) == len(want.shape) + 1 and shape[-1] == 1:
            shape = shape[:-1]
        elif 1 < len(shape) == len(want.shape) and isinstance(shape[-1], Symbol) and isinstance(want.shape[-1], int):
            shape = (*shape[:-1], want.shape[-1])
    return have if have.dtype == want.dtype and shape == have.shape else have.with_(dtype=want.dtype, shape=shape)


BUILT_FOR = "(built for)"
"""The rank of what a sequential model without inputs was first called on, if its last axis has one value."""


def as_built(model: Any, inputs: Any) -> Any:
    """The first call builds such a model; numbers without an axis of 1 at the end get it from then on, as above."""
    shape = inputs.shape if isinstance(inputs, Tensor) else None
    if not isinstance(shape, tuple):
        return inputs
    rank = model.extra.get(BUILT_FOR)
    if rank is None:
        model.extra[BUILT_FOR] = len(shape) if shape[-1:] == (1,) else 0
    return inputs.with_(shape=(*shape, 1)) if rank == len(shape) + 1 and inputs.kind != "keras" else inputs


def is_known_structure(value: Any) -> bool:
    """Whether every leaf of a structure is a Tensor."""
    if isinstance(value, (list, tuple)):
        return bool(value) and all(is_known_structure(item) for item in value)
    if isinstance(value, dict):
        return bool(value) and all(is_known_structure(item) for item in value.values())
    return isinstance(value, Tensor)


def missing_inputs(wanted: Any, given: Any, kind: str) -> Mismatch | None:
    """A dict that lacks what an input is named; more than the inputs may be in it (keras/src/models/functional.py:
    Functional._standardize_inputs; tf_keras/src/engine/functional.py: Functional._flatten_to_reference_inputs)."""
    if not isinstance(given, dict) or not given or _is_nested(wanted) or _is_nested(given):
        return None
    names, keys = _names(wanted), ", ".join(f'"{name}"' for name in given)
    missing = [name for name in names if name not in given]
    if not missing or not all(isinstance(name, str) for name in given):
        return None
    if all(isinstance(name, str) for name in names):
        told = ", ".join(f'"{name}"' for name in missing)
        said = f"the model's input{'s' * (len(missing) != 1)} {told} {'are' if len(missing) != 1 else 'is'} not " \
               f"among the data: {keys}"
        remedy = "give the data the names of the inputs"
    elif all(map(_is_unnamed, tensors(wanted))) and not any(map(_NUMBERED.search, given)):
        said = f"the model's {'inputs have' if len(names) != 1 else 'input has'} no name that the program gave, the " \
               f"data go by name: {keys}"
        remedy = "the array itself, data[...]; or an Input with name=" if len(names) == 1 else \
            "give each Input the name of its data"
    else:
        return None
    return Mismatch(Problem.INPUT_COUNT, said, help=remedy,
                    error='ValueError "Missing data for input" or "The structure of `inputs` doesn\'t match"',
                    where=OF_SEQUENTIAL if kind == "sequential" else EVERYWHERE,
                    facts=(("expected", len(names)), ("actual", len(names) - len(missing))))


def known_by_name(wanted: Any, given: Any) -> tuple[tuple[Tensor, ...], tuple[Tensor, ...]]:
    """Inputs for which a dict has data that are known, and these, where others of it are not."""
    if not isinstance(given, dict) or _is_nested(wanted) or _is_nested(given):
        return (), ()
    found = [(tensor, given[name]) for name, tensor in zip(_names(wanted), tensors(wanted), strict=True)
             if name in given and isinstance(given[name], Tensor)]
    return tuple(want for want, _ in found), tuple(have for _, have in found)


def _names(wanted: Any) -> list[Any]:
    return list(wanted) if isinstance(wanted, dict) else [_own_name(tensor) for tensor in tensors(wanted)]


def _is_nested(structure: Any) -> bool:
    parts = structure.values() if isinstance(structure, dict) else structure
    return isinstance(structure, dict | list | tuple) and any(isinstance(part, dict | list | tuple) for part in parts)


def is_of_dicts(structure: Any) -> bool:
    """Dicts with parts of their own, `{"image": x, "boxes": {"first": y}}`: Keras 3 takes such (keras/src/models/
    functional.py: Functional), and what goes with what is not followed."""
    if isinstance(structure, dict):
        return _is_nested(structure)
    return isinstance(structure, list | tuple) and _is_nested(structure) and any(
        isinstance(part, dict) for part in structure)


def _own_name(tensor: Tensor) -> str | None:
    """The name that the program gave an Input; others are numbered, differently from version to version."""
    maker = tensor.step.maker if tensor.step is not None else None
    return getattr(maker, "name", None) if "name" in getattr(maker, "given", ()) else None


OF_SEQUENTIAL = Where(keras="<3.4|>=3.10")
"""Where a sequential model refuses a dict with another name for its input (run with 3.0, 3.3, 3.10 and 3.15; 3.6 takes
it)."""
_NUMBERED = re.compile(r"input|keras_tensor")
"""In names that Keras gives inputs of its own accord: input_1, input_layer, dense_input, keras_tensor_2."""


def _is_unnamed(tensor: Tensor) -> bool:
    """Whether it is an Input() of the program's, to which no name was given."""
    maker = tensor.step.maker if tensor.step is not None and not tensor.step.parents else None
    given = getattr(maker, "given", None)
    return getattr(maker, "path", "") == "keras.layers.InputLayer" and given is not None \
        and not {"name", "**"} & set(given)


def input_mismatch(want: Tensor, have: Tensor, *, keras_3: bool = True) -> Mismatch | None:
    """What is rejected for an input of a functional or sequential model.

    A last axis of 1 is left out of the comparison on either side (keras/src/layers/input_spec.py:
    assert_input_compatibility with allow_last_axis_squeeze): a model for (None, 1) takes (50, 80). Keras 3 also wants
    the rank, up to an axis of 1 that it adds or takes (keras/src/models/functional.py: Functional._adjust_input_rank).
    """
    if isinstance(want.shape, Unknown) or isinstance(have.shape, Unknown):
        return None
    expected, actual = want.shape, have.shape
    longer, shorter = (actual, expected) if len(actual) > len(expected) else (expected, actual)
    squeezed = len(longer) == len(shorter) + 1 and longer[-1] == 1
    if len(expected) != len(actual) and not squeezed and keras_3:
        return wrong_input(expected, actual)
    pairs = list(zip(_unsqueezed(expected), _unsqueezed(actual), strict=False))
    for axis, (a, b) in enumerate(pairs[1:], 1):
        if not _may_be(a, b):
            return wrong_input(expected, actual, axis)
    return None


def _may_be(expected: Dim, have: Dim) -> bool:
    """What is taken of an axis of data, `table[:, 0:7]`, is no longer than it says."""
    short = type(have) is Window and isinstance(expected, int) and have.full < expected
    return may_equal(expected, have) and not short


def _unsqueezed(shape: Shape) -> Shape:
    return shape[:-1] if shape and shape[-1] == 1 else shape


def taken(wanted: tuple[Tensor, ...], given: tuple[Tensor, ...], *, sequential: bool,
          keras_3: bool) -> tuple[Tensor, ...]:
    """What a model takes of its inputs: a Sequential of Keras 3 that is built the first one, whatever else there is
    (keras/src/models/sequential.py: call; functional.py: _convert_inputs_to_tensors; run with 3.3 to 3.15)."""
    symbolic = any(tensor.kind == "keras" for tensor in given)
    return given[:len(wanted)] if sequential and keras_3 and not symbolic else given


def wrong_count(wanted: int, given: int, *, yielded: bool = False) -> Mismatch:
    """`yielded`: by a generator or a dataset, whose tuples are taken apart first."""
    hint = "inputs, targets and weights come as one tuple: give several inputs as a tuple within it, ((a, b), y)" \
        if yielded and wanted > given else ""
    return Mismatch(Problem.INPUT_COUNT, f"the model has {wanted} input{'s' * (wanted != 1)}, {given} given", help=hint,
                    error=f'ValueError "expects {wanted} ... but it received {given} input tensors"',
                    facts=(("expected", wanted), ("actual", given)))


def of_other_rank(want: Tensor, have: Tensor) -> Mismatch | None:
    """What fit() and its kin refuse before TensorFlow 2.2, which add no axis but to plain numbers
    (tensorflow/python/keras/engine/training_utils.py: standardize_input_data; run with 2.0.4, read in 2.1.0)."""
    if isinstance(want.shape, Unknown) or isinstance(have.shape, Unknown) or len(have.shape) in (1, len(want.shape)):
        return None
    said = f'ValueError "to have {len(want.shape)} dimensions, but got array with shape"'
    wrong = wrong_input(want.shape, have.shape)
    return replace(wrong, facts=(*wrong.facts, ("said", said), ("stacks", "with TensorFlow before 2.2")))


def other_order(wanted: Sequence[Tensor], given: Sequence[Tensor]) -> str:
    """What helps where the inputs fit in one other order, "" where that is not plain."""
    shapes = [shape for pair in zip(wanted, given, strict=True) for shape in (pair[0].shape, pair[1].shape)
              if isinstance(shape, tuple) and shape]
    if len(shapes) != 4 or len(wanted) != 2:
        return ""
    first, one, second, other = shapes
    crossed = all(map(is_known, (*one[1:], *other[1:]))) and first[1:] == other[1:] and second[1:] == one[1:]
    return f"give the two inputs in the other order: {_axes(first)}, then {_axes(second)}" if crossed else ""


def wrong_input(expected: Shape, actual: Shape, axis: int | None = None) -> Mismatch:
    return Mismatch(Problem.INPUT_SHAPE, f"the model takes {_axes(expected)}, this input is {_axes(actual)}",
                    error=f'ValueError "expected shape={_python(expected)}, found shape={_python(actual)}"',
                    facts=(("expected", expected), ("actual", actual), ("axis", axis)))


def asked_by(wrong: Mismatch, want: Tensor) -> Mismatch:
    """With the place where the model was given the input that it takes."""
    if wrong.problem is not Problem.INPUT_SHAPE or want.step is None:
        return wrong
    return replace(wrong, facts=(*wrong.facts, ("origins", ((want.step.span, f"the model takes {want}"),))))


def _axes(shape: tuple[Dim, ...]) -> str:
    """
    >>> _axes((32, Window(full=7)))
    '[32, at most 7]'
    """
    return "[" + ", ".join(f"at most {dim.full}" if type(dim) is Window else str(dim) for dim in shape) + "]"


def _python(shape: tuple[Dim, ...]) -> str:
    return "(" + ", ".join("None" if not is_known(dim) else str(dim) for dim in shape) + ")"
