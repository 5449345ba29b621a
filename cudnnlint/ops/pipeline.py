"""keras.layers.Pipeline: preprocessing layers one after another."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.protocol import LayerCall, Outcome, Weight, layer
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Stack, Unknown


@record(frozen=True, slots=True)
class Pipeline:
    """The composition of `layers`."""

    layers: Any

    def check(self, stack: Stack) -> tuple[Mismatch, ...]:
        return ()

    def infer(self, call: LayerCall) -> Outcome:
        if not isinstance(self.layers, (list, tuple)):
            return Unknown("layers")
        value = call.inputs
        for each in self.layers:
            value = call.apply(each, value)
            if isinstance(value, Unknown | Mismatch):
                return value
        return value if self.layers else Unknown("an empty pipeline")

    def weights(self, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        if not isinstance(self.layers, (list, tuple)):
            return Unknown("layers")
        found: list[Weight] = []
        value = call.inputs
        for each in self.layers:
            own = call.weigh(each, value)
            if not isinstance(own, tuple):
                return own if isinstance(own, Unknown) else Unknown("nested weights")
            found.extend(own)
            value = call.apply(each, value)
            if isinstance(value, Unknown | Mismatch):
                return Unknown("a step of the pipeline")
        return tuple(found)


@layer("keras.layers.Pipeline", versions={"": ">=3.6"})
def pipeline(layers: Any) -> Pipeline:
    return Pipeline(layers)
