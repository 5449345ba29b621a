"""Configurations of Bidirectional around recurrent layers, and of what it cannot wrap."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.configs.recurrent import BATCH, FLAG, UNITS, sequences
from tests.oracle.harness import Case, Spec, Sub
from tests.oracle.strategies import arguments

STATES = {"SimpleRNN": 1, "GRU": 1, "LSTM": 2}
MODES = st.sampled_from(["concat", "concat", "sum", "mul", "ave", None])
WHOLE = dict.fromkeys(("return_sequences", "return_state"), FLAG)


@st.composite
def around_a_layer(draw: Any) -> Case:
    """Around one layer, which is copied; states in order, or too many or too few."""
    name = draw(st.sampled_from(sorted(STATES)))
    units = draw(UNITS)
    inner = Sub(f"keras.layers.{name}", {"units": units, **draw(arguments({}, WHOLE, {"go_backwards": st.just(True)}))})
    kwargs = draw(arguments({"layer": st.just(inner)}, {"merge_mode": MODES}, {
        "merge_mode": st.sampled_from(["max", 3, "Concat"]),
        "layer": st.sampled_from([None, "LSTM", Sub("keras.layers.Dense", {"units": 2})])}))
    spec = draw(sequences())
    call: dict[str, Any] = {}
    if draw(FLAG):
        count = 2 * STATES[name] + draw(st.sampled_from([0, 0, 0, 0, -1, 1]))
        width = units + draw(st.sampled_from([0, 0, 0, 1]))
        call["initial_state"] = [Spec((spec.shape[0], width)) for _ in range(count)]
    return Case(kwargs, spec, call)


@st.composite
def around_two(draw: Any) -> Case:
    """Two layers, sometimes of other units or with flags that do not fit together."""
    flags = draw(st.fixed_dictionaries({}, optional=WHOLE))
    units = draw(UNITS)
    other = draw(st.sampled_from([units, units, units, units + 1, 1]))
    there = Sub("keras.layers.LSTM", {"units": units, **flags})
    odd = draw(st.sampled_from([None, None, None, "go_backwards", "return_sequences", "return_state"]))
    back = {"units": other, "go_backwards": True, **flags}
    if odd:
        back[odd] = not back.get(odd, False)
    kwargs = {"layer": there, "backward_layer": Sub("keras.layers.LSTM", back), "merge_mode": draw(MODES)}
    return Case(kwargs, Spec((draw(BATCH), draw(st.sampled_from([None, 3])), 2)), unknown=other != units)


@st.composite
def around_other_layers(draw: Any) -> Case:
    """RNN over a cell or a stack of them, and ConvLSTM."""
    kwargs = {"merge_mode": draw(MODES)}
    if draw(FLAG):
        cell = Sub("keras.layers.LSTMCell", {"units": draw(UNITS)})
        stack = draw(st.sampled_from([cell, [cell, Sub("keras.layers.GRUCell", {"units": 2})]]))
        kwargs["layer"] = Sub("keras.layers.RNN", {"cell": stack, **draw(st.fixed_dictionaries({}, optional=WHOLE))})
        return Case(kwargs, Spec((draw(BATCH), 3, 2)))
    given = {"filters": 2, "kernel_size": draw(st.integers(1, 4)), **draw(st.fixed_dictionaries({}, optional=WHOLE))}
    kwargs["layer"] = Sub("keras.layers.ConvLSTM1D", given)
    return Case(kwargs, Spec((draw(BATCH), 3, draw(st.integers(3, 5)), 2)))


CONFIGS = {"keras.layers.Bidirectional": st.one_of(around_a_layer(), around_a_layer(), around_two(),
                                                    around_other_layers())}
