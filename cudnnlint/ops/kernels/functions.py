"""Library functions and operators in the middle of a model, as the operations that they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from types import MappingProxyType

from cudnnlint.ops.kernels.activations import ACTIVATIONS, gelu, gelu_exact, silu, softmax_over
from cudnnlint.ops.kernels.maths import (
    binary,
    cast,
    contract,
    convolve,
    copy,
    drawn,
    joined,
    matmul,
    moments,
    multiply,
    reduce,
    shape_of,
    subtract,
    transposed,
    unary,
    view,
    waiting,
    widely_averaged,
)
from cudnnlint.ops.kernels.tape import Size, Tape, Value

Lowering = Callable[[Tape, tuple[Value, ...], Size], Value]


def _arithmetic(kind: str) -> Lowering:
    """Of two tensors, or of one and a number."""
    alone = "shift" if kind in ("add", "sub") else "scale"

    def lower(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
        if len(given) == 2:
            return binary(t, kind, given[0], given[1], size)
        return t.run(alone, given[:1], size, reuse=True)

    return lower


def _larger(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    """Of two tensors, or of one and a number: the gradient waits for what is compared."""
    return binary(t, "larger", given[0], given[1] if len(given) > 1 else t.value(Size(1)), size)


def _clipped(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    """The smaller one, and the larger one of that (tensorflow/python/ops/clip_ops.py: clip_by_value)."""
    return _larger(t, (_larger(t, given[:1], size),), size)


def _unary(kind: str) -> Lowering:
    return lambda t, given, size: unary(t, kind, given[0])


def _view(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    return view(t, given[0], size)


def _copy(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    return copy(t, given[0], size)


def _contract(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    return contract(t, given[0], given[1], size)


def _matmul(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    return matmul(t, given[0], given[1], size)


def _convolve(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    return convolve(t, given[0], given[1], size)


def _reduce(kind: str) -> Lowering:
    return lambda t, given, size: reduce(t, given[0], size, kind)


def _kept(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    """A function whose gradient reads its inputs: what most do."""
    return t.run("kept", tuple(sorted(given, key=lambda value: not value.trained)), size)


def _of(kind: str) -> Lowering:
    return lambda t, given, size: t.run(kind, given[:1], size)


def _where(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    """The gradient reads the condition alone."""
    return t.run("select", given, size, reuse=True) if given[0].size.item == 1 else _kept(t, given, size)


def _entropy(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    """The kernel makes the loss of each row, and the gradient (losses.py)."""
    logits = next((value for value in given if value.trained), given[-1])
    return t.run("aside", (t.run("entropy", (logits,), logits.size, reuse=True),), size)


def _constant(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    return waiting(t, t.run("random", (), size), shape_of(t, given[0]) if given else None)


def _compare(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    """One byte each, and no gradient passes."""
    made = t.run("compare", given, size.of(1))
    made.trained = False
    return made


def _stopped(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    """The same memory, and no gradient passes."""
    made = view(t, given[0], size)
    made.trained = False
    return made


def _places(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    """Where something stands: whole numbers, which have no gradient."""
    made = t.run("places", given, size)
    made.trained = False
    return made


def _differences(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    """Of neighbours along an axis, zeros behind (tensorflow/python/ops/image_ops_impl.py: image_gradients)."""
    less = subtract(t, copy(t, given[0], size), copy(t, given[0], size))
    return joined(t, (less,), size)


def _moment(t: Tape, given: tuple[Value, ...], size: Size, said: Mapping[str, object]) -> Value:
    """The mean, or the variance, for which it is computed too, of float32 or wider (tensorflow/python/ops/nn_impl.py:
    moments): the axes are kept, and squeezed afterwards."""
    wide = size.of(max(4, size.item))
    made = moments(t, cast(t, given[0], wide.item), wide)[said.get("index") == (1,)]
    return cast(t, made if said.get("keepdims") is True else view(t, made, wide), size.item)


def _variance(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    """tensorflow/python/ops/math_ops.py: reduce_variance."""
    x = given[0]
    apart = subtract(t, x, reduce(t, x, size, "mean"))
    return reduce(t, t.run("square", (apart,), x.size, reuse=True), size, "mean")


def _normalized(t: Tape, given: tuple[Value, ...], size: Size, said: Mapping[str, object]) -> Value:
    """tensorflow/python/ops/nn_impl.py: l2_normalize."""
    x, shape, axis = given[0], said.get("shape"), said.get("axis", -1)
    axes = axis if isinstance(axis, tuple) else (axis,)
    extents = [shape[one] if isinstance(shape, tuple) and isinstance(one, int) and -len(shape) <= one < len(shape)
               else None for one in axes]
    extent = prod(one for one in extents if isinstance(one, int))
    if not all(isinstance(one, int) for one in extents) or not extent:
        return _kept(t, given, size)
    total = reduce(t, t.run("square", (x,), size), Size(size.fixed // extent, size.each // extent, size.item))
    return multiply(t, x, unary(t, "rsqrt", t.run("scale", (total,), total.size, reuse=True)))


def _raised(kind: str) -> Lowering:
    return lambda t, given, size: t.run(kind, given[:1], size, reuse=True)


NAMED: Mapping[str, Lowering] = {
    **dict.fromkeys(("reduce_variance", "var"), _variance),
    **dict.fromkeys(("reduce_std", "std"), lambda t, given, size: unary(t, "sqrt", _variance(t, given, size))),
    **dict.fromkeys(("+", "add", "add_n", "bias_add"), _arithmetic("add")),
    **dict.fromkeys(("-", "subtract", "sub"), _arithmetic("sub")),
    **dict.fromkeys(("*", "multiply", "mul", "scalar_mul"), _arithmetic("mul")),
    **dict.fromkeys(("/", "divide", "true_divide", "truediv", "div", "divide_no_nan"), _arithmetic("div")),
    **dict.fromkeys(("maximum", "minimum"), _larger), **dict.fromkeys(("clip_by_value", "clip"), _clipped),
    **dict.fromkeys(("abs", "absolute"), _unary("abs")), "log": _unary("log"),
    **dict.fromkeys(("**", "pow", "power"), _raised("power")), "square": _raised("square"),
    **{name: _unary(name) for name in ("exp", "tanh", "sigmoid", "sqrt", "rsqrt", "softplus", "relu", "relu6", "elu",
                                       "selu", "leaky_relu", "softsign") if name != "relu6"},
    "relu6": _unary("relu6"), "neg": _unary("neg"), "negative": _unary("neg"),
    **dict.fromkeys(("reshape", "squeeze", "expand_dims", "flatten", "batch_flatten", "identity",
                     "convert_to_tensor", "ensure_shape", "ravel"), _view),
    **dict.fromkeys(("transpose", "permute_dimensions", "tile", "repeat", "pad", "slice", "strided_slice", "gather",
                     "getitem", "[]", "split", "unstack", "reverse", "flip", "roll", "broadcast_to", "cast",
                     "space_to_depth", "depth_to_space", "zero_padding2d", "resize_nearest", "swapaxes", "moveaxis",
                     "spatial_2d_padding", "crop_to_bounding_box", "repeat_elements", "one_hot", "take", "gather_nd",
                     "take_along_axis", "boolean_mask", "rot90", "flip_left_right", "flip_up_down", "embedding_lookup",
                     "batch_to_space", "space_to_batch", "reverse_sequence", "band_part", "tril", "triu", "diag_part",
                     "diagonal", "pad_to_bounding_box", "temporal_padding", "spatial_3d_padding", "matrix_transpose"),
                    _copy),
    **dict.fromkeys(("matmul", "@"), _matmul),
    **dict.fromkeys(("einsum", "tensordot", "dot", "batch_dot", "matvec", "outer"), _contract),
    **dict.fromkeys(("conv2d", "conv1d", "conv3d", "convolution", "depthwise_conv2d", "conv", "conv_transpose",
                     "conv1d_transpose", "conv2d_transpose", "conv3d_transpose", "depthwise_conv"), _convolve),
    **dict.fromkeys(("max_pool", "max_pool1d", "max_pool2d", "max_pool3d"), _of("max_pool")),
    **dict.fromkeys(("avg_pool", "avg_pool1d", "avg_pool2d", "avg_pool3d", "average_pool"), _of("average_pool")),
    "stop_gradient": _stopped, **dict.fromkeys(("argmax", "argmin", "argsort", "count_nonzero"), _places),
    "where": _where, "image_gradients": _differences,
    **dict.fromkeys(("<", "<=", ">", ">=", "==", "!=", "less", "less_equal", "greater", "greater_equal", "equal",
                     "not_equal", "logical_and", "logical_or", "logical_not", "isnan", "isfinite", "is_nan",
                     "is_finite", "in_top_k"), _compare),
    **dict.fromkeys(("softmax_cross_entropy_with_logits", "sparse_softmax_cross_entropy_with_logits"), _entropy),
    **dict.fromkeys(("compute_average_loss", "scale_regularization_loss", "rgb_to_grayscale"), _reduce("sum")),
    **dict.fromkeys(("reduce_mean", "mean"), _reduce("mean")), **dict.fromkeys(("reduce_sum", "sum"), _reduce("sum")),
    **dict.fromkeys(("reduce_max", "reduce_min", "max", "min", "amax", "amin"), _reduce("max")),
    **dict.fromkeys(("concat", "concatenate", "stack", "vstack", "hstack", "dstack", "append"), joined),
    **dict.fromkeys(("zeros", "ones", "fill", "range", "arange", "constant", "zeros_like", "ones_like", "normal",
                     "uniform", "shape", "full", "full_like", "eye", "linspace", "size", "rank", "ndim",
                     "truncated_normal", "random_uniform", "random_normal", "stateless_uniform",
                     "stateless_normal"), _constant),
    **dict.fromkeys(("normalize", "resize_images", "resize", "resize_bilinear", "cumsum", "top_k",
                     "cos", "sin", "tan", "erf", "floor", "round",
                     "logsumexp", "reduce_logsumexp", "norm", "prod", "acos", "asin", "arccos", "arcsin",
                     "reduce_prod", "l2_loss", "squared_difference", "log_sigmoid", "reciprocal", "expm1", "log1p",
                     "log2", "log10", "atan", "arctan", "global_norm", "clip_by_norm", "binary_crossentropy", "xlogy",
                     "categorical_crossentropy", "sparse_categorical_crossentropy", "total_variation",
                     "sigmoid_cross_entropy_with_logits", "weighted_cross_entropy_with_logits", "resize_bicubic",
                     "resize_nearest_neighbor", "resize_area", "multiply_no_nan", "cumprod", "sign"), _kept),
}
"""Last part of a function's path -> what it runs, given its tensors and the size of its result."""


