"""How alpha, depth_multiplier and minimalistic change the layers of the MobileNets, from their published source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cudnnlint.facts.applications import Row
from cudnnlint.values import Unknown

Scaled = Mapping[str, int] | Unknown
"""Name of a convolution -> its filters."""


def divisible(width: float) -> int:
    """keras/src/applications/mobilenet_v2.py: _make_divisible by 8; mobilenet_v3.py: _depth.

    >>> divisible(32 * 0.35), divisible(16 * 0.35), divisible(24 * 1.4)
    (16, 8, 32)
    """
    rounded = max(8, int(width + 4) // 8 * 8)
    return rounded + 8 if rounded < 0.9 * width else rounded


def scaled(module: str, rows: Sequence[Row], alpha: Any, depth_multiplier: Any) -> tuple[Row, ...] | Unknown:
    """The rows of a graph recorded with alpha=1 and depth_multiplier=1 for other values."""
    if isinstance(alpha, Unknown) or isinstance(depth_multiplier, Unknown):
        return Unknown("alpha or depth_multiplier is not known")
    if alpha == 1 and depth_multiplier == 1:
        return tuple(rows)
    if not isinstance(alpha, int | float) or not isinstance(depth_multiplier, int) or alpha <= 0:
        return Unknown("alpha or depth_multiplier of another kind")
    widths = WIDTHS[module](rows, alpha)
    if isinstance(widths, Unknown):
        return widths
    return tuple(_with(row, widths.get(row.name), depth_multiplier) for row in rows)


def _with(row: Row, filters: int | None, depth_multiplier: int) -> Row:
    if row.kind == "DepthwiseConv2D" and depth_multiplier != 1:
        return replace(row, arguments={**row.arguments, "depth_multiplier": depth_multiplier})
    return row if filters is None else replace(row, arguments={**row.arguments, "filters": filters})


def _convolutions(rows: Sequence[Row]) -> list[tuple[str, int]]:
    return [(row.name, row.arguments["filters"]) for row in rows
            if row.kind == "Conv2D" and isinstance(row.arguments["filters"], int)]


def mobilenet(rows: Sequence[Row], alpha: float) -> Mapping[str, int]:
    """keras/src/applications/mobilenet.py: _conv_block, _depthwise_conv_block."""
    return {name: int(filters * alpha) for name, filters in _convolutions(rows) if name != "conv_preds"}


def mobilenet_v2(rows: Sequence[Row], alpha: float) -> Scaled:
    """keras/src/applications/mobilenet_v2.py: _inverted_res_block."""
    found: dict[str, int] = {}
    width = 0
    for name, filters in _convolutions(rows):
        if name == "Conv1":
            width = found[name] = divisible(32 * alpha)
        elif name == "Conv_1":
            found[name] = divisible(1280 * alpha) if alpha > 1 else 1280
        elif name.endswith("_expand"):
            found[name] = 6 * width
        else:
            width = found[name] = divisible(int(filters * alpha))
    return _same_shortcuts(rows, found, (32, found["Conv1"]))


def mobilenet_v3(rows: Sequence[Row], alpha: float) -> Scaled:
    """keras/src/applications/mobilenet_v3.py: MobileNetV3, _inverted_res_block, _se_block."""
    found: dict[str, int] = {}
    width = base = 16  # the stem does not depend on alpha
    inner = 16
    for name, filters in _convolutions(rows):
        part = name.lower().replace("/", "_")  # Keras 2 writes expanded_conv_1/expand
        if part.endswith("_expand"):
            inner = found[name] = divisible(width * (filters / base))
        elif part.endswith("squeeze_excite_conv"):
            found[name] = divisible(inner * 0.25)
        elif part.endswith("squeeze_excite_conv_1"):
            found[name] = inner
        elif part.endswith("_project"):
            width, base = divisible(filters * alpha), filters
            found[name] = width
        elif part == "conv_1":
            found[name] = divisible(width * 6)
        elif part == "conv_2" and alpha > 1:
            found[name] = divisible(filters * alpha)
    return _same_shortcuts(rows, found, (16, 16))


def _same_shortcuts(rows: Sequence[Row], found: dict[str, int], before: tuple[int, int]) -> Scaled:
    """A block adds its input where it has stride 1 and keeps the width: another alpha must not change which do.

    before  the recorded and the scaled width that the first block gets
    """
    strided = False
    for row in rows:
        if row.kind == "DepthwiseConv2D":
            strided = row.arguments.get("strides", 1) != 1
        if row.kind == "Conv2D" and row.name.endswith("project"):
            now = (row.arguments["filters"], found[row.name])
            if not strided and (now[0] == before[0]) != (now[1] == before[1]):
                return Unknown(f"with this alpha {row.name} has other shortcuts than those on record")
            before = now
    return found


WIDTHS: Mapping[str, Callable[[Sequence[Row], float], Scaled]] = {
    "mobilenet": mobilenet, "mobilenet_v2": mobilenet_v2, "mobilenet_v3": mobilenet_v3}
