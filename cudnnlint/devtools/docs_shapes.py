"""What `cudnnlint shapes` prints about a small program, for its page in the documentation."""

from __future__ import annotations

from cudnnlint.engine.deep import call_deep
from cudnnlint.engine.tables.annotations import annotated
from cudnnlint.engine.tables.follow import Followed, follow
from cudnnlint.engine.tables.making import shapes_of
from cudnnlint.report.shapes import annotate, table
from cudnnlint.source import Source
from cudnnlint.values import Stack

SAMPLE = '''\
import os

import keras
from keras import layers


class Block(layers.Layer):
    def __init__(self, filters):
        super().__init__()
        self.conv = layers.Conv2D(filters, 3, strides=2, padding="same")
        self.norm = layers.BatchNormalization()

    def call(self, x):
        return self.norm(self.conv(x))


backbone = keras.Sequential([keras.Input((32, 32, 3)), Block(16), Block(32)], name="backbone")
backbone.trainable = False

images = keras.Input((32, 32, 3))
x = layers.GlobalAveragePooling2D()(backbone(images))
x = layers.Dense(int(os.environ["WIDTH"]))(x)
model = keras.Model(images, layers.Dense(10)(x))
'''


def sections() -> dict[str, str]:
    """The generated parts of docs/shapes.md."""
    followed = call_deep(_followed)
    printed = call_deep(lambda: table.render([shapes_of(followed)]))
    commented = call_deep(lambda: annotate.render([annotated(followed)]))
    tail = "".join(commented.splitlines(keepends=True)[16:])
    return {"shapes": f"```text\n{printed.rstrip()}\n```\n", "annotated": f"```python\n{tail.rstrip()}\n```\n"}


def _followed() -> Followed:
    return follow(Source.from_text("net.py", SAMPLE), Stack())
