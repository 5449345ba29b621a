"""Configurations of Lambda: functions with and without an output_shape beside them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from cudnnlint.values import Unknown
from tests.oracle.harness import Case, Fn
from tests.oracle.shapes import tensors
from tests.oracle.strategies import POLICIES


def _shaped(change: Any) -> Any:
    """An abstract function that changes the shape of its tensor only."""
    return lambda x, **given: x.with_(shape=change(x.shape, **given))


def _unknown(x: Any, **given: Any) -> Any:
    return Unknown("not followed")




FLOATS = ("float32",) * 6 + ("float16", "float64", "int32")
KNOWN = (
    (Fn(lambda x: x * 2, _shaped(lambda shape: shape)), {}),
    (Fn(lambda x: x[:, 0], _shaped(lambda shape: (shape[0], *shape[2:]))), {}),
    (Fn(lambda x, last: x[..., :last], _shaped(lambda shape, last: (*shape[:-1], min(last, shape[-1])))), {"last": 1}),
    (Fn(lambda x: [x, x[:, 0]], lambda x: [x, x.with_(shape=(x.shape[0], *x.shape[2:]))]), {}),
)


@st.composite
def followed(draw: Any) -> Case:
    function, given = draw(st.sampled_from(KNOWN))
    spec = draw(tensors(2, 4, FLOATS).filter(lambda spec: None not in spec.shape[1:]))
    kwargs: dict[str, Any] = {"function": function}
    if given:
        kwargs["arguments"] = given
    return Case(kwargs, spec, policy=draw(POLICIES))


@st.composite
def declared(draw: Any) -> Case:
    """A function that cannot be followed, and the shape it is said to give: a tuple without batch, or a function."""
    spec = draw(tensors(2, 4, FLOATS))
    tail = tuple(spec.shape[1:])
    shape = draw(st.sampled_from([tail, Fn(lambda shape: shape, lambda shape: shape),
                                  Fn(lambda shape: (shape[0], *shape[1:]), lambda shape: (shape[0], *shape[1:]))]))
    return Case({"function": Fn(lambda x: x * 2, _unknown), "output_shape": shape}, spec, policy=draw(POLICIES),
                only="keras")


@st.composite
def both(draw: Any) -> Case:
    """A function that is followed, and an output_shape that may contradict it."""
    spec = draw(tensors(2, 3, ("float32",)).filter(lambda spec: None not in spec.shape[1:]))
    tail = list(spec.shape[1:])
    wrong = draw(st.sampled_from([False, False, True]))
    if wrong:
        tail[0] += 1
    return Case({"function": KNOWN[0][0], "output_shape": tuple(tail)}, spec, unknown=wrong)


NO_FUNCTION = st.builds(lambda function, spec: Case({"function": function}, spec), st.sampled_from([None, 3, "relu"]),
                        tensors(2, 3))

CONFIGS = {"keras.layers.Lambda": st.one_of(followed(), followed(), declared(), both(), NO_FUNCTION)}
