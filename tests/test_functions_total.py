"""No function ever raises: any argument may be Unknown or absurd; and the docstrings' examples hold."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest

from cudnnlint.ops import functions
from cudnnlint.ops.protocol import FUNCTIONS
from cudnnlint.values import BATCH, FREE, Mismatch, Symbol, Tensor, Unknown, Where

MODULES = sorted(f"{functions.__name__}.{module.name}" for module in pkgutil.iter_modules(functions.__path__))
for _module in MODULES:
    importlib.import_module(_module)

UNKNOWN = Unknown("test")
PATHS = sorted({spelling.builder: path for path, spelling in sorted(FUNCTIONS.items(), reverse=True)}.values())
IMAGE = Tensor((BATCH, 9, 9, 3))
USUAL: dict[str, Any] = {
    "filters": Tensor((3, 3, 3, 4)), "filter": Tensor((3, 3, 3, 4)), "kernel": Tensor((3, 3, 3, 4)), "axis": 0,
    "strides": 1, "padding": "VALID", "ksize": 2, "shape": (2, 3), "dtype": "float32", "perm": (0, 1), "size": (4, 4),
    "equation": "ij,jk->ik", "subscripts": "ij,jk->ik", "multiples": (1, 2), "paddings": ((0, 0), (1, 1)),
    "num_or_size_splits": 2, "indices_or_sections": 2, "values": [IMAGE, IMAGE], "depth": 4, "num_classes": 4,
}
"""A usual value for a parameter, so that what is beside an absurd one makes sense."""
ODD = (
    None, True, -1, 0, 3, 1.5, -2.5, 10**12, "?", "valid", "NCHW", (), (2,), (0, -1), (None, 2, 3), (UNKNOWN, 2),
    [1, "x"], ((1, 2), UNKNOWN), [[1, 2], [3]], [[1.0, 2], [3, 4]], {}, {"a": 1}, object(), len, slice(1, None), ...,
    BATCH, (BATCH, -1), Tensor(()), Tensor((), "int32", content=2), Tensor((2,), "int32", content=(1, FREE)),
    Tensor(UNKNOWN, UNKNOWN), Tensor((3,)),
    Tensor((BATCH, 4)), Tensor((2, FREE, UNKNOWN)), Tensor((8, 9, 9, 3), "uint8"), Tensor((0, 2)), IMAGE,
    Tensor((BATCH, 4, 4, 4, 2), kind="keras"), Tensor((2, 2), "bool", "numpy"), Tensor((2, 2), "string"),
    Tensor((10**19, 4)), Tensor((2, 2), UNKNOWN, "numpy"), [Tensor((2,)), UNKNOWN],
    [Tensor((2, 3)), Tensor((2, 4), "int32")],
)


IGNORED = {"name", "seed", "order", "subok", "casting", "where", "signature", "layout", "device", "like", "copy"}
"""Parameters that hardly any function looks at."""


def parameters(path: str) -> list[str]:
    varied = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [name for name, parameter in inspect.signature(FUNCTIONS[path].builder).parameters.items()
            if parameter.kind not in varied]


def usual(path: str) -> dict[str, Any]:
    required = [name for name, parameter in inspect.signature(FUNCTIONS[path].builder).parameters.items()
                if name in parameters(path) and parameter.default is inspect.Parameter.empty]
    return {name: USUAL.get(name, IMAGE if index == 0 else 2) for index, name in enumerate(required)}


def extents(outcome: Any) -> Iterator[Any]:
    if isinstance(outcome, Tensor):
        yield from () if isinstance(outcome.shape, Unknown) else outcome.shape
    elif isinstance(outcome, Mismatch):
        yield from extents(outcome.otherwise)
    elif isinstance(outcome, (list, tuple)):
        for item in outcome:
            yield from extents(item)


def check(path: str, arguments: dict[str, Any]) -> None:
    outcome = FUNCTIONS[path].builder(**arguments)
    where = f"{path}({arguments}) -> {outcome}"
    if isinstance(outcome, Mismatch):
        assert outcome.message and "\n" not in outcome.message and not outcome.message.endswith("."), where
        assert isinstance(outcome.where, Where), where
    for extent in extents(outcome):
        assert isinstance(extent, int | Symbol | Unknown) and not isinstance(extent, bool), where
        assert not isinstance(extent, int) or extent >= 0, where


@pytest.mark.parametrize("path", PATHS)
def test_any_argument_may_be_unknown_or_odd(path: str) -> None:
    names = parameters(path)
    check(path, dict.fromkeys(names, UNKNOWN))
    check(path, {**usual(path), **dict.fromkeys(usual(path), UNKNOWN)})
    for name in [name for name in names if name not in IGNORED]:
        for value in (UNKNOWN, *ODD):
            check(path, {**usual(path), name: value})


@pytest.mark.parametrize("path", [path for path in PATHS if len(usual(path)) > 1])
def test_any_two_arguments_may_be_odd(path: str) -> None:
    required = list(usual(path))[:2]
    for first in ODD[::3]:
        for second in ODD[1::3]:
            check(path, {**usual(path), required[0]: first, required[1]: second})


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_hold(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0, f"{result.failed} of {result.attempted} examples in {name}"
