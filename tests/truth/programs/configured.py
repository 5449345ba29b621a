"""A model that a dataclass describes."""

from dataclasses import dataclass, field, replace

from tensorflow import keras
from tensorflow.keras import layers


@dataclass
class StageConfig:
    filters: int
    repeats: int = 1
    stride: int = 2


@dataclass(frozen=True)
class ModelConfig:
    image_size: int = 96
    channels: int = 3
    stages: tuple = (StageConfig(16), StageConfig(32, repeats=2), StageConfig(64, 3))
    dropout: float = 0.2
    classes: list = field(default_factory=lambda: ["cat", "dog", "bird"])

    @property
    def input_shape(self):
        return self.image_size, self.image_size, self.channels

    @property
    def num_classes(self):
        return len(self.classes)


def stage(x, cfg):
    for i in range(cfg.repeats):
        x = layers.Conv2D(cfg.filters, 3, strides=cfg.stride if i == 0 else 1, padding="same", use_bias=False)(x)
        x = layers.BatchNormalization()(x)
        x = layers.Activation("relu")(x)
    return x


def build(cfg: ModelConfig) -> keras.Model:
    inputs = keras.Input(cfg.input_shape)
    x = inputs
    for each in cfg.stages:
        x = stage(x, each)
    x = layers.GlobalMaxPooling2D()(x)
    if cfg.dropout > 0:
        x = layers.Dropout(cfg.dropout)(x)
    return keras.Model(inputs, layers.Dense(cfg.num_classes)(x), name=f"net{cfg.image_size}")


large = build(ModelConfig())
small = build(replace(ModelConfig(), image_size=32, dropout=0.0, classes=["yes", "no"]))
