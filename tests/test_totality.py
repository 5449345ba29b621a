"""No op ever raises: any argument may be Unknown or absurd, any input of any rank."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from cudnnlint.ops.protocol import LAYERS, LayerCall, Weight
from cudnnlint.values import BATCH, FREE, Mismatch, Stack, Symbol, Tensor, Unknown, Where
from tests.oracle.harness import load_ops

load_ops()
STACKS = (Stack(), Stack(keras=(3, 3), tensorflow=(2, 16)), Stack(keras=(2, 10), tensorflow=(2, 10)))
CANONICAL = sorted({spelling.builder: path for path, spelling in LAYERS.items()}.values())
UNKNOWN = Unknown("test")
SAMPLES: dict[str, Any] = {
    "kernel_size": 3, "pool_size": 2, "filters": 4, "rate": 0.5, "dims": (2, 1), "target_shape": (-1,),
    "factor": 1.0, "height_factor": 1.0, "width_factor": 1.0,
    "equation": "ab,bc->ac", "output_shape": 4, "axes": 1, "function": UNKNOWN, "layer": UNKNOWN, "cell": UNKNOWN,
}
"""Values for required parameters; 2 for any other."""
ABSURD = (None, True, -1, 0, 1.5, float("inf"), 10**12, "?", "valid", (), (2,), (0, -1), (None, 2, 3), (UNKNOWN, 2),
          ((1, 2), UNKNOWN),
          [1, "x"], {}, {"a": 1}, Tensor((), "int32", content=2), Tensor(UNKNOWN, UNKNOWN), object(), len)


def inputs() -> Iterator[Any]:
    """Structures of tensors of every rank, with known, free, batch, empty and unknown extents."""
    for rank in range(7):
        for extent in (1, 2, 9, 0, FREE, UNKNOWN):
            yield Tensor((extent,) * rank)
        if rank:
            yield Tensor((BATCH, *(7,) * (rank - 1)))
            yield Tensor((BATCH, *(FREE,) * (rank - 1)), "int32", "keras")
    yield from (Tensor(UNKNOWN), Tensor(UNKNOWN, UNKNOWN), Tensor((BATCH, 4, 4, 2), UNKNOWN), Tensor((2, 2), "string"))
    yield from (UNKNOWN, None, 3, "x", (), [], {}, (UNKNOWN, Tensor((2, 3))), {"a": Tensor((2, 3))}, [None, [1]])
    for a in (Tensor((BATCH, 3, 4)), Tensor((BATCH, FREE, UNKNOWN)), Tensor(UNKNOWN), Tensor((2,))):
        for b in (Tensor((BATCH, 5, 4)), Tensor((BATCH, 3, 4), "int64"), Tensor(())):
            yield [a, b]
            yield (a, b, a)


INPUTS = tuple(inputs())
FEW = tuple(INPUTS[index] for index in range(0, len(INPUTS), 9)) + tuple(
    Tensor((BATCH, *(8,) * rank)) for rank in range(1, 6))


def required(builder: Any) -> dict[str, Any]:
    return {name: SAMPLES.get(name, 2) for name, parameter in inspect.signature(builder).parameters.items()
            if parameter.default is inspect.Parameter.empty
            and parameter.kind is not inspect.Parameter.VAR_KEYWORD}


def is_outcome(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(map(is_outcome, value))
    if isinstance(value, dict):
        return all(map(is_outcome, value.values()))
    return value is None or isinstance(value, (Tensor, Unknown, Mismatch))


def extents(value: Any) -> Iterator[Any]:
    """Every extent of every tensor in an outcome, and of what an outcome goes on with."""
    if isinstance(value, Tensor):
        yield from () if isinstance(value.shape, Unknown) else value.shape
    elif isinstance(value, (tuple, list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from extents(item)


def sound(mismatch: Any) -> bool:
    """A Mismatch a rule can show: one line without full stop, and conditions over versions."""
    return (isinstance(mismatch, Mismatch) and bool(mismatch.message) and "\n" not in mismatch.message
            and not mismatch.message.endswith(".") and isinstance(mismatch.where, Where))


def exercise(path: str, arguments: dict[str, Any], structures: tuple[Any, ...], stack: Stack) -> None:
    op = LAYERS[path].builder(**arguments)
    faults = list(op.check(stack))
    assert all(map(sound, faults)), faults
    rejected = any(fault.where.holds(stack) for fault in faults)
    for structure in structures:
        call = LayerCall(structure, stack=stack)
        out, weights = op.infer(call), op.weights(call)
        assert out is not None and is_outcome(out), f"{path}({arguments}) on {structure}: {out}"
        assert not isinstance(out, Mismatch) or sound(out), out
        assert isinstance(weights, Unknown) or all(isinstance(weight, Weight) for weight in weights), weights
        for extent in extents(out):
            assert isinstance(extent, int | Symbol | Unknown) and not isinstance(extent, bool), out
            assert rejected or not isinstance(extent, int) or extent >= 0, f"{path}({arguments}) on {structure}: {out}"


@pytest.mark.parametrize("path", CANONICAL)
def test_any_argument_may_be_unknown_on_any_input(path: str) -> None:
    builder = LAYERS[path].builder
    names = [name for name, parameter in inspect.signature(builder).parameters.items()
             if parameter.kind is not inspect.Parameter.VAR_KEYWORD]
    exercise(path, required(builder), INPUTS, Stack())
    exercise(path, dict.fromkeys(names, UNKNOWN), INPUTS, Stack())
    for name in names:
        exercise(path, {**required(builder), name: UNKNOWN}, INPUTS, Stack())


@pytest.mark.parametrize("path", CANONICAL)
def test_any_argument_may_be_absurd(path: str) -> None:
    builder = LAYERS[path].builder
    for name, parameter in inspect.signature(builder).parameters.items():
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            continue
        for index, value in enumerate(ABSURD):
            exercise(path, {**required(builder), name: value}, FEW, STACKS[index % len(STACKS)])
