"""Labels, outputs and the losses that compare them, as events of training tell them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.events import Data, Event, LayerInfo, LossInfo, TrainingStarted, tensors
from cudnnlint.records import record
from cudnnlint.rules.losses import KNOWN, ONE_HOT, SPARSE, Extents, fits, stretches
from cudnnlint.rules.outputs import triples
from cudnnlint.values import BATCH, Tensor
from cudnnlint.values.unknown import ClassCount, SeveralClasses

METHODS = ("fit", "evaluate", "train_on_batch", "test_on_batch")
"""Methods of models that compare."""


@record(frozen=True, slots=True)
class Case:
    """One output, its labels and its loss; `t` and `o` are the extents of labels and output (rules/losses.py)."""

    y: Tensor
    output: Tensor
    loss: LossInfo
    t: Extents
    o: Extents
    keras_3: bool
    probabilities: bool
    form: str

    def fits(self) -> bool:
        if self.several_to_one:
            pass
        elif self.loss.name == SPARSE and len(self.t) == len(self.o) and self._is_one_hot():
            return self.o[-1] == 1
        if self.loss.name in (SPARSE, ONE_HOT) and len(self.t) == len(self.o) + 1 and self._is_one_hot():
            return False  # no axis of 1 that would be taken away
        # tf_keras/src/losses.py: LossFunctionWrapper.call brings only tensors to one rank
        form = "function" if self.form == "object" and not self.keras_3 and self.y.kind == "numpy" else self.form
        return fits(self.loss.name, self._least, self.o, keras_3=self.keras_3, probabilities=self.probabilities,
                    form=form, logits=self.loss.from_logits is True)

    def _is_one_hot(self) -> bool:
        return isinstance(self.y.shape, tuple) and isinstance(self.y.shape[-1], ClassCount)

    @property
    def several_to_one(self) -> bool:
        """Whether a column for each of some classes meets a single unit."""
        return isinstance(self.y.shape, tuple) and isinstance(self.y.shape[-1], SeveralClasses) \
            and len(self.t) == len(self.o) and self.o[-1] == 1

    @property
    def _least(self) -> Extents:
        return (*self.t[:-1], 2) if self.several_to_one else self.t

    def stretched(self) -> bool:
        """Whether it is accepted only since numbers are repeated along an axis."""
        return self.fits() and stretches(self.loss.name, self._least, self.o, keras_3=self.keras_3, form=self.form)


def cases_of(labels: Any, outputs: Any, losses: Any, event: Event, layer: LayerInfo | None, batch: int | None = None,
           form: str = "fit") -> Iterator[Case]:
    """What can be compared: the losses that are known, labels and outputs whose rank is."""
    undone = layer is not None and layer.arguments.get("activation") in ("sigmoid", "softmax")
    for y, output, loss in triples(labels, outputs, losses):
        t, o = _extents(y, batch), _extents(output, batch)
        if t and o and loss.name in KNOWN:
            yield Case(y, output, loss, t, o, event.stack.keras >= (3,), undone or loss.from_logits is True, form)


def cases_of_fit(event: TrainingStarted, data: Data | None) -> Iterator[Case]:
    """The same for what fit() or evaluate() was given. A model without Input has the batch of the data that it trains
    on in its outputs, which that of validation data need not be."""
    batch = batch_of(event, data)
    form = "batches" if data is not None and data.kind in ("generator", "sequence") else "fit"
    for case in cases_of(data.y if data is not None else None, event.model.outputs, event.model.losses, event,
                         event.model.layer, batch, form):
        if data is not event.validation or not isinstance(case.output.shape, tuple):
            yield case
        else:
            yield replace(case, output=case.output.with_(shape=(BATCH, *case.output.shape[1:])),
                          t=(batch, *case.t[1:]), o=(batch, *case.o[1:]))


def batch_of(event: TrainingStarted, data: Data | None) -> int | None:
    """Rows of the first batch of arrays; a call on one batch takes them all."""
    if event.method.endswith("_on_batch"):
        return data.rows if data is not None and isinstance(data.rows, int) else None
    if data is not None and (cut := _cut(data)) is not None:
        return cut
    if any(event.arguments.get(name) for name in ("steps_per_epoch", "validation_steps", "validation_batch_size")):
        return None  # they tell how many rows a batch has
    size = event.arguments.get("batch_size") or 32
    rows = _rows(data) if data is not None and data.kind == "arrays" else None
    return min(rows, size) if isinstance(rows, int) and isinstance(size, int) else None


def last_of_arrays(event: TrainingStarted) -> int | None:
    """Rows of the last batch of arrays, where they are fewer than those of the others
    (keras/src/trainers/data_adapters/array_slicing.py: train_validation_split)."""
    given, rows = event.arguments, event.data.rows
    split, size = given.get("validation_split") or 0, given.get("batch_size") or 32
    if any(given.get(name) is not None for name in ("steps_per_epoch", "steps")) or not isinstance(rows, int) \
            or not isinstance(split, float | int) or not 0 <= split < 1 or not isinstance(size, int) or size < 1:
        return None
    used = math.floor(rows * (1 - split)) if event.method == "fit" else rows
    return used % size if used > size and used % size else None


def _cut(data: Data) -> int | None:
    """Rows of every batch of what the model is fed, where all have as many."""
    first = next((x.shape[0] for x in tensors(data.x) if isinstance(x.shape, tuple) and x.shape), None)
    return first if isinstance(first, int) and data.kind == "arrays" else None


def _rows(data: Data) -> Any:
    """Rows of the labels, of which validation_split may have taken some."""
    first = next((y.shape[0] for y in tensors(data.y) if isinstance(y.shape, tuple) and y.shape), None)
    return first if isinstance(first, int) else data.rows


def _extents(x: Tensor, batch: int | None) -> Extents:
    if not isinstance(x.shape, tuple) or not x.shape:
        return ()
    first = x.shape[0] if isinstance(x.shape[0], int) else batch
    return (first, *(dim if isinstance(dim, int) else None for dim in x.shape[1:]))
