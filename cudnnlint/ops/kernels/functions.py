"""Library functions and operators in the middle of a model, as the operations that they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from cudnnlint.ops.kernels.activations import ACTIVATIONS, gelu, silu
from cudnnlint.ops.kernels.maths import binary, contract, convolve, copy, joined, reduce, unary, view
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


def _unary(kind: str) -> Lowering:
    return lambda t, given, size: unary(t, kind, given[0])


def _view(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    return view(t, given[0], size)


def _copy(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    return copy(t, given[0], size)


def _contract(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    return contract(t, given[0], given[1], size)


def _convolve(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    return convolve(t, given[0], given[1], size)


def _reduce(kind: str) -> Lowering:
    return lambda t, given, size: reduce(t, given[0], size, kind)


def _kept(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    """A function whose gradient reads its inputs: what most do."""
    return t.run("kept", given, size)


def _constant(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    return t.run("random", (), size)


def _power(t: Tape, given: tuple[Value, ...], size: Size) -> Value:
    return t.run("square", given[:1], size, reuse=True)


NAMED: Mapping[str, Lowering] = {
    **dict.fromkeys(("+", "add", "add_n", "bias_add"), _arithmetic("add")),
    **dict.fromkeys(("-", "subtract", "sub"), _arithmetic("sub")),
    **dict.fromkeys(("*", "multiply", "mul", "scalar_mul"), _arithmetic("mul")),
    **dict.fromkeys(("/", "divide", "true_divide", "truediv", "div", "divide_no_nan"), _arithmetic("div")),
    **dict.fromkeys(("maximum", "minimum"), _arithmetic("larger")),
    **dict.fromkeys(("**", "pow", "square", "power"), _power),
    **{name: _unary(name) for name in ("exp", "tanh", "sigmoid", "sqrt", "rsqrt", "softplus", "relu", "relu6", "elu",
                                       "selu", "leaky_relu", "softsign") if name != "relu6"},
    "relu6": _unary("relu6"), "neg": _unary("neg"), "negative": _unary("neg"),
    **dict.fromkeys(("reshape", "squeeze", "expand_dims", "flatten", "batch_flatten", "identity", "stop_gradient",
                     "convert_to_tensor", "ensure_shape", "ravel"), _view),
    **dict.fromkeys(("transpose", "permute_dimensions", "tile", "repeat", "pad", "slice", "strided_slice", "gather",
                     "getitem", "[]", "split", "unstack", "reverse", "flip", "roll", "broadcast_to", "cast",
                     "space_to_depth", "depth_to_space", "zero_padding2d", "resize_nearest", "swapaxes", "moveaxis",
                     "spatial_2d_padding", "crop_to_bounding_box", "repeat_elements", "one_hot"), _copy),
    **dict.fromkeys(("matmul", "@", "einsum", "tensordot", "dot", "batch_dot"), _contract),
    **dict.fromkeys(("conv2d", "conv1d", "conv3d", "convolution", "depthwise_conv2d", "conv"), _convolve),
    **dict.fromkeys(("reduce_mean", "mean"), _reduce("mean")), **dict.fromkeys(("reduce_sum", "sum"), _reduce("sum")),
    **dict.fromkeys(("reduce_max", "reduce_min", "max", "min", "amax", "amin"), _reduce("max")),
    **dict.fromkeys(("concat", "concatenate", "stack"), joined),
    **dict.fromkeys(("zeros", "ones", "fill", "range", "arange", "constant", "zeros_like", "ones_like", "normal",
                     "uniform", "shape"), _constant),
    **dict.fromkeys(("l2_normalize", "normalize", "resize_images", "resize", "resize_bilinear", "clip_by_value", "clip",
                     "abs", "log", "cumsum", "where", "top_k"), _kept),
}
"""Last part of a function's path -> what it runs, given its tensors and the size of its result."""


def lowered(t: Tape, path: str, given: tuple[Value, ...], size: Size) -> Value:
    """What a function runs; one that is not known is taken to keep its inputs, and told of."""
    name = path.rpartition(".")[2] if not path.startswith("operator.") else path[len("operator."):]
    if name in ("gelu", "silu", "swish") and given:
        return (gelu if name == "gelu" else silu)(t, given[0])
    if not given:
        return _constant(t, given, size)
    if name in NAMED:
        return NAMED[name](t, given, size)
    if name in ACTIVATIONS:
        return ACTIVATIONS[name](t, given[0])
    t.unknown[f"what {path} keeps"] = None
    return _kept(t, given, size)



