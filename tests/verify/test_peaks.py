"""The worker itself on libraries that tell of a GPU: which of their counters it reads, and when it resets them."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.source import Source
from cudnnlint.verify.interpreter import Interpreter
from cudnnlint.verify.run import Limits, verified

if find_spec("numpy") is None:
    pytest.skip("the worker makes its data with NumPy", allow_module_level=True)

GIB = 1 << 30
WARM_UP, STEP = 9 * GIB, 3 * GIB
"""What the first step takes at most, with what is tried out in it, and any other."""
KERAS = f"""
__version__ = "3.15.1"
import os
counter = __import__("counter")
class Any:
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Any()
    def __call__(self, *args, **kwargs):
        return Any()
backend = mixed_precision = layers = optimizers = losses = Input = Any()
class Model:
    def __init__(self, *args):
        self.steps = 0
    def compile(self, **kwargs):
        pass
    def train_on_batch(self, x, y):
        self.steps += 1
        counter.now = max(counter.now, {WARM_UP} if self.steps == 1 else {STEP})
"""
LIBRARIES = {
    "tensorflow": """
counter = __import__("counter")
__version__ = "2.21.0"
class config:
    list_physical_devices = staticmethod(lambda kind: ["a GPU"] if kind == "GPU" else [])
    class experimental:
        get_device_details = staticmethod(lambda gpu: {"device_name": "NVIDIA L4"})
        get_memory_info = staticmethod(lambda place: {"current": 1, "peak": counter.now} if place == "GPU:0" else {})
        reset_memory_stats = staticmethod(lambda place: setattr(counter, "now", 1))
""", "torch": """
counter = __import__("counter")
__version__ = "2.13.0"
class cuda:
    is_available = staticmethod(lambda: True)
    get_device_name = staticmethod(lambda index: "NVIDIA L4")
    max_memory_allocated = staticmethod(lambda: counter.now)
    reset_peak_memory_stats = staticmethod(lambda: setattr(counter, "now", 1))
""", "jax": """
counter = __import__("counter")
__version__ = "0.10.2"
class Device:
    platform, device_kind = "gpu", "NVIDIA L4"
    memory_stats = staticmethod(lambda: {"bytes_in_use": 1, "peak_bytes_in_use": counter.now})
def devices():
    return [Device()]
"""}
PROGRAM = """\
import keras
import numpy as np
from keras import layers
model = keras.Sequential([keras.Input((64, 64, 3)), layers.Conv2D(64, 3), layers.Flatten(), layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(np.zeros((320, 64, 64, 3)), np.zeros((320, 1)), batch_size=16)
"""


@pytest.mark.parametrize(("backend", "peak"), [("tensorflow", "3.00"), ("torch", "3.00"), ("jax", "9.00")])
def test_the_peak_is_that_of_the_second_step(tmp_path: Path, backend: str, peak: str) -> None:
    """JAX has no counter that starts anew: its peak is that of both steps."""
    for name, text in (("keras", KERAS), (backend, LIBRARIES[backend]), ("counter", "now = 1\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(text)
    numpy = find_spec("numpy")
    assert numpy is not None and numpy.origin is not None
    paths = (str(tmp_path), str(Path(numpy.origin).parents[1]))
    here = Interpreter(sys.executable, paths, frozenset({"keras", backend}))
    findings = [each for each in check_source(Source.from_text("m.py", PROGRAM), Settings(gpu="16MiB"))
                if each.rule == "out-of-memory"]
    (found,) = verified(findings, here, device="gpu", limits=Limits(start=60, job=30, total=90))
    told = found.verification
    assert told is not None and told.verdict == "confirmed", told
    assert told.device == "NVIDIA L4" and told.note.startswith(f"measured peak {peak} GiB (prediction -"), told
