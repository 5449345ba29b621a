"""Shapes, parameters and bytes as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.memory.amounts import MOST, amount
from cudnnlint.report.shapes.model import Totals
from cudnnlint.values import BATCH, Tensor, Unknown, show
from cudnnlint.values.tensor import tensors


def shape_text(value: Any, batch: int | None = None) -> str:
    """`[B, 8, 8, 64]`, `2 x [B, 8]`, `[B, 8], [B, 4]`; "" for nothing, `?` for what is not known.

    >>> shape_text([Tensor((BATCH, 8)), Tensor((BATCH, 8))]), shape_text(Tensor((BATCH, 8)), 32)
    ('2 x [B, 8]', '[32, 8]')
    """
    if value is None:
        return ""
    runs: list[tuple[str, int]] = []
    for leaf in _leaves(value):
        text = show(_with_batch(leaf, batch)) if isinstance(leaf, Tensor) else "?"
        if runs and runs[-1][0] == text:
            runs[-1] = text, runs[-1][1] + 1
        else:
            runs.append((text, 1))
    return ", ".join(text if count == 1 else f"{count} x {text}" for text, count in runs) or "?"


def _leaves(value: Any) -> Iterator[Any]:
    """The tensors of a structure, and what stands for one."""
    if isinstance(value, Tensor | Unknown):
        yield value
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    for part in parts:
        yield from _leaves(part)


def tensor_text(value: Any, batch: int | None = None) -> str:
    """`float32[B, 8, 8, 64]`, several in brackets as Python would write them."""
    if isinstance(value, Tensor):
        return f"{value.dtype}{show(_with_batch(value, batch))}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {tensor_text(item, batch)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        inner = ", ".join(tensor_text(item, batch) for item in value)
        return f"[{inner}]" if isinstance(value, list) else f"({inner})"
    return "?" if isinstance(value, Unknown) else repr(value)


def _with_batch(tensor: Tensor, batch: int | None) -> Any:
    if batch is None or isinstance(tensor.shape, Unknown):
        return tensor.shape
    return tuple(batch if dim == BATCH else dim for dim in tensor.shape)


def dtype_text(value: Any) -> str:
    """The dtypes of a structure, each once."""
    return ", ".join(dict.fromkeys(str(tensor.dtype) for tensor in tensors(value)))


def params_text(totals: Totals) -> str:
    """`1,792`; with parts that are not known `at least 1,792`, or `?`.

    >>> params_text(Totals(trainable=1792)), params_text(Totals(unknown=("width",)))
    ('1,792', '?')
    """
    if totals.unknown:
        return f"at least {totals.count:,}" if totals.count else "?"
    return f"{totals.count:,}"


def bytes_text(count: int) -> str:
    """
    >>> bytes_text(12), bytes_text(2048), bytes_text(3 * 1024 ** 2)
    ('12 B', '2.00 KiB', '3.00 MiB')
    >>> bytes_text(10 ** 400)
    'more than 1,000,000 EiB'
    """
    if count < 1024:
        return f"{count} B"
    if count > MOST:
        return amount(count)
    size = float(count)
    for unit in ("KiB", "MiB", "GiB"):
        size /= 1024
        if size < 1024 or unit == "GiB":
            break
    return f"{size:,.2f} {unit}"