TRANSPOSED = frozenset({"transpose", "permute_dimensions", "matrix_transpose"})


def _swaps_last(name: str, said: Mapping[str, object]) -> bool:
    """Whether the two last axes change places and no others do."""
    rank, axes = said.get("rank"), next((said[key] for key in ("axes", "perm", "pattern", "axis") if key in said), None)
    if not isinstance(rank, int) or rank < 2:
        return False
    if axes is None:
        return rank == 2 or name == "matrix_transpose"
    return isinstance(axes, tuple | list) and list(axes) == [*range(rank - 2), rank - 1, rank - 2]


SHARED = frozenset({"getitem", "unstack", "split"})
ALIGNED = 64
"""EIGEN_MAX_ALIGN_BYTES with AVX-512, and where the rows of whole batches begin on a GPU."""


def _in_place(name: str, axis: object, size: Size) -> bool:
    """Whether a part along the first axis is one piece of the tensor's memory and stays there, and with it the whole
    tensor (tensorflow/core/kernels/strided_slice_op.cc, unpack_op.cc, split_op.cc: IsDim0SliceAligned)."""
    if size.each * size.item % ALIGNED or size.fixed * size.item % ALIGNED:
        return False
    if name != "getitem":
        return axis == 0 and not isinstance(axis, bool)
    first, *rest = axis if isinstance(axis, tuple) and axis else (axis,)
    is_one = isinstance(first, int) or (isinstance(first, slice) and first.step in (None, 1))
    return is_one and all(one is Ellipsis or one == slice(None) for one in rest)


