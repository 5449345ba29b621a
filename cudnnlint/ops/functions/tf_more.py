"""TensorFlow: functions of mathematics, matrices, images and texts that fit none of the other families."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import may_equal
from cudnnlint.ops.functions import contents, paths
from cudnnlint.ops.functions._core import known_size, number, numbers
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.ops.functions.elementwise import binary
from cudnnlint.ops.functions.matrices import kept, number_per_matrix, square
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, DType, Tensor, Unknown

COUNT = "how many there are"


def each(value: Any, dtype: DType | None = None) -> Outcome:
    """One result for each element."""
    x = as_tensor(value, "tf")
    return x.with_(dtype=x.dtype if dtype is None else dtype) if isinstance(x, Tensor) else x


def both(x: Any, y: Any, label: str) -> Outcome:
    """Broadcast, in one dtype; nothing is told of the elements."""
    made = binary("maximum", x, y, "tf", label)
    return made.with_() if isinstance(made, Tensor) else made


def _pair(called: str, first: str, second: str) -> None:
    label = f"tf.math.{called}"

    def a_x(a: Any, x: Any, name: Any = None) -> Outcome:
        return both(a, x, label)

    def x_q(x: Any, q: Any, name: Any = None) -> Outcome:
        return both(x, q, label)

    paths.spell(a_x if (first, second) == ("a", "x") else x_q, f"tensorflow.math.{called}")


for _name, _first, _second in (("igamma", "a", "x"), ("igammac", "a", "x"), ("polygamma", "a", "x"),
                               ("zeta", "x", "q")):
    _pair(_name, _first, _second)


@function("tensorflow.truncatediv", "tensorflow.truncatemod")
def truncated(x: Any, y: Any, name: Any = None) -> Outcome:
    return both(x, y, "tf.truncatediv")


@function("tensorflow.math.nextafter")
def nextafter(x1: Any, x2: Any, name: Any = None) -> Outcome:
    """Of floats only: plain integers become some."""
    first, second = (float(x) if isinstance(x, int) else x for x in (x1, x2))
    return both(first, second, "tf.math.nextafter")


@function("tensorflow.math.polyval")
def polyval(coeffs: Any, x: Any, name: Any = None) -> Outcome:
    """Coefficients that are numbers leave the shape of x."""
    plain = isinstance(coeffs, list | tuple) and all(isinstance(one, int | float) for one in coeffs)
    return each(x) if plain else Unknown("coefficients")


@function("tensorflow.math.invert_permutation")
def invert_permutation(x: Any, name: Any = None) -> Outcome:
    return each(x)


@function("tensorflow.math.is_non_decreasing", "tensorflow.math.is_strictly_increasing")
def is_increasing(x: Any, name: Any = None) -> Outcome:
    return Tensor((), "bool")


@function("tensorflow.math.lbeta")
def lbeta(x: Any, name: Any = None) -> Outcome:
    held = as_tensor(x, "tf")
    known = isinstance(held, Tensor) and isinstance(held.shape, tuple) and held.shape
    return held.with_(shape=held.shape[:-1]) if known else Unknown("lbeta")  # type: ignore[union-attr, index]


@function("tensorflow.bitwise.invert")
def bitwise_invert(x: Any, name: Any = None) -> Outcome:
    return each(x)


@function("tensorflow.linalg.tensor_diag")
def tensor_diag(diagonal: Any, name: Any = None) -> Outcome:
    x = as_tensor(diagonal, "tf")
    return x.with_(shape=(*x.shape, *x.shape)) if isinstance(x, Tensor) and isinstance(x.shape, tuple) \
        else Unknown("diagonal")


@function("tensorflow.linalg.slogdet")
def slogdet(input: Any, name: Any = None) -> Outcome:
    made = number_per_matrix(input, "tf", "tf.linalg.slogdet")
    return (made, made.with_()) if isinstance(made, Tensor) else made


@function("tensorflow.linalg.eigvalsh")
def eigvalsh(tensor: Any, name: Any = None) -> Outcome:
    x = square(tensor, "tf", "tf.linalg.eigvalsh")
    return x.with_(shape=x.shape[:-1]) if isinstance(x, Tensor) and isinstance(x.shape, tuple) else x


@function("tensorflow.linalg.matrix_rank")
def matrix_rank(a: Any, tol: Any = None, validate_args: Any = False, name: Any = None) -> Outcome:
    x = kept(a, "tf")
    return x.with_(shape=x.shape[:-2], dtype="int32") if isinstance(x, Tensor) and isinstance(x.shape, tuple) else x


@function("tensorflow.linalg.cholesky_solve")
def cholesky_solve(chol: Any, rhs: Any, name: Any = None) -> Outcome:
    return each(rhs)


@function("tensorflow.linalg.lstsq")
def lstsq(matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: Any = True, name: Any = None) -> Outcome:
    """(..., m, n) and (..., m, k) -> (..., n, k)."""
    a, b = as_tensor(matrix, "tf"), as_tensor(rhs, "tf")
    if not isinstance(a, Tensor) or not isinstance(b, Tensor) or not isinstance(a.shape, tuple) \
            or not isinstance(b.shape, tuple) or len(a.shape) != len(b.shape) or len(a.shape) < 2 \
            or not may_equal(a.shape[-2], b.shape[-2]) or a.shape[:-2] != b.shape[:-2]:
        return Unknown("lstsq")
    return b.with_(shape=(*a.shape[:-2], a.shape[-1], b.shape[-1]))


@function("tensorflow.signal.fftshift", "tensorflow.signal.ifftshift")
def fftshift(x: Any, axes: Any = None, name: Any = None) -> Outcome:
    return each(x)


@function("tensorflow.signal.kaiser_window")
def kaiser_window(window_length: Any, beta: Any = 12.0, dtype: Any = "float32", name: Any = None) -> Outcome:
    return Tensor((known_size(number(window_length)),), as_dtype(dtype, "float32"))


@function("tensorflow.signal.vorbis_window")
def vorbis_window(window_length: Any, dtype: Any = "float32", name: Any = None) -> Outcome:
    return Tensor((known_size(number(window_length)),), as_dtype(dtype, "float32"))


@function("tensorflow.image.combined_non_max_suppression")
def combined_non_max_suppression(boxes: Any, scores: Any, max_output_size_per_class: Any, max_total_size: Any,
                                 iou_threshold: Any = 0.5, score_threshold: Any = float("-inf"),
                                 pad_per_class: Any = False, clip_boxes: Any = True, name: Any = None) -> Outcome:
    """(boxes, scores, classes, how many) of each image (tensorflow/core/ops/image_ops.cc)."""
    x = as_tensor(boxes, "tf")
    batch: Dim = x.shape[0] if isinstance(x, Tensor) and isinstance(x.shape, tuple) and x.shape else Unknown("batch")
    size: Dim = known_size(number(max_total_size)) if pad_per_class is False else Unknown("boxes that are kept")
    one = Tensor((batch, size), "float32")
    return (one.with_(shape=(batch, size, 4)), one, one.with_(), Tensor((batch,), "int32"))


@function("tensorflow.image.non_max_suppression_with_scores")
def non_max_suppression_with_scores(boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any = 0.5,
                                    score_threshold: Any = float("-inf"), soft_nms_sigma: Any = 0.0,
                                    name: Any = None) -> Outcome:
    count: Dim = Unknown("boxes that are kept")
    x = as_tensor(scores, "tf")
    return (Tensor((count,), "int32"), Tensor((count,), x.dtype if isinstance(x, Tensor) else x))


@function("tensorflow.image.extract_jpeg_shape", "tensorflow.io.extract_jpeg_shape")
def extract_jpeg_shape(contents: Any, output_type: Any = "int32", name: Any = None) -> Outcome:
    return Tensor((3,), as_dtype(output_type, "int32"))


@function("tensorflow.audio.decode_wav")
def decode_wav(contents: Any, desired_channels: Any = -1, desired_samples: Any = -1, name: Any = None) -> Outcome:
    """(float32[samples, channels], sample rate)."""
    sizes = [number(one) for one in (desired_samples, desired_channels)]
    return (Tensor(tuple(one if isinstance(one, int) and one > 0 else Unknown("of the file") for one in sizes),
                   "float32"), Tensor((), "int32"))


@function("tensorflow.audio.encode_wav")
def encode_wav(audio: Any, sample_rate: Any, name: Any = None) -> Outcome:
    return Tensor((), "string")


@function("tensorflow.strings.unicode_transcode")
def unicode_transcode(input: Any, input_encoding: Any, output_encoding: Any, errors: Any = "replace",
                      replacement_char: Any = 65533, replace_control_characters: Any = False,
                      name: Any = None) -> Outcome:
    return each(input)


@function("tensorflow.strings.unicode_script")
def unicode_script(input: Any, name: Any = None) -> Outcome:
    return each(input)


@function("tensorflow.io.decode_base64")
def decode_base64(input: Any, name: Any = None) -> Outcome:
    return each(input)


@function("tensorflow.io.encode_base64")
def encode_base64(input: Any, pad: Any = False, name: Any = None) -> Outcome:
    return each(input)


@function("tensorflow.io.serialize_tensor")
def serialize_tensor(tensor: Any, name: Any = None) -> Outcome:
    return Tensor((), "string")


@function("tensorflow.io.matching_files")
def matching_files(pattern: Any, name: Any = None) -> Outcome:
    return Tensor((Unknown(COUNT),), "string")


@function("tensorflow.unique_with_counts")
def unique_with_counts(x: Any, out_idx: Any = "int32", name: Any = None) -> Outcome:
    held, index = as_tensor(x, "tf"), as_dtype(out_idx, "int32")
    if not isinstance(held, Tensor):
        return Unknown("unique_with_counts")
    count: Dim = Unknown(COUNT)
    return (held.with_(shape=(count,)), held.with_(dtype=index), Tensor((count,), index))


@function("tensorflow.unravel_index")
def unravel_index(indices: Any, dims: Any, name: Any = None) -> Outcome:
    """(n,) -> (axes, n)."""
    x, sizes = as_tensor(indices, "tf"), numbers(dims)
    if not isinstance(x, Tensor) or isinstance(sizes, Unknown) or x.rank not in (0, 1):
        return Unknown("unravel_index")
    assert isinstance(x.shape, tuple)
    return x.with_(shape=(len(sizes), *x.shape))


@function("tensorflow.histogram_fixed_width_bins")
def histogram_fixed_width_bins(values: Any, value_range: Any, nbins: Any = 100, dtype: Any = "int32",
                               name: Any = None) -> Outcome:
    return each(values, as_dtype(dtype, "int32"))


@function("tensorflow.get_static_value")
def get_static_value(tensor: Any, partial: Any = False) -> Outcome:
    """The elements as an array, where they are known."""
    if isinstance(tensor, Tensor) and tensor.content is not None:
        items = contents.flat(tensor.content)
        if items is not None and all(isinstance(item, bool | int | float | str) for item in items):
            return tensor.with_(kind="numpy", content=tensor.content)
    return Unknown("a value that may be known in a graph")
