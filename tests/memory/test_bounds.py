"""Which steps are estimated for the rules at all: those of which it is not clear that they fit."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.events.models import ModelBuilt
from cudnnlint.frameworks.training.estimates import Request
from cudnnlint.frameworks.training.graph_sizes import made_by
from cudnnlint.source import Source
from tests.interpret import events_of, of_kind
from tests.oracle.memory_models import HEAD

NET = f"""{HEAD}
inputs = x = keras.Input((256, 256, 3))
for _ in range(DEPTH):
    x = layers.Conv2D(64, 3, padding="same", activation="relu")(x)
model = keras.Model(inputs, layers.Conv2D(1, 1)(x))
model.compile("adam", "mse", jit_compile=False)
images, masks = np.zeros((512, 256, 256, 3), "float32"), np.zeros((512, 256, 256, 1), "float32")
"""
FIT = "model.fit(images, masks, batch_size=64)\n"


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Request]]:
    found: list[Request] = []
    estimate = Request._estimate

    def noted(self: Request, *given: object) -> object:
        found.append(self)
        return estimate(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Request, "_estimate", noted)
    yield found


@pytest.mark.parametrize(("depth", "text", "estimates", "findings"), [
    (1, FIT, 0, 0), (4, FIT, 1, 0), (4, FIT * 3, 1, 0), (4, FIT + FIT.replace("64", "60"), 2, 0),
    (4, FIT + 'model.compile("sgd", "mse", jit_compile=False)\n' + FIT, 2, 0), (40, FIT * 2, 2, 2)])
def test_a_step_that_was_told_to_fit_is_not_estimated_again(
        counted: list[Request], depth: int, text: str, estimates: int, findings: int) -> None:
    """Of the same model, compiled as it was; one that does not fit is told each time."""
    source = Source.from_text("program.py", NET.replace("DEPTH", str(depth)) + text)
    told = [finding for finding in check_source(source, Settings()) if finding.rule == "out-of-memory"]
    assert len(counted) == estimates
    assert len(told) == findings


def test_a_model_within_is_bounded_as_often_as_it_is_called() -> None:
    text = f"""{HEAD}
inner = keras.Sequential([keras.Input((64, 64, 3)), layers.Conv2D(64, 3, padding="same"), layers.ReLU()])
inputs = [keras.Input((64, 64, 3)) for _ in range(TIMES)]
made = [layers.GlobalAveragePooling2D()(inner(one)) for one in inputs]
model = keras.Model(inputs, layers.Add()(made) if TIMES > 1 else made[0])
"""
    sizes = [made_by(of_kind(events_of(text.replace("TIMES", times)), ModelBuilt)[-1].applied.output, 8)
             for times in "14"]
    assert 3.9 < sizes[1] / sizes[0] < 4.1
