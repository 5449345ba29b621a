"""What `cudnnlint memory` prints about a U-Net, for its page in the documentation."""

from __future__ import annotations

from cudnnlint.engine.deep import call_deep
from cudnnlint.engine.memory import Asked, Fit, fits_in
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.facts.libraries import Libraries
from cudnnlint.memory.gpus import ASSUMED
from cudnnlint.report.memory.picture import Picture, svg
from cudnnlint.report.memory.tables import curve
from cudnnlint.report.memory.text import block, heading, needs
from cudnnlint.source import Source

SAMPLE = '''\
import numpy as np
import keras
from keras import layers

BATCH = 64


def pair(x, filters):
    for _ in range(2):
        x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
    return x


images = x = keras.Input((256, 256, 3))
skips = []
for filters in (32, 64, 128):
    x = pair(x, filters)
    skips.append(x)
    x = layers.MaxPooling2D()(x)
x = pair(x, 256)
for filters, skip in zip((128, 64, 32), reversed(skips)):
    x = layers.Conv2DTranspose(filters, 2, strides=2)(x)
    x = pair(layers.Concatenate()([x, skip]), filters)
unet = keras.Model(images, layers.Conv2D(1, 1, activation="sigmoid")(x))

unet.compile("adam", "binary_crossentropy")
x, y = np.zeros((640, 256, 256, 3), "uint8"), np.zeros((640, 256, 256, 1), "uint8")
unet.fit(x, y, batch_size=BATCH)
'''


def sections() -> dict[str, str]:
    """The generated parts of docs/memory.md."""
    told = _printed(Asked())
    drawn = _printed(Asked((8, 16, 32, 64, 128)))
    return {"memory-sample": f"```python\n{SAMPLE}```\n", "memory": f"```text\n{told}\n```\n",
            "memory-curve": f"```text\n{drawn}\n```\n"}


def picture() -> str:
    """The U-Net as --svg draws it."""
    return svg([Picture(f"{fit.place}  {heading(fit.model, fit.estimate, fit.stack)}",
                        needs(fit.estimate, ASSUMED), fit.estimate, ASSUMED) for fit in _told(Asked(timeline=True))])


def _told(asked: Asked) -> list[Fit]:
    settings = Settings(keras="3.15", tensorflow="2.21")
    source = Source.from_text("train.py", SAMPLE)
    return call_deep(lambda: fits_in(source, settings, asked, Libraries(())))[0]


def _printed(asked: Asked) -> str:
    lines: list[str] = []
    for fit in _told(asked):
        lines += block(fit.place, fit.model, fit.estimate, fit.stack, ASSUMED) if not fit.curve else curve(fit.curve,
                                                                                                        ASSUMED)
    return "\n".join(lines)
