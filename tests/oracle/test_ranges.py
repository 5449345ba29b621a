"""The numbers that Keras takes in places where they must lie within a range, and what goes together, against these."""

from __future__ import annotations

from inspect import signature
from typing import Any

import pytest

from cudnnlint.facts.choices import NAMED
from cudnnlint.facts.ranges import EXCLUSIVE, PIECES, RANGES, TORCH
from cudnnlint.values import Stack

keras_3 = pytest.importorskip("keras", reason="keras is not installed")
keras_2 = pytest.importorskip("tf_keras", reason="tf_keras is not installed")
tf = pytest.importorskip("tensorflow", reason="tensorflow is not installed")
TRIED = (-9.5, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 9)
WHOLE = ("seed", "steps", "stride", "rate", "num_thresholds")
"""How the names of arguments end that are integers."""
KERAS = [pytest.param(keras_3, id="3"), pytest.param(keras_2, id="2")]


def real(keras: Any, path: str) -> Any:
    held = tf if path.startswith("tensorflow.") else keras
    for part in path.split(".")[1:]:
        held = getattr(held, part, None)
    return held


def others(path: str, argument: str) -> tuple[list[Any], dict[str, Any]]:
    """What else a callable needs."""
    if path.startswith("tensorflow.image."):
        return [tf.zeros((4, 4, 3))], {}
    if "schedules" in path:
        decaying = path.endswith(("ExponentialDecay", "InverseTimeDecay"))
        return [0.1], {"decay_rate": 0.5} if decaying else {}
    if path.endswith(("RandomTranslation", "RandomZoom")):
        return [], {"height_factor": 0.1, "width_factor": 0.1}
    if argument == "num_thresholds" and not path.endswith("AUC"):
        return [0.5], {}
    return ([[0.0] * 20, None, 2], {}) if "timeseries" in path else ([], {})


def stack_of(keras: Any) -> Stack:
    return Stack(keras=tuple(map(int, keras.__version__.split(".")[:2])) if keras is keras_3 else (2, 15))


@pytest.mark.parametrize("keras", KERAS)
@pytest.mark.parametrize(("path", "argument"), [key for key in RANGES if key not in TORCH])
def test_numbers_are_taken_or_refused_as_listed(keras: Any, path: str, argument: str) -> None:
    allowed, made = RANGES[path, argument], real(keras, path)
    if made is None or not allowed.where.holds(stack_of(keras)):
        pytest.skip("not there, or not told of this release")
    args, kwargs = others(path, argument)
    tried = [int(number) if argument.endswith(WHOLE) else float(number) for number in TRIED
             if not (argument.endswith(WHOLE) and number != int(number))
             and not (path.startswith("keras.layers.") and number < 0)]  # which releases do not agree about
    tried += [1 << 33] if argument == "seed" else []
    assert {allowed.takes(number) for number in tried} == {True, False}
    for number in tried:
        try:
            made(*args, **{**kwargs, argument: number})
            taken = True
        except (ValueError, OverflowError):
            taken = False
        assert taken == allowed.takes(number), number


@pytest.mark.parametrize("keras", KERAS)
@pytest.mark.parametrize(("path", "argument"), [key for key, allowed in RANGES.items() if allowed.real is not None])
def test_whole_numbers_are_refused_as_listed(keras: Any, path: str, argument: str) -> None:
    made, refused_by = real(keras, path), RANGES[path, argument].real
    if made is None or refused_by is None:
        pytest.skip("not in this release")
    made(**{argument: 1.0})
    if refused_by.holds(stack_of(keras)):
        with pytest.raises(ValueError, match=f"`{argument}`"):
            made(**{argument: 1})
    else:
        made(**{argument: 1})


@pytest.mark.parametrize(("path", "argument"), [key for key in RANGES if key not in TORCH])
def test_arguments_lie_where_they_are_listed(path: str, argument: str) -> None:
    made, position = real(keras_3, path), RANGES[path, argument].position
    if made is None:
        pytest.skip("not in this release")
    assert position == NAMED or list(signature(made).parameters)[position] == argument


@pytest.mark.parametrize("keras", KERAS)
@pytest.mark.parametrize("path", EXCLUSIVE)
def test_arguments_that_are_listed_do_not_go_together(keras: Any, path: str) -> None:
    made = real(keras, path)
    if made is None:
        pytest.skip("not in this release")
    value = {"shape": (4,), "batch_shape": (2, 4), "batch_size": 2}
    for pair in EXCLUSIVE[path]:
        given = {name: value.get(name, 1.0) for name in (pair.one, pair.other)}
        if pair.where.holds(stack_of(keras)):
            with pytest.raises(ValueError, match=r"both|nly one|t most one"):
                made(**given)


@pytest.mark.parametrize("keras", KERAS)
def test_pieces_need_one_value_more(keras: Any) -> None:
    made = real(keras, PIECES)
    made([1, 2], [0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match="1 less than"):
        made([1, 2], [0.1, 0.2])
