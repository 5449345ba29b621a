"""The step over time leads to the same peak as the estimate, and goes through the layers as they run."""

from __future__ import annotations

from typing import Any

import pytest

from cudnnlint.memory.estimate import Estimate
from cudnnlint.memory.gpus import GPU
from cudnnlint.report.memory.timeline import ROWS, timeline
from tests.memory.test_estimates import CONV, dense, estimates
from tests.memory.test_steps import TURNS
from tests.oracle.memory_fresh import FRESH
from tests.oracle.memory_models import program
from tests.oracle.memory_users import USERS

OP_BY_OP, COMPILED = '"adam", "mse", jit_compile=False', '"adam", "mse"'
DEEP = ", ".join(["layers.Conv2D(8, 3, padding='same')"] * 120)
NETS: dict[str, Any] = {
    "op by op": dense(CONV, OP_BY_OP), "compiled": dense(CONV, COMPILED), "deep": dense(DEEP, OP_BY_OP),
    "clipped": dense(CONV, 'keras.optimizers.SGD(global_clipnorm=1.0), "mse", jit_compile=False'),
    "pooled": dense(f"{CONV}, layers.MaxPooling2D(), layers.Flatten(), layers.Dense(4)", COMPILED),
    "residual": program("unet", 4, "adam"),
    "recurrent": program("lstm", 16, "sgd"), "frozen": dense("layers.Conv2D(8, 3, trainable=False)", COMPILED),
    "in turns": TURNS.replace("MADE", "made(z)"), **USERS,
    **{name: text.replace(", jit_compile=False", "") for name, text in FRESH.items()},
}


def told(text: str) -> Estimate:
    return estimates(text, timeline=True)[0]


@pytest.mark.parametrize("name", sorted(NETS))
def test_the_largest_moment_is_what_the_estimate_says(name: str) -> None:
    made = told(NETS[name])
    assert made.timeline is not None
    moments = made.timeline.moments
    assert moments[made.timeline.peak].bytes == made.terms.total
    always = made.terms.weights + made.terms.optimizer + made.terms.input
    assert all(moment.bytes >= always and min(moment.bands) >= 0 for moment in moments)


@pytest.mark.parametrize("compiled", [OP_BY_OP, COMPILED])
def test_layers_run_forwards_and_then_backwards(compiled: str) -> None:
    made = told(dense('layers.Conv2D(8, 3, name="one"), layers.Conv2D(8, 3, name="two")', compiled)).timeline
    assert made is not None
    names = {phase: [one.layer for one in made.moments if one.phase == phase and one.layer in ("one", "two")]
             for phase in ("forward", "backward")}
    assert names["forward"][0] == "one" and names["forward"][-1] == "two"
    assert names["backward"][0] == "two" and names["backward"][-1] == "one"
    order = [one.phase for one in made.moments]
    assert order[0] == "forward" and order.index("backward") > max(
        place for place, phase in enumerate(order) if phase == "forward")


@pytest.mark.parametrize("compiled", [OP_BY_OP, COMPILED])
def test_frozen_layers_only_run_forwards(compiled: str) -> None:
    frozen = 'layers.Conv2D(64, 3, trainable=False, name="frozen"), layers.GlobalAveragePooling2D(), layers.Dense(2)'
    made = told(dense(frozen, compiled)).timeline
    assert made is not None
    assert {one.phase for one in made.moments if one.layer == "frozen"} == {"forward"}
    assert made.moments[made.peak].phase == "forward"


def test_what_a_layer_keeps_is_its_own_band() -> None:
    made = told(dense('layers.Conv2D(64, 3, name="wide"), layers.Conv2D(1, 3, name="thin")', OP_BY_OP)).timeline
    assert made is not None
    wide, top = [band.label for band in made.bands].index("wide"), made.moments[made.peak]
    assert top.bands[wide] >= 64 * 30 * 30 * 64 * 4 and top.bands[wide] > 0.8 * top.bytes
    assert made.bands[wide].span is not None


def test_a_prediction_only_goes_forwards() -> None:
    text = dense(CONV).replace("model.fit(x, y, batch_size=64)", "model.predict(x, batch_size=64)")
    made = told(text)
    assert made.timeline is not None and {one.phase for one in made.timeline.moments} == {"forward"}
    assert made.timeline.moments[made.timeline.peak].bytes == made.terms.total


def test_deep_models_stay_readable() -> None:
    made = told(NETS["deep"])
    lines = list(timeline(made, GPU("one", 1, made.needs() // 2)))
    assert 20 < len(lines) <= ROWS
    assert sum("peak of" in line for line in lines) == 1
    end = lines[0].index("|")
    assert all(line[end] == "|" for line in lines), "where the GPU ends"
    assert "|" not in "".join(timeline(made, GPU("one", 1, made.needs() * 2)))
    assert made.timeline is not None and len(made.timeline.bands) <= 45
