"""Configurations of SimpleRNN, GRU, LSTM, the cells, RNN, and the layers that only cuDNN runs."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case, Spec, Sub
from tests.oracle.strategies import POLICIES, arguments

FLAG = st.booleans()
UNITS = st.integers(1, 5)
BATCH = st.sampled_from([None, None, 2])
RETURNS = dict.fromkeys(("return_sequences", "return_state", "go_backwards"), FLAG)
OPTIONS = {**RETURNS, "use_bias": FLAG, "activation": st.sampled_from(["tanh", "relu", None]),
           "dropout": st.sampled_from([0.0, 0.5]), "recurrent_dropout": st.sampled_from([0.0, 0.0, 0.5])}
GATED = {**OPTIONS, "recurrent_activation": st.sampled_from(["sigmoid", "hard_sigmoid"])}
ODD = {"units": st.sampled_from([0, -1]), "stateful": st.just(True), "unroll": st.just(True)}


@st.composite
def sequences(draw: Any, rank: int = 3) -> Spec:
    """(batch, time, features); seldom of another rank, with an unknown feature axis, or of another dtype."""
    odd = draw(st.sampled_from([None] * 7 + ["rank", "feature", "dtype"]))
    count = rank + (draw(st.sampled_from([-1, 1])) if odd == "rank" else 0)
    inner = [draw(st.sampled_from([None, 1, 2, 4])) for _ in range(count - 2)]
    feature = None if odd == "feature" else draw(st.integers(1, 5))
    return Spec((draw(BATCH), *inner, feature), draw(st.sampled_from(["int32", "float16", "float64", "bool"]))
                if odd == "dtype" else "float32")


@st.composite
def initial(draw: Any, count: int, units: int, batch: int | None, cudnn: bool) -> dict[str, Any]:
    """initial_state: right, or with one number wrong; what only cuDNN compares is right."""
    if draw(FLAG):
        return {}
    odd = draw(st.sampled_from([None, None, "count", "units", "batch"]))
    states = [Spec((batch, units)) for _ in range(count)]
    if odd == "count":
        states = draw(st.sampled_from([states[1:], [*states, *states[:1]]])) or [*states, *states]
    elif odd == "units":
        at = draw(st.integers(0, count - 1))
        states[at] = Spec((batch, units + draw(st.sampled_from([1, 2]))))
    elif odd == "batch" and batch == 2 and not cudnn:
        states[-1] = Spec((3, units))
    return {"initial_state": states}


@st.composite
def layers(draw: Any, count: int, options: dict[str, Any], odd: dict[str, Any], only: str | None = None) -> Case:
    kwargs = draw(arguments({"units": UNITS}, options, odd))
    more = ["time_major", "use_cudnn"] if "recurrent_activation" in options else []
    extra = draw(st.sampled_from([None] * 6 + more))
    if extra == "time_major":
        kwargs["time_major"], only = True, "tf_keras"
    elif extra == "use_cudnn":
        kwargs["use_cudnn"], only = draw(st.sampled_from([True, False, "auto", "yes"])), "keras"
        if kwargs["use_cudnn"] is True:
            kwargs["activation"] = "relu"
    spec = draw(sequences())
    batch = spec.shape[1 if extra == "time_major" else 0]
    cudnn = options is RETURNS
    call = draw(initial(count, kwargs["units"], batch, cudnn) if kwargs["units"] > 0 else st.just({}))
    # the cuDNN ops, and Keras 2's stateful layers with an initial state, want every operand of one dtype
    policy = None if cudnn or kwargs.get("stateful") else draw(POLICIES)
    return Case(kwargs, spec, call, policy, only=only, unknown=len(spec.shape) > 3)


@st.composite
def listed(draw: Any, count: int) -> Case:
    """The sequence and its states in one list: Keras 2's other way to give them."""
    units = draw(UNITS)
    batch = draw(BATCH)
    states = [Spec((batch, units)) for _ in range(count)]
    return Case({"units": units, **draw(st.fixed_dictionaries({}, optional=RETURNS))},
                [Spec((batch, 3, draw(st.integers(1, 4)))), *states])


@st.composite
def cells(draw: Any, count: int, options: dict[str, Any]) -> Case:
    kwargs = draw(arguments({"units": UNITS}, {"use_bias": FLAG, **options}, {"units": st.sampled_from([0, -1])}))
    spec = draw(sequences(2))
    rows = spec.shape[0]
    width = max(kwargs["units"], 1) + draw(st.sampled_from([0, 0, 0, 1]))
    states: Any = [Spec((rows, width)) for _ in range(count)]
    if count == 1 and draw(FLAG):
        states = states[0]
    elif count == 2 and draw(st.sampled_from([False, False, True])):
        states = states[:1]
    policy = draw(POLICIES)  # Keras 2 casts the input alone
    return Case(kwargs, spec, {"states": states}, policy, unknown=len(spec.shape) != 2, only=policy and "keras")


CELLS = st.one_of(
    st.builds(lambda units, bias: Sub("keras.layers.SimpleRNNCell", {"units": units, "use_bias": bias}), UNITS, FLAG),
    st.builds(lambda units, after: Sub("keras.layers.GRUCell", {"units": units, "reset_after": after}), UNITS, FLAG),
    st.builds(lambda units: Sub("keras.layers.LSTMCell", {"units": units}), UNITS))
STACKS = st.lists(CELLS, min_size=1, max_size=3)


@st.composite
def wrapped(draw: Any) -> Case:
    kwargs = draw(arguments({"cell": st.one_of(CELLS, STACKS, STACKS.map(
        lambda cells: Sub("keras.layers.StackedRNNCells", {"cells": cells})))}, RETURNS,
        {"cell": st.sampled_from([None, 3, Sub("keras.layers.Dense", {"units": 2}), "LSTM"]),
         "stateful": st.just(True)}))
    spec = draw(sequences())
    return Case(kwargs, spec, unknown=len(spec.shape) != 3)


GRU_OPTIONS = {**GATED, "reset_after": FLAG}
CUDNN_ODD = {"stateful": st.just(True)}

CONFIGS = {
    "keras.layers.SimpleRNN": st.one_of(layers(1, OPTIONS, ODD), layers(1, OPTIONS, ODD), listed(1)),
    "keras.layers.GRU": st.one_of(layers(1, GRU_OPTIONS, ODD), layers(1, GRU_OPTIONS, ODD), listed(1)),
    "keras.layers.LSTM": st.one_of(layers(2, GATED, ODD), layers(2, GATED, ODD), listed(2)),
    "keras.layers.CuDNNGRU": layers(1, RETURNS, CUDNN_ODD),
    "keras.layers.CuDNNLSTM": layers(2, RETURNS, CUDNN_ODD),
    "keras.layers.RNN": wrapped(),
    "keras.layers.SimpleRNNCell": cells(1, {}),
    "keras.layers.GRUCell": cells(1, {"reset_after": FLAG}),
    "keras.layers.LSTMCell": cells(2, {}),
    "keras.layers.StackedRNNCells": st.builds(
        lambda cells: Case({"cells": cells}, Spec((None, 3)), {"states": []}, unknown=True), STACKS),
}
