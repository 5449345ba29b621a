"""keras.ops.nn: pooling to a size, columns of windows, attention, and what losses are made of."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import broadcast, lift, spread
from cudnnlint.ops.functions import paths
from cudnnlint.ops.functions._core import find_axis, known_size, number, rank_problem
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.ops.functions.elementwise import broadcast_problem
from cudnnlint.ops.functions.keras_maths import common, narrowed
from cudnnlint.ops.functions.keras_products import shaped, symbolic
from cudnnlint.ops.functions.sliding import split
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, DType, Mismatch, Problem, Tensor, Unknown
from cudnnlint.values.dim import product


def _adaptive(name: str) -> paths.Builder:
    def build(inputs: Any, output_size: Any, data_format: Any = None) -> Outcome:
        """(batch, *spatial, C) -> (batch, *output_size, C); of symbolic tensors Keras tells other axes."""
        x = as_tensor(inputs, "keras")
        if not isinstance(x, Tensor) or x.rank is None or symbolic(x):
            return Unknown(name)
        if wrong := rank_problem(x, (3, 4), f"keras.ops.{name}", "inputs"):
            return wrong
        at = split(x, x.rank - 2, data_format)
        if isinstance(at, Unknown):
            return x.with_(shape=at)
        sizes = spread(output_size, x.rank - 2)
        return x.with_(shape=sizes if isinstance(sizes, Unknown) else at.shape(tuple(map(known_size, sizes)),
                                                                               at.channel))

    return build


for _name in ("adaptive_average_pool", "adaptive_max_pool"):
    paths.spell(_adaptive(_name), *paths.ops(_name, "nn"))


def _pairs(*values: Any) -> list[tuple[Dim, ...]] | Unknown:
    found = [spread(value, 2) for value in values]
    return next((one for one in found if isinstance(one, Unknown)), [one for one in found if isinstance(one, tuple)])


@function(*paths.ops("unfold", "nn"))
def unfold(x: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Outcome:
    """(N, C, H, W) -> (N, C * kh * kw, windows) (keras/src/ops/nn.py: Unfold).

    >>> print(unfold(Tensor((2, 4, 6, 3), "float32"), 2))
    float32[2, 16, 10]
    """
    found, pairs = shaped(x), _pairs(kernel_size, dilation, padding, stride)
    if isinstance(found, Unknown) or isinstance(pairs, Unknown):
        return Unknown("unfold")
    ((held, shape),) = found
    if wrong := rank_problem(held, (4,), "keras.ops.unfold"):
        return wrong
    kernel, dilations, paddings, strides = pairs
    counts = [lift(lambda n, k, d, p, s: (n + 2 * p - d * (k - 1) - 1) // s + 1 if s else 0, *values)
              for values in zip(shape[2:], kernel, dilations, paddings, strides, strict=True)]
    if any(isinstance(count, int) and count < 1 for count in counts):
        return held.with_(shape=(shape[0], Unknown("columns"), Unknown("windows")))
    return held.with_(shape=(shape[0], known_size(product((shape[1], *kernel))), product(counts)))


@function(*paths.ops("fold", "nn"))
def fold(x: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Outcome:
    """(N, C * kh * kw, windows) -> (N, C, *output_size)."""
    found, pairs = shaped(x), _pairs(kernel_size, output_size)
    if isinstance(found, Unknown) or isinstance(pairs, Unknown):
        return Unknown("fold")
    ((held, shape),) = found
    if wrong := rank_problem(held, (3,), "keras.ops.fold"):
        return wrong
    (kernel, size), area = pairs, product(pairs[0])
    if not isinstance(area, int) or area < 1:
        return Unknown("kernel_size")
    if isinstance(shape[1], int) and shape[1] % area:
        return Mismatch(Problem.CHANNELS, f"keras.ops.fold: {shape[1]} columns are not divisible by kernel_size "
                        f"{kernel[0]} x {kernel[1]}", error='ValueError "must be divisible by kernel_size product"',
                        facts=(("columns", shape[1]), ("area", area)))
    return held.with_(shape=(shape[0], lift(lambda n: n // area, shape[1]), *map(known_size, size)))


@function(*paths.ops("dot_product_attention", "nn"),
          versions={"attn_logits_soft_cap": ">=3.10"})
def dot_product_attention(query: Any, key: Any, value: Any, bias: Any = None, mask: Any = None, scale: Any = None,
                          is_causal: Any = False, flash_attention: Any = None,
                          attn_logits_soft_cap: Any = None) -> Outcome:
    """(batch, length, heads, features), as the query is (keras/src/ops/nn.py: DotProductAttention)."""
    held = as_tensor(query, "keras")
    if not isinstance(held, Tensor):
        return held
    if wrong := rank_problem(held, (4,), "keras.ops.dot_product_attention", "query"):
        return wrong
    return held.with_(dtype=common(query, key, value))


@function(*paths.ops("multi_hot", "nn"), versions={"num_tokens": "<3.5"})
def multi_hot(inputs: Any, num_tokens: Any = None, num_classes: Any = None, axis: Any = -1, dtype: Any = None,
              sparse: Any = False, **kwargs: Any) -> Outcome:
    """(n,) -> (classes,), and (batch, n) -> (batch, classes); of symbolic tensors Keras tells their own dtype."""
    found = shaped(inputs)
    count = number(num_classes if isinstance(num_tokens, Unknown) or num_tokens is None else num_tokens)
    if isinstance(found, Unknown) or axis != -1 or isinstance(axis, Tensor):
        return Unknown("multi_hot")
    ((held, shape),) = found
    if not shape:
        return Unknown("multi_hot of a number")
    own = as_dtype(dtype, "float32", "keras")
    made: DType = own if not symbolic(held) or own == held.dtype else Unknown("multi_hot")
    rest = () if len(shape) == 1 else (shape[0], *shape[2:])
    return held.with_(shape=(*rest, known_size(count)), dtype=made)


@function(*paths.ops("psnr", "nn"))
def psnr(x1: Any, x2: Any, max_val: Any) -> Outcome:
    a, b = as_tensor(x1, "keras"), as_tensor(x2, "keras")
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return Tensor((), "float32")
    if (shape := broadcast(a.shape, b.shape)) is None:
        return broadcast_problem(a, b, "keras.ops.psnr")
    exact = isinstance(shape, tuple) and a.shape == b.shape
    dtype: DType = narrowed(a.dtype) if not symbolic(a, b) or a.dtype == "float32" else Unknown("psnr")
    return a.with_(shape=() if exact else Unknown("psnr"), dtype=dtype if a.dtype == b.dtype else Unknown("psnr"))


@function(*paths.ops("polar", "nn"))
def polar(abs_: Any, angle: Any) -> Outcome:
    a, b = as_tensor(abs_, "keras"), as_tensor(angle, "keras")
    if not isinstance(a, Tensor) or not isinstance(b, Tensor):
        return Unknown("polar")
    shape = broadcast(a.shape, b.shape)
    if shape is None:
        return broadcast_problem(a, b, "keras.ops.polar")
    known = a.dtype == b.dtype == "float32" and not symbolic(a, b)
    return a.with_(shape=shape, dtype="complex64" if known else Unknown("polar"))


@function("keras.ops.view_as_real")
def view_as_real(x: Any) -> Outcome:
    held = as_tensor(x, "keras")
    if not isinstance(held, Tensor):
        return held
    dtype: DType = {"complex64": "float32", "complex128": "float64", "float64": "float64"}.get(
        str(held.dtype), "float32" if held.dtype == "float32" and not symbolic(held) else Unknown("no complex"))
    return held.with_(shape=(*held.shape, 2) if isinstance(held.shape, tuple) else held.shape, dtype=dtype)


@function("keras.ops.view_as_complex")
def view_as_complex(x: Any) -> Outcome:
    """(..., 2) -> (...)."""
    found = shaped(x)
    if isinstance(found, Unknown):
        return found
    ((held, shape),) = found
    if not shape or not isinstance(shape[-1], int):
        return Unknown("view_as_complex")
    if shape[-1] != 2:
        return Mismatch(Problem.INVALID_ARGUMENT, f"keras.ops.view_as_complex: the last axis of {held} has "
                        f"{shape[-1]}, not 2", error='ValueError "Last dimension of input must be size 2"',
                        facts=(("shape", shape),))
    wide = held.dtype in ("float64", "complex128")
    return held.with_(shape=shape[:-1], dtype=Unknown("dtype") if wide else "complex64")


@function(*paths.ops("ctc_decode", "nn"))
def ctc_decode(inputs: Any, sequence_lengths: Any, strategy: Any = "greedy", beam_width: Any = 100, top_paths: Any = 1,
               merge_repeated: Any = True, mask_index: Any = 0) -> Outcome:
    """(paths, batch, time) labels, and (batch, paths) of their likelihood."""
    found = shaped(inputs)
    if isinstance(found, Unknown) or strategy not in ("greedy", "beam_search"):
        return Unknown("ctc_decode")
    ((held, shape),) = found
    if wrong := rank_problem(held, (3,), "keras.ops.ctc_decode", "inputs"):
        return wrong
    count = 1 if strategy == "greedy" else known_size(number(top_paths))
    return (held.with_(shape=(count, shape[0], shape[1]), dtype="int32"),
            held.with_(shape=(shape[0], count), dtype=common(held, Tensor((), "float32"))))


@function("keras.backend.ctc_decode")
def backend_ctc_decode(y_pred: Any, input_length: Any, greedy: Any = True, beam_width: Any = 100,
                       top_paths: Any = 1) -> Outcome:
    """(paths of (batch, time) labels, (batch, paths) of their likelihood): tf_keras/src/backend.py."""
    found = shaped(y_pred)
    count = 1 if greedy is True else number(top_paths)
    if isinstance(found, Unknown) or not isinstance(greedy, bool) or not isinstance(count, int) or not 0 < count < 100:
        return Unknown("ctc_decode")
    ((held, shape),) = found
    if wrong := rank_problem(held, (3,), "keras.backend.ctc_decode", "y_pred"):
        return wrong
    return [held.with_(shape=shape[:2], dtype="int64")] * count, held.with_(shape=(shape[0], count))


@function("keras.ops.associative_scan")
def associative_scan(f: Any, elems: Any, reverse: Any = False, axis: Any = 0) -> Outcome:
    """What is scanned keeps its shape."""
    x = as_tensor(elems, "keras") if isinstance(elems, Tensor) else Unknown("nested elements")
    if not isinstance(x, Tensor) or x.rank is None:
        return x
    place = find_axis(axis, x.rank, "keras.ops.associative_scan", x)
    return place if isinstance(place, Mismatch) else x.with_(dtype=Unknown("what the function gives"))
