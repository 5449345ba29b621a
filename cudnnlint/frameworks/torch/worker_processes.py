"""Rows of a dataset that a DataLoader's workers would bring to a GPU: a forked process cannot use CUDA."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from cudnnlint.events import Event
from cudnnlint.frameworks.torch.collated import Collated
from cudnnlint.interp.functions import PLACED
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.places import place_of
from cudnnlint.source import Span
from cudnnlint.values import Tensor
from cudnnlint.values.origins import GPU

OTHER_METHOD = re.compile(r"set_start_method|get_context|multiprocessing_context")
"""What a program says that has its processes started otherwise."""


def note_gpu_in_workers(c: Call, element: Any, made: Collated | None) -> None:
    """`DataLoader(dataset, num_workers=4)` of a dataset, or with a collate_fn, that gives tensors on a GPU.

    Told at the end of the analysis, if the program itself uses CUDA: before that a worker may.
    """
    m, workers = c.machine, plain(c.get(5, "num_workers", 0))
    if type(workers) is not int or workers < 1 or m.trying or m.handlers or "multiprocessing_context" in c.kwargs:
        return
    found = next((one for one in _tensors(element if made is None else made.few) if place_of(one) == GPU), None)
    if found is None or any(frame.module.source is not None and OTHER_METHOD.search(frame.module.source.text)
                            for frame in m.frames):
        return
    from cudnnlint.events.devices import GpuInWorkers

    placed = _placed(found)
    event = m.event(GpuInWorkers, placed or c.span, about=found, workers=workers, tensor=found, loader=c.span)
    m.endings[f"workers {c.span}"] = partial(_told, m, event)


def _told(m: Machine, event: Event) -> None:
    if m.state.get(PLACED) is True:
        m.emit(event)


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, tuple | list) else ():
        yield from _tensors(part)


def _placed(tensor: Tensor) -> Span | None:
    """Where it is brought to the GPU; None if the dataset has it there already."""
    step = tensor.step
    return step.span if step is not None and step.maker in ("torch.Tensor.to", "torch.Tensor.cuda") else None


__all__ = ["note_gpu_in_workers"]
