"""Models with a layer that cannot be followed: at least what is computed before it is needed."""

from __future__ import annotations

import re

import pytest

from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.source import Source
from tests.memory.test_estimates import estimate
from tests.oracle.memory_models import HEAD

NET = f"""{HEAD}
import somewhere

class Mystery(layers.Layer):
    def call(self, x):
        return somewhere.transform(x)
"""
FUNCTIONAL = """
inputs = x = keras.Input((256, 256, 3))
for _ in range(2):
    x = layers.Conv2D(64, 3, padding="same", activation="relu")(x)
for _ in range(2):
    x = Mystery()(x)
model = keras.Model(inputs, layers.Conv2D(1, 1)(x))
"""
SUBCLASSED = """
class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.a, self.b = (layers.Conv2D(64, 3, padding="same", activation="relu") for _ in range(2))
        self.mystery, self.last = Mystery(), layers.Conv2D(1, 1)
    def call(self, x):
        return self.last(self.mystery(self.b(self.a(x))))
model = Net()
"""
FIT = """
model.compile("adam", "mse", jit_compile=HOW)
model.fit(np.zeros((512, 256, 256, 3), "float32"), np.zeros((512, 256, 256, 1), "float32"), batch_size=BATCH)
"""


@pytest.mark.parametrize("how", ["True", "False"])
@pytest.mark.parametrize("model", [FUNCTIONAL, SUBCLASSED])
def test_what_a_convolution_before_it_takes_and_gives_is_there(model: str, how: str) -> None:
    """Whether it is kept for the way back is not known: nothing is counted as that."""
    found = estimate(NET + model + FIT.replace("HOW", how).replace("BATCH", "64"))
    assert found.lower_bound
    assert found.terms.activations == 0
    assert found.terms.transient == pytest.approx(2 << 30, rel=0.01)
    assert found.terms.weights == 4 * (3 * 9 * 64 + 64 + 64 * 9 * 64 + 64)


def test_that_alone_may_be_too_much() -> None:
    text = NET + FUNCTIONAL + FIT.replace("HOW", "False")
    told = {batch: [finding for finding in check_source(Source.from_text("program.py", text.replace("BATCH", batch)),
                                                        Settings()) if finding.rule == "out-of-memory"]
            for batch in ("256", "512")}
    assert not told["256"]
    (finding,) = told["512"]
    assert "needs at least 15.8 GiB" in finding.message
    assert finding.help == "no batch of more than 283 fits"
    assert finding.fix is None


def test_what_it_is_made_of_adds_up() -> None:
    """At least so much where parts are not known, else with what the allocator adds."""
    text = NET + FUNCTIONAL + FIT.replace("HOW", "False").replace("BATCH", "512")
    known = text.replace("    x = Mystery()(x)", "    x = layers.Conv2D(64, 3, padding='same')(x)")
    for program, more in ((text, 0), (known, 1)):
        (found,) = [one.message for one in check_source(Source.from_text("program.py", program), Settings())
                    if one.rule == "out-of-memory"]
        whole, terms = found.split(": ")
        (needs, _), parts = amounts(whole), amounts(terms)
        assert len(parts) == 2 + more
        assert sum(parts) == pytest.approx(needs, rel=0.01)


def amounts(text: str) -> list[float]:
    units = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
    return [float(number) * units[unit] for number, unit in re.findall(r"([\d.]+) ([KMG]iB)", text)]
