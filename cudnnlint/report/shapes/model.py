"""What `cudnnlint shapes` has to say about a file: frozen data, from the inference to the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from cudnnlint.records import record
from cudnnlint.source import Source, Span


@record(frozen=True, slots=True)
class Totals:
    """Parameters and the bytes that they take: of those that are known.

    unknown  why others are not, one reason each: then the numbers are lower bounds
    unsure   whether it is not known which of them are trained
    sized    whether the dtype of each is known, and with it the bytes
    """

    trainable: int = 0
    frozen: int = 0
    trainable_bytes: int = 0
    frozen_bytes: int = 0
    unknown: tuple[str, ...] = ()
    unsure: bool = False
    sized: bool = True

    @property
    def count(self) -> int:
        return self.trainable + self.frozen

    @property
    def bytes(self) -> int:
        return self.trainable_bytes + self.frozen_bytes


@record(frozen=True, slots=True)
class Layer:
    """One layer, model or function as it is applied.

    inputs, output  structures of Tensors; None where it was never called
    totals          its parameters; None where it has none to count (a function, a layer counted above)
    shared          counted where it stands for the first time
    notes           what to say below it
    within          what it is made of
    times           how often it is applied alike
    """

    label: str
    span: Span | None = None
    inputs: Any = None
    output: Any = None
    totals: Totals | None = None
    shared: bool = False
    notes: tuple[str, ...] = ()
    within: tuple[Layer, ...] = ()
    times: int = 1


@record(frozen=True, slots=True)
class Table:
    """A model, or (without `kind`) layers that belong to none.

    title   what it is called; kind "functional model", "sequential model", "subclassed model Net"
    inputs, output  of the model as a whole, as far as they are known
    calls   the calls under way when it was made, outermost first
    notes   what to say before the layers; assumptions: the defaults that it rests on
    alike   how many models there are of which all this is true
    """

    title: str
    span: Span
    layers: tuple[Layer, ...]
    kind: str = ""
    inputs: Any = None
    output: Any = None
    calls: tuple[Span, ...] = ()
    notes: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    totals: Totals | None = None
    alike: int = 1


@record(frozen=True, slots=True)
class Shapes:
    """All tables of one file, in the order met.

    sources  by path, for notebook cells
    cut      where the file was not followed to its end, and why: layers may be missing
    """

    path: str
    tables: tuple[Table, ...]
    sources: Mapping[str, Source] = field(default_factory=dict)
    cut: tuple[tuple[Span, str], ...] = ()
