"""Convolutions with the filter as an argument: the core of tf.nn.conv2d, keras.ops.conv and their kin."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import is_known, lift, may_equal
from cudnnlint.ops.functions._core import dtype_problem, rank_problem, sizes
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library, promote_keras
from cudnnlint.ops.functions.elementwise import with_otherwise
from cudnnlint.ops.functions.sliding import make_slide, needs_rank, split
from cudnnlint.ops.protocol import Outcome
from cudnnlint.values import Dim, DType, Mismatch, Problem, Shape, Tensor, Unknown, is_floating, is_integer


def kernel(filters: Any, rank: int, library: Library, name: str) -> Tensor | Mismatch:
    """The filter as a tensor of rank + 2 axes, whatever is known of it."""
    w = as_tensor(filters, library)
    if isinstance(w, Unknown):
        return Tensor((w,) * (rank + 2), w)
    if wrong := rank_problem(w, (rank + 2,), name, "filters"):
        return wrong
    return w.with_(shape=(Unknown("filter"),) * (rank + 2)) if isinstance(w.shape, Unknown) else w


def convolve(value: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, rank: int,
             library: Library, name: str) -> Outcome:
    """(batch, *spatial, C) with filters (*kernel, C / groups, out) -> (batch, *windowed, out).

    >>> image, filters = Tensor((8, 32, 32, 3), "float32"), Tensor((3, 3, 3, 16), "float32")
    >>> print(convolve(image, filters, 2, "SAME", "NHWC", None, 2, "tf", "tf.nn.conv2d"))
    float32[8, 16, 16, 16]
    """
    x, w = as_tensor(value, library), kernel(filters, rank, library, name)
    if isinstance(w, Mismatch):
        return w
    if isinstance(x, Unknown):
        return x
    if wrong := needs_rank(x, rank, name, more=library == "tf"):
        return wrong
    dtype = conv_dtype(x, w, value, filters, library, name)
    at = split(x, rank, data_format)
    if isinstance(at, Unknown) or isinstance(w.shape, Unknown):
        return x.with_(shape=Unknown("data_format"), dtype=Unknown("dtype"))
    if wrong := channel_problem(at.channel, w.shape[-2], w.shape[-1], name):
        return wrong
    slide = make_slide(w.shape[:-2], strides, dilations, padding, data_format)
    after = slide.over(at.spatial)
    out = x.with_(shape=at.shape(after, w.shape[-1]), dtype=dtype if not isinstance(dtype, Mismatch) else Unknown())
    if isinstance(dtype, Mismatch):
        return with_otherwise(dtype, out)
    zeroed = out.with_(shape=at.shape(tuple(max(n, 0) if isinstance(n, int) else n for n in after), w.shape[-1]))
    return slide.reject(at, after, zeroed) or out


def conv_dtype(x: Tensor, w: Tensor, value: Any, filters: Any, library: Library, name: str) -> DType | Mismatch:
    """One dtype for both; TensorFlow converts what is not one of its tensors."""
    if library == "keras":
        return promote_keras(x.dtype, w.dtype)
    ours = [t for t, given in ((x, value), (w, filters)) if isinstance(given, Tensor) and given.kind == "tf"]
    if len(ours) < 2:
        dtype = (ours[0] if ours else x).dtype
        return integer_problem(dtype, dtype, name) if is_integer(dtype) and dtype != "int32" else dtype
    if isinstance(x.dtype, Unknown) or isinstance(w.dtype, Unknown) or x.dtype == w.dtype:
        return w.dtype if isinstance(x.dtype, Unknown) else x.dtype
    if is_integer(x.dtype) and is_floating(w.dtype):
        return integer_problem(x.dtype, w.dtype, name)
    return dtype_problem(x.dtype, w.dtype, name)


def integer_problem(dtype: DType, filters: DType, name: str) -> Mismatch:
    """Integers that reach the kernel as they are: arrays do where no tensor beside them tells another dtype."""
    beside = f" with filters of {filters}" if filters != dtype else ""
    return Mismatch(Problem.INTEGER_INPUT, f"{name} on an input of dtype {dtype}{beside}",
                    help="cast or rescale the input to a float dtype first", error=_refused(str(dtype)),
                    facts=(("dtype", dtype),))


def _refused(dtype: str) -> str:
    """int32 has a kernel, so that the filters are what does not fit (tensorflow/core/ops/nn_ops.cc: Conv2D)."""
    if dtype == "int32":
        return 'InvalidArgumentError "was expected to be a int32 tensor" or TypeError'
    return (f'InvalidArgumentError "Value for attr \'T\' of {dtype} is not in the list of allowed values" or in a '
            f'graph TypeError "has DataType {dtype} not in list of allowed values" or ValueError "Incompatible type '
            'conversion requested" for filters that are a variable')


def channel_problem(channel: Dim, inner: Dim, outer: Dim, name: str) -> Mismatch | None:
    """Input channels must be a multiple of the filter's (the multiple being the groups), and divide its outputs."""
    if not isinstance(channel, int) or not isinstance(inner, int) or inner <= 0:
        return None
    if channel % inner:
        return Mismatch(Problem.CHANNELS, f"{name}: the input has {channel} channels, the filters are for {inner}",
                        help=f"filters are (height, width, channels of the input, channels of the output): give them "
                             f"{channel} on the axis before the last" if channel > 0 else "",
                        error=f'InvalidArgumentError "input depth must be evenly divisible by filter depth: {channel} '
                              f'vs {inner}", or in a graph ValueError "Depth of input ({channel}) is not a multiple of '
                              f'input depth of filter ({inner})"',
                        argument="filters", facts=(("expected", inner), ("actual", channel)))
    groups = channel // inner
    if is_known(outer) and isinstance(outer, int) and groups and outer % groups:
        return Mismatch(Problem.GROUPS, f"{name}: {outer} output channels do not divide into {groups} groups "
                        f"({channel} input channels, filters for {inner})",
                        error='InvalidArgumentError "output depth must be evenly divisible by number of groups"',
                        argument="filters", facts=(("groups", groups), ("filters", outer)))
    return None


