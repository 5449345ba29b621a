"""Which programs are measured with which batch sizes and optimizers, and the sources of these runs."""

from __future__ import annotations

from collections.abc import Mapping

from tests.oracle.memory_along import GELUS
from tests.oracle.memory_beside import BESIDE
from tests.oracle.memory_fresh import FRESH
from tests.oracle.memory_gated import GATED
from tests.oracle.memory_gates import ALONG, SHARED
from tests.oracle.memory_models import MODELS, filled
from tests.oracle.memory_ordered import ORDERED
from tests.oracle.memory_pools import POOLS
from tests.oracle.memory_practice import PRACTICE
from tests.oracle.memory_scheduled import SCHEDULED
from tests.oracle.memory_sequences import SEQUENCES
from tests.oracle.memory_series import SERIES
from tests.oracle.memory_steps import BLOCKS, OWN, SUMS
from tests.oracle.memory_styles import STYLES
from tests.oracle.memory_tasks import TASKS
from tests.oracle.memory_towers import TOWERS
from tests.oracle.memory_users import USERS
from tests.oracle.memory_vision import VISION
from tests.oracle.memory_weights import WEIGHTS

MORE: Mapping[str, str] = {**VISION, **SEQUENCES, **OWN, **BLOCKS, **STYLES, **ORDERED, **SUMS, **ALONG}
ALL: Mapping[str, str] = {**MODELS, **MORE}
PLANS = ((4, "adam"), (8, "rmsprop")), ((4, "adam"), (16, "sgd"))
"""(batch size, optimizer) of every other program."""
OPTIMIZERS = tuple(f"keras.optimizers.{made}" for made in (
    "SGD(weight_decay=1e-4)", "SGD(momentum=0.9, nesterov=True)", "SGD(momentum=0.9, weight_decay=1e-4)",
    "RMSprop(momentum=0.9)", "RMSprop(centered=True)", "Adagrad()", "Adadelta()", "Adamax()", "Nadam()", "AdamW()",
    "Lion()", "Ftrl()", "Adafactor()", "Lamb()", "Adam(amsgrad=True)", "Adam(clipnorm=1.0)", "Adam(clipvalue=0.5)",
    "Adam(global_clipnorm=1.0)", "Adam(use_ema=True)", "LossScaleOptimizer(keras.optimizers.Adam())"))
TRAINED = ("normed", "mlp")
"""Programs of which every optimizer is measured: convolutions, and products."""
LOOPS = frozenset({"lstm", "both_ways", "both_gru", "masked", "stacked", "states", "frames"})
"""Layers over time, of which XLA compiles none by default: cuDNN or TensorFlow runs them."""
HALVED = ("resnet", "mobilenet", "vgg", "normed", "unet", "excited", "transformer", "hard_swish",
          "spread")
FULL = ("frames", "video", "masked", "windowed", "at_once", "stacked", "padded", "codes", "reader", "both_ways",
        "states", "texts", "untold")
"""Programs that take notably more or less where the batch divides the rows, so that the graph of fit() knows it."""
POLICY = 'keras.mixed_precision.set_global_policy("mixed_float16")\n'
Run = tuple[str, int, str]


def runs() -> list[Run]:
    return [*((name, *plan) for number, name in enumerate(MORE) for plan in PLANS[number % 2]),
            *((name, 8, optimizer) for name in TRAINED for optimizer in OPTIMIZERS)]


def full() -> list[Run]:
    return [run for run in runs() if run[0] in FULL]


def compiled() -> dict[str, str]:
    """What XLA compiles: sources with 16 samples and Adam, some of them in mixed precision too, and those of users."""
    names = [name for name in ALL if name not in LOOPS | {*OWN, *STYLES, *ORDERED, *SUMS, *ALONG}]
    found = {f"{name} 16 adam": source((name, 16, "adam")) for name in names}
    for name in HALVED:
        text = source((name, 16, "adam"))
        found[f"{name} 16 adam mixed_float16"] = text.replace("import keras\n", f"import keras\n{POLICY}", 1)
    return {**found, **USERS, **TASKS, **PRACTICE, **SCHEDULED, **SHARED, **POOLS, **GELUS, **FRESH, **TOWERS,
            **BESIDE, **WEIGHTS, **GATED, **SERIES}


def source(run: Run) -> str:
    name, batch, optimizer = run
    return filled(ALL[name], batch, optimizer)


def key(run: Run) -> str:
    return " ".join(map(str, run))
