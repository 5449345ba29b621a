"""Configurations of the merge layers: lists of shapes that mostly fit."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case, Spec
from tests.oracle.strategies import POLICIES

DTYPES = st.sampled_from([("float32", "float32")] * 6 + [
    ("float16", "float32"), ("int32", "int32"), ("uint8", "uint8"), ("bool", "bool"), ("int32", "float32"),
    ("int64", "int32")])
SIZES = st.integers(1, 6)


def specs(shapes: list[tuple[int | None, ...]], dtypes: tuple[str, str]) -> list[Spec]:
    return [Spec(shape, dtypes[min(at, 1)]) for at, shape in enumerate(shapes)]


@st.composite
def elementwise(draw: Any) -> Case:
    base = [draw(st.sampled_from([None, None, 2])), *draw(st.lists(SIZES, max_size=3))]
    shapes = []
    for _ in range(draw(st.sampled_from([2, 2, 2, 3, 1]))):
        mine = [draw(st.sampled_from([size] * 8 + ([1, None, 3] if at else [None, size])))
                for at, size in enumerate(base)]
        cut = draw(st.sampled_from([0] * 5 + [1])) if len(mine) > 2 else 0
        shapes.append((mine[0], *mine[1 + cut:]))
    return Case({}, specs(shapes, draw(DTYPES)), policy=draw(POLICIES))


@st.composite
def concatenate(draw: Any) -> Case:
    rank = draw(st.integers(1, 4))
    axis = draw(st.sampled_from([-1, -1, -1, rank - 1, 1, 0, -2, rank, -rank - 1]))
    base = [draw(st.sampled_from([None, None, 2])), *draw(st.lists(SIZES, min_size=rank - 1, max_size=rank - 1))]
    shapes = []
    for _ in range(draw(st.sampled_from([2, 2, 3, 1] if -rank <= axis < rank else [2, 3]))):
        mine = [draw(st.sampled_from([size] * 12 + [None, 4])) for size in base]
        if -rank <= axis < rank and axis % rank:
            mine[axis] = draw(st.none() | SIZES)
        shapes.append(tuple(mine))
    if draw(st.sampled_from([False] * 9 + [True])):
        shapes.append((None, *shapes[0]))
    return Case(draw(st.sampled_from([{"axis": axis}] if axis != -1 else [{}])), specs(shapes, draw(DTYPES)),
                policy=draw(POLICIES))


@st.composite
def dot(draw: Any) -> Case:
    a, b = (draw(st.lists(SIZES, min_size=1, max_size=3)) for _ in range(2))
    i, j = draw(st.integers(1, len(a))), draw(st.integers(1, len(b)))
    b[j - 1] = draw(st.sampled_from([a[i - 1]] * 8 + [3, None]))
    if draw(st.sampled_from([False] * 7 + [True])):
        a[i - 1] = None
    axes = draw(st.sampled_from([(i, j), [i, j], (i - len(a) - 1, j), i if i == j else (i, j)]))
    axes = draw(st.sampled_from([axes] * 12 + [None, "1", (1,), (1, 2, 3), (1, "a"), 5, -1]))
    batches = draw(st.sampled_from([(None, None)] * 4 + [(2, 2), (2, None), (None, 2)]))
    dtypes = draw(DTYPES)
    return Case({"axes": axes, **draw(st.sampled_from([{}, {"normalize": True}]))},
                specs([(batches[0], *a), (batches[1], *b)], dtypes if dtypes[0] == "float32" else ("float32",) * 2),
                policy=draw(POLICIES))


CONFIGS = {
    **{f"keras.layers.{name}": st.one_of(elementwise(), elementwise(), st.just(Case({}, (None, 4))))
       for name in ("Add", "Subtract", "Multiply", "Average", "Maximum", "Minimum")},
    "keras.layers.Concatenate": st.one_of(concatenate(), concatenate(), st.just(Case({}, (None, 4)))),
    "keras.layers.Dot": dot(),
}