def depthwise(value: Any, filters: Any, strides: Any, padding: Any, data_format: Any, dilations: Any, rank: int,
              library: Library, name: str) -> Outcome:
    """Filters (*kernel, C, multiplier): every channel by itself -> C * multiplier."""
    x, w = as_tensor(value, library), kernel(filters, rank, library, name)
    if isinstance(w, Mismatch) or isinstance(x, Unknown):
        return w if isinstance(w, Mismatch) else x
    if wrong := needs_rank(x, rank, name):
        return wrong
    dtype = conv_dtype(x, w, value, filters, library, name)
    at = split(x, rank, data_format)
    if isinstance(at, Unknown) or isinstance(w.shape, Unknown):
        return x.with_(shape=Unknown("data_format"), dtype=Unknown("dtype"))
    if not may_equal(at.channel, w.shape[-2]):
        return Mismatch(Problem.CHANNELS, f"{name}: the input has {at.channel} channels, the filters are for "
                        f"{w.shape[-2]}", error='InvalidArgumentError "input and filter must have the same depth"',
                        argument="filter", facts=(("expected", w.shape[-2]), ("actual", at.channel)))
    slide = make_slide(w.shape[:-2], strides, dilations, padding, data_format)
    channel = lift(lambda c, m: c * m, w.shape[-2] if isinstance(at.channel, Unknown) else at.channel, w.shape[-1])
    after = slide.over(at.spatial)
    out = x.with_(shape=at.shape(after, channel), dtype=dtype if not isinstance(dtype, Mismatch) else Unknown())
    if isinstance(dtype, Mismatch):
        return with_otherwise(dtype, out)
    zeroed = out.with_(shape=at.shape(tuple(max(n, 0) if isinstance(n, int) else n for n in after), channel))
    holes = any(rate != 1 for rate in slide.dilation)  # goes through space_to_batch (nn_ops.py: with_space_to_batch)
    return slide.reject(at, after, zeroed, lenient=holes) or out


