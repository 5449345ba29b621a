"""Generated calls of convolutions, poolings and indexing for the differential oracle."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.function_harness import Call, T

LAYOUTS = {1: "NWC", 2: "NHWC", 3: "NDHWC"}


@st.composite
def convolutions(draw: Any, path: str, rank: int) -> Call:
    """Windows that fit, and now and then one that is too large or filters for other channels."""
    spatial = tuple(draw(st.integers(3, 9)) for _ in range(rank))
    channels = draw(st.integers(1, 4))
    kernel = tuple(draw(st.integers(1, 4)) for _ in range(rank))
    inner = draw(st.sampled_from([channels] * 5 + [channels + 1]))
    stride, dilation = draw(st.integers(1, 3)), draw(st.integers(1, 2))
    if path.startswith("keras.") and stride > 1:
        dilation = 1
    padding = draw(st.sampled_from(["SAME", "VALID"]))
    strides: Any = [1, *[stride] * rank, 1] if rank == 3 or "depthwise" in path else stride
    dilations: Any = [dilation] * rank if "depthwise" in path else dilation
    if rank == 3:
        dilations = None
    if "depthwise" in path and stride > 1:
        dilations = None
    args = (T((2, *spatial, channels)), T((*kernel, inner, draw(st.integers(1, 4)))))
    if path.startswith("keras."):
        return Call(args, {"strides": stride, "padding": padding.lower(), "dilation_rate": dilation})
    return Call((*args, strides, padding), {"dilations": dilations} if dilations else {})


@st.composite
def poolings(draw: Any, path: str, rank: int) -> Call:
    """Windows never larger than the input: kernels crash on an empty output."""
    spatial = tuple(draw(st.integers(4, 9)) for _ in range(rank))
    args = (T((2, *spatial, 3)), draw(st.integers(1, 4)), draw(st.integers(1, 3)))
    padding = draw(st.sampled_from(["SAME", "VALID"]))
    return Call((*args, padding.lower() if path.startswith("keras.") else padding))


@st.composite
def transposed(draw: Any, path: str) -> Call:
    rank = draw(st.integers(1, 2))
    spatial = tuple(draw(st.integers(1, 6)) for _ in range(rank))
    kernel = tuple(draw(st.integers(1, 4)) for _ in range(rank))
    stride = draw(st.integers(1, 3))
    padding = draw(st.sampled_from(["same", "valid"]))
    extra = draw(st.sampled_from([None, None, 0, 1])) if stride > 1 and min(kernel) > 1 else None
    return Call((T((2, *spatial, 3)), T((*kernel, 2, 3)), stride, padding, extra), judged=False)


def bounds() -> st.SearchStrategy[Any]:
    return st.one_of(st.none(), st.integers(-6, 6))


@st.composite
def keys(draw: Any, path: str) -> Call:
    """Keys of ints, slices, None and one Ellipsis; numpy arrays also take lists of ints."""
    numpy = draw(st.booleans())
    shape = tuple(draw(st.lists(st.integers(1, 5), min_size=1, max_size=4)))
    parts: list[Any] = []
    for size in shape[: draw(st.integers(0, len(shape)))]:
        kinds = ["int", "slice", "slice", "none"] + (["list"] if numpy else [])
        kind = draw(st.sampled_from(kinds))
        if kind == "none":
            parts.append(None)
        if kind in ("int", "none"):
            parts.append(draw(st.integers(-size, size - 1)))
        elif kind == "slice":
            parts.append(slice(draw(bounds()), draw(bounds()), draw(st.sampled_from([None, 1, 2, -1]))))
        else:
            parts.append(draw(st.sampled_from([[0], [0, 0], [-1, 0]])))
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), ...)
    size = 1
    for dim in shape:
        size *= dim
    x = T(shape, "int32", "numpy" if numpy else "tf", values=tuple(range(size)), known=size <= 64)
    return Call((x, tuple(parts)))


WINDOWS: dict[str, Any] = {
    **{f"tensorflow.nn.conv{rank}d": convolutions(f"tensorflow.nn.conv{rank}d", rank) for rank in (1, 2, 3)},
    "tensorflow.nn.depthwise_conv2d": convolutions("tensorflow.nn.depthwise_conv2d", 2),
    **{path: convolutions(path, 2) for path in ("keras.ops.conv", "keras.ops.depthwise_conv")},
    **{f"tensorflow.nn.{kind}_pool{rank}d": poolings(f"tensorflow.nn.{kind}_pool{rank}d", rank)
       for kind in ("max", "avg") for rank in LAYOUTS},
    **{path: poolings(path, 2) for path in ("keras.ops.max_pool", "keras.ops.average_pool")},
    "keras.ops.conv_transpose": transposed("keras.ops.conv_transpose"),
    "operator.getitem": keys("operator.getitem"),
}
