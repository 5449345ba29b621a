"""Convolutions and poolings as cuDNN's descriptors tell them, of the layers of Keras and the modules of PyTorch."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from cudnnlint.events import LayerInfo, tensors
from cudnnlint.records import record
from cudnnlint.values import Problem

SIDE, WIDTH, ROWS = 32, 8, 2
"""What stands in for an extent, for channels and for rows that are not known."""
_NAME = re.compile(r"(?:keras\.layers|torch\.nn)\.(?P<by>Depthwise|Separable)?"
                   r"(?:(?P<conv>Conv(?:olution)?)|(?P<pool>Max|Average|Avg)Pool(?:ing)?)"
                   r"(?P<back>Transpose)?(?P<rank>[123])[Dd](?P<turned>Transpose)?")
ASKED = frozenset({Problem.EMPTY_DIM, Problem.CHANNELS, Problem.GROUPS, Problem.NON_POSITIVE, Problem.INTEGER_INPUT})
OF_SLIDE = ("cudnnSetConvolution2d", "cudnnSetConvolutionNd")
OF_GRAPH = ("cudnnBackendFinalize of the operation",)
REFUSES = {"strides": OF_SLIDE, "dilation_rate": OF_SLIDE, "padding": OF_SLIDE,
           "groups": ("cudnnSetConvolutionGroupCount",), "kernel_size": ("cudnnSetFilter",),
           "filters": ("cudnnSetFilter",)}
"""Argument -> the functions that look at it."""
AS_KERAS = {"stride": "strides", "dilation": "dilation_rate", "out_channels": "filters", "pool_size": "kernel_size"}
"""Names that PyTorch, and poolings, have for the same."""


@record(frozen=True, slots=True)
class Question:
    """`engine/claims/cudnn.py: question_of` says what each is."""

    job: dict[str, Any]
    at: tuple[str, ...]
    own: bool = False
    where: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


@record(frozen=True, slots=True)
class Seen:
    """An input in the order (N, C, *spatial), and what stands in."""

    rows: int
    channels: int
    spatial: tuple[int, ...]
    notes: tuple[str, ...] = ()


@record(frozen=True, slots=True)
class Window:
    """What slides: a convolution, or a pooling of this kind; one channel at a time, or backwards.

    told  its arguments, by the names that the convolutions of Keras have for them
    """

    rank: int
    told: Mapping[str, Any]
    first: bool
    pool: str = ""
    depthwise: bool = False
    back: bool = False


def window_question(layer: LayerInfo, inputs: Any, problem: Problem, argument: str = "",
                    before: Any = None) -> Question | None:
    """None for another layer, for a problem that descriptors do not show, and for arguments that are not known."""
    found = _NAME.fullmatch(layer.path)
    if found is None:
        return None
    told = {AS_KERAS.get(name, name): value for name, value in layer.arguments.items()}
    first = layer.path.startswith("torch.") or str(told.get("data_format")).lower() == "channels_first"
    window = Window(int(found["rank"]), told, first, (found["pool"] or "").lower(), bool(found["by"]),
                    bool(found["back"] or found["turned"]))
    return asked(window, inputs, problem, argument, _built(before, told, first))


def asked(window: Window, inputs: Any, problem: Problem, argument: str = "",
          built: int | None = None) -> Question | None:
    """`built` is the number of channels that the weights are for, where it is not that of the input."""
    seen = _seen(inputs, window.rank, window.first, window.told) if problem in ASKED else None
    if seen is None:
        return None
    job = _pooling(window, seen) if window.pool else _convolution(window, seen, built)
    at = _at(problem, AS_KERAS.get(argument, argument), window.told, bool(window.pool))
    if window.back:
        at = {Problem.EMPTY_DIM: ("cudnnSetTensor",), Problem.NON_POSITIVE: at}.get(problem, ())
    if job is None or not at:
        return None
    if at == OF_GRAPH:
        job["ask"] = "operation"
    given = tensors(inputs)
    dtype = given[0].dtype if problem is Problem.INTEGER_INPUT and given else "float32"
    job |= {"dtype": dtype if isinstance(dtype, str) else "float32", "format": "NCHW" if window.first else "NHWC"}
    return Question(_planar(job) if window.rank == 1 else job, at, notes=seen.notes)


def _at(problem: Problem, argument: str, told: Mapping[str, Any], pools: bool) -> tuple[str, ...]:
    if problem is Problem.NON_POSITIVE:
        looked = ("cudnnSetPooling",) if argument in ("kernel_size", "strides") else ()
        return looked if pools else REFUSES.get(argument, ())
    if problem is Problem.INTEGER_INPUT:
        return ("cudnnSetTensor",)
    if problem is Problem.GROUPS:
        return OF_GRAPH if _uneven(told) else ("cudnnGetConvolution", "cudnnSetFilter")
    return ("cudnnGetPooling",) if pools else ("cudnnGetConvolution",)


def _uneven(told: Mapping[str, Any]) -> bool:
    """Filters that groups do not divide: cudnnGetConvolution2dForwardOutputDim takes 4 filters in 3 groups, the graph
    API does not."""
    filters, groups = told.get("filters"), told.get("groups")
    return isinstance(filters, int) and isinstance(groups, int) and groups > 0 and filters % groups != 0


def _seen(inputs: Any, rank: int, first: bool, told: Mapping[str, Any]) -> Seen | None:
    """An input that is not there, before a layer is called, is one that fits."""
    given, groups = tensors(inputs), told.get("groups")
    if not given:
        fitting = told.get("in_channels", WIDTH * groups if isinstance(groups, int) and groups > 0 else WIDTH)
        return Seen(ROWS, fitting, (SIDE,) * rank, ("an input that fits",)) if isinstance(fitting, int) else None
    shape = given[0].shape
    if not isinstance(shape, tuple) or len(shape) not in (rank + 1, rank + 2):
        return None
    notes: dict[str, None] = {}

    def known(extent: Any, stand_in: int, note: str) -> int:
        if isinstance(extent, int):
            return extent
        notes[note] = None
        return stand_in

    rows, *rest = shape if len(shape) == rank + 2 else (1, *shape)
    channels, spatial = (rest[0], rest[1:]) if first else (rest[-1], rest[:-1])
    return Seen(known(rows, ROWS, f"batch {ROWS}"), known(channels, WIDTH, f"{WIDTH} channels"),
                tuple(known(each, SIDE, f"side {SIDE} for an open extent") for each in spatial), tuple(notes))


def _built(before: Any, told: Mapping[str, Any], first: bool) -> int | None:
    """The channels that the weights are for, where they are others than those of the input."""
    if isinstance(told.get("in_channels"), int):
        return int(told["in_channels"])
    given = tensors(before)
    shape = given[0].shape if given else None
    channels = shape[1 if first else -1] if isinstance(shape, tuple) and len(shape) > 2 else None
    return channels if isinstance(channels, int) else None


def _each(value: Any, rank: int) -> list[int] | None:
    """One number an axis."""
    values = [value] * rank if isinstance(value, int) else list(value) if isinstance(value, (list, tuple)) else []
    return values if len(values) == rank and all(type(each) is int for each in values) else None


def _convolution(window: Window, seen: Seen, built: int | None) -> dict[str, Any] | None:
    told, rank = window.told, window.rank
    kernel, strides = _each(told.get("kernel_size"), rank), _each(told.get("strides", 1), rank)
    dilation = _each(told.get("dilation_rate", 1), rank)
    filters, groups = told.get("filters"), told.get("groups", 1)
    if window.depthwise:
        multiplier = told.get("depth_multiplier", 1)
        filters, groups = multiplier * seen.channels if isinstance(multiplier, int) else None, built or seen.channels
    if kernel is None or strides is None or dilation is None or not isinstance(filters, int) \
            or not isinstance(groups, int) or (moved := _moved(told, seen, kernel, strides, dilation)) is None:
        return None
    spatial, padding = moved
    width = (built or seen.channels) // groups if groups > 0 else built or seen.channels
    job = {"ask": "convolution", "x": [seen.rows, seen.channels, *spatial], "kernel": [filters, width, *kernel],
           "strides": strides, "dilation": dilation, "padding": padding, "groups": groups}
    if window.back:
        job |= _turned(told, seen, job)
    return job


def _turned(told: Mapping[str, Any], seen: Seen, job: Mapping[str, Any]) -> dict[str, Any]:
    """The convolution that a transposed one is the gradient of: it makes `x` of `y`."""
    filters, groups, kernel = job["kernel"][0], job["groups"], job["kernel"][2:]
    padding = [0] * len(kernel) if isinstance(told.get("padding"), str) else job["padding"]
    after = [(size - 1) * stride - 2 * around + (extent - 1) * rate + 1 for size, stride, extent, rate, around
             in zip(seen.spatial, job["strides"], kernel, job["dilation"], padding, strict=True)]
    return {"x": [seen.rows, seen.channels, *seen.spatial], "y": [seen.rows, filters, *after], "padding": padding,
            "kernel": [seen.channels, filters // groups if groups > 0 else filters, *kernel]}


def _moved(told: Mapping[str, Any], seen: Seen, kernel: list[int], strides: list[int],
           dilation: list[int]) -> tuple[list[int], list[int]] | None:
    """(spatial extents, padding); where the padding is longer behind, the input is (conv_ops_impl.h: LaunchConvOp)."""
    padding, spatial = told.get("padding", "valid"), list(seen.spatial)
    if not isinstance(padding, str):
        both = _each(padding, len(spatial))
        return None if both is None else (spatial, both)
    if padding.lower() == "causal":
        return [spatial[0] + (kernel[0] - 1) * dilation[0]], [0]
    if padding.lower() != "same" or min(strides) <= 0:
        return spatial, [0] * len(spatial)
    added = [max((-(-size // stride) - 1) * stride + (extent - 1) * rate + 1 - size, 0) for size, stride, extent, rate
             in zip(spatial, strides, kernel, dilation, strict=True)]
    return [size + each % 2 for size, each in zip(spatial, added, strict=True)], [each // 2 for each in added]


def _pooling(window: Window, seen: Seen) -> dict[str, Any] | None:
    told, rank = window.told, window.rank
    extents = _each(told.get("kernel_size"), rank)
    strides = extents if told.get("strides") is None else _each(told["strides"], rank)
    if extents is None or strides is None or told.get("dilation_rate", 1) not in (1, (1,) * rank):
        return None  # cuDNN's windows have no holes
    moved = _moved(told, seen, extents, strides, [1] * rank)
    if moved is None:
        return None
    spatial, padding = moved
    return {"ask": "pooling", "mode": "max" if window.pool == "max" else "average", "window": extents,
            "strides": strides, "padding": padding, "x": [seen.rows, seen.channels, *spatial]}


def _planar(job: dict[str, Any]) -> dict[str, Any]:
    """One axis as two, as frameworks give it to cuDNN (tensorflow/python/ops/nn_ops.py: conv1d)."""
    lead: dict[str, Any] = {name: [*job[name][:2], 1, *job[name][2:]] for name in ("x", "y", "kernel") if name in job}
    fill = {"strides": 1, "dilation": 1, "padding": 0, "window": 1}
    return {**job, **lead, **{name: [one, *job[name]] for name, one in fill.items() if name in job}}