def separable(value: Any, filters: Any, pointwise: Any, strides: Any, padding: Any, data_format: Any, dilations: Any,
              rank: int, library: Library, name: str) -> Outcome:
    middle = depthwise(value, filters, strides, padding, data_format, dilations, rank, library, name)
    if not isinstance(middle, Tensor):
        return middle
    return convolve(middle, pointwise, 1, "VALID", data_format, None, rank, library, name)


def transposed(value: Any, filters: Any, output_shape: Any, data_format: Any, rank: int, name: str,
               window: tuple[Any, Any, Any] | None = None) -> Outcome:
    """tf.nn.conv2d_transpose: the shape is given; filters are (*kernel, out, in). `window` is strides, padding and
    dilations of the convolution that leads from the output back to the input."""
    x, w = as_tensor(value, "tf"), kernel(filters, rank, "tf", name)
    if isinstance(w, Mismatch):
        return w
    if isinstance(x, Unknown):
        return Tensor(_full(sizes(output_shape), rank), x)
    if wrong := needs_rank(x, rank, name):
        return wrong
    at = split(x, rank, data_format)
    target = _full(sizes(output_shape), rank)
    if isinstance(at, Unknown) or isinstance(w.shape, Unknown) or isinstance(target, Unknown):
        return x.with_(shape=target)
    goal = split(x.with_(shape=target), rank, data_format)
    for what, have, want in (("input", at.channel, w.shape[-1]),
                             ("output_shape", getattr(goal, "channel", Unknown()), w.shape[-2])):
        if not may_equal(have, want) and (what == "input" or not _in_groups(have, want, w.shape[-1], rank)):
            return Mismatch(Problem.CHANNELS, f"{name}: the {what} has {have} channels, the filters are for {want}",
                            error='ValueError or InvalidArgumentError "depth of input and filter must match"',
                            argument="filters", facts=(("expected", want), ("actual", have)))
    slide = None if window is None else make_slide(w.shape[:-2], window[0], window[2], window[1], data_format)
    if slide is None or isinstance(goal, Unknown):
        return x.with_(shape=target)
    return _unreachable(name, at, goal, slide.over(goal.spatial)) or x.with_(shape=target)


def _in_groups(channel: Dim, inner: Dim, outer: Dim, rank: int) -> bool:
    """Channels may be those of several groups, in three dimensions of one (conv_grad_shape_utils.cc)."""
    if rank == 3 or not isinstance(channel, int) or not isinstance(inner, int) or inner <= 0 or channel % inner:
        return False
    return not isinstance(outer, int) or not channel or outer % (channel // inner) == 0


def _unreachable(name: str, at: Any, goal: Any, back: Shape) -> Mismatch | None:
    """An output_shape from which a convolution does not lead back to the input (conv_grad_shape_utils.cc)."""
    if all(map(may_equal, back, at.spatial)):
        return None
    wanted, found, given = (", ".join(map(str, dims)) for dims in (goal.spatial, back, at.spatial))
    return Mismatch(Problem.RESHAPE, f"{name}: output_shape {wanted} belongs to an input of {found}, this one is "
                    f"{given}", help="take an output_shape that the strides divide evenly, or make the input larger",
                    error='InvalidArgumentError "Size of out_backprop doesn\'t match computed" or AbortedError',
                    argument="output_shape", facts=(("expected", back), ("actual", at.spatial)))


def _full(target: Shape | Unknown, rank: int) -> Shape | Unknown:
    return target if isinstance(target, tuple) and len(target) == rank + 2 else Unknown("output_shape")
