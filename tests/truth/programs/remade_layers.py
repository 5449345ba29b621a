"""Layers made anew of their configuration, axes that an equation leaves open, questions to the objects themselves."""

import keras
from keras import layers


class Gate(layers.Layer):
    def __init__(self, units, bias=True, **kwargs):
        super().__init__(**kwargs)
        self.units, self.bias = units, bias
        self.wide = layers.Dense(units, use_bias=bias)

    def call(self, inputs):
        return self.wide(inputs)

    def get_config(self):
        return {**super().get_config(), "units": self.units, "bias": self.bias}


class Heads(layers.Layer):
    def __init__(self, heads):
        super().__init__()
        self.project = layers.EinsumDense("btm,mhd->bthd", (None, heads, 4))

    def call(self, inputs):
        return self.project(inputs)


class Featured(keras.Model):
    def __init__(self, inputs, outputs, settings):
        self.set_up(settings)
        found = {"features": outputs}
        if getattr(self, "_with_top", True) and keras.backend.is_keras_tensor(outputs):
            found["top"] = layers.Dense(self._classes)(outputs)
        super().__init__(inputs, found)

    def set_up(self, settings):
        self._classes = settings.pop("classes", 7 if hasattr(self, "classes") else 9)

    @property
    def classes(self):
        return self._classes


inputs = keras.Input((16, 8))
gate = Gate(5, bias=False, name="first")
again = Gate.from_config(gate.get_config())(inputs)
heads = Heads(2)(inputs)
model = Featured(inputs, layers.Dense(3)(inputs), {})
other = Featured(inputs, layers.Dense(3)(inputs), {"classes": 2})