MIRRORING = ("reflect", "symmetric")


def lowered(t: Tape, path: str, given: tuple[Value, ...], size: Size,
            said: Mapping[str, object] = MappingProxyType({})) -> Value:
    """What a function runs; one that is not known is taken to keep its inputs, and told of where a gradient reads
    them. `said`: arguments that it is called with, and the `rank` of what it gives."""
    name = path.rpartition(".")[2] if not path.startswith("operator.") else path[len("operator."):]
    if name in ("gelu", "silu", "swish") and given:
        rough = said.get("approximate", path.startswith("keras.ops."))  # keras/src/ops/nn.py: gelu(x, approximate=True)
        return silu(t, given[0]) if name != "gelu" else (gelu if rough is True else gelu_exact)(t, given[0])
    if name == "softmax" and given and isinstance(axis := said.get("axis"), int) and isinstance(
            rank := said.get("rank"), int) and axis not in (-1, rank - 1):
        return softmax_over(t, given[0])
    if path == "keras.ops.mean" and given:
        return widely_averaged(t, given[0], size)
    if path.startswith("keras.random."):
        return drawn(t, size)
    if not given:
        return _constant(t, given, size)
    if name == "pad" and str(said.get("mode")).lower() in MIRRORING:
        made = copy(t, given[0], size)
        t.mirrored.add(made.index)
        return made
    if name == "moments":
        return _moment(t, given, size, said)
    if name == "l2_normalize" or (path == "keras.ops.normalize" and said.get("order", 2) == 2):
        return _normalized(t, given, size, said)
    if name in TRANSPOSED and _swaps_last(name, said):
        return transposed(t, given[0], size)
    if name in SHARED and _in_place(name, said.get("axis", 0), size):
        return t.run("copy", given[:1], size, view=True)
    if name in NAMED:
        return NAMED[name](t, given, size)
    if name in ACTIVATIONS:
        return ACTIVATIONS[name](t, given[0])
    made = _kept(t, given, size)
    t.doubts[made.index] = f"what {path} keeps"
    return made
