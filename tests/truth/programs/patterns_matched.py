"""match statements over what a configuration holds, and classes joined by | in isinstance()."""

from dataclasses import dataclass
from typing import Optional, Union

import keras
from keras import layers


@dataclass
class Wide:
    units: int
    times: int = 3


class Pair:
    __match_args__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b


def build(spec):
    match spec:
        case int(units) if units > 100:
            return layers.Dense(units // 100)
        case int() as units:
            return layers.Dense(units)
        case str("relu" | "gelu" as name):
            return layers.Activation(name)
        case ["dense", units]:
            return layers.Dense(units)
        case ["chain", *rest]:
            return keras.Sequential([build(each) for each in rest])
        case ("drop", rate) | {"drop": rate}:
            return layers.Dropout(rate)
        case {"units": [*_, units], **more}:
            return layers.Dense(units, **more)
        case Wide(units, times=times):
            return layers.Dense(units * times)
        case Pair(a, b):
            return layers.Dense(a + b)
        case None:
            return layers.Activation("linear")
    raise ValueError(spec)


Number = int | float
inputs = keras.Input((8,))
for spec in [200, 7, "relu", ["dense", 5], ["chain", 3, "gelu", ["dense", 9]], ("drop", 0.5), {"drop": 0.1},
             {"units": [4, 6], "use_bias": False}, Wide(4), Wide(2, 5), Pair(1, 2), None]:
    x = build(spec)(inputs)
    x = layers.Dense(x.shape[-1] + 1)(x)
    x = layers.Dense(2 if isinstance(spec, list | tuple) else 3)(x)
    x = layers.Dense(2 if isinstance(spec, Number) else 3)(x)
    x = layers.Dense(2 if isinstance(spec, Union[int, str]) else 3)(x)
    x = layers.Dense(2 if isinstance(spec, Optional[dict]) else 3)(x)
