"""Calls written out, one a line: o(...) is a TensorFlow tensor of ones of that shape, n(...) a numpy array.

`?` before a line allows unknown extents (the result depends on the data or on a file).
"""
# ruff: noqa: E501

from __future__ import annotations

from typing import Any

from tests.oracle.function_harness import Call, T


class Path:
    """`tf.nn.conv2d(...)` as (path, Call)."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __getattr__(self, name: str) -> Path:
        return Path(f"{self.path}.{name}")

    def __call__(self, *args: Any, **kwargs: Any) -> tuple[str, Call]:
        return self.path, Call(args, kwargs)


def o(*shape: int, dtype: str = "float32", fill: Any = 1) -> T:
    return T(shape, dtype, "tf", fill)


def n(*shape: int, dtype: str = "float64", fill: Any = 1) -> T:
    return T(shape, dtype, "numpy", fill)


def ints(*values: int) -> T:
    return T((len(values),), "int32", "tf", values=values, known=True)


def ids(*shape: int) -> T:
    return T(shape, "int32", "tf", 0)


NAMES = {"tf": Path("tensorflow"), "np": Path("numpy"), "keras": Path("keras"), "K": Path("keras.backend"),
         "v1": Path("tensorflow.compat.v1"), "op": Path("operator"), "o": o, "n": n, "ints": ints, "ids": ids,
         "slice": slice}

MADE = """
tf.zeros(3) | tf.zeros([]) | tf.zeros((2, 3), "int32") | tf.ones(ints(2, 3)) | tf.zeros((2, -1)) | tf.fill([2, 3], 0)
tf.fill([2], 0.5) | tf.eye(3) | tf.eye(2, 3, batch_shape=[4]) | tf.range(5) | tf.range(0, 1, 0.1) | tf.range(2, 10, 3)
tf.range(5.0) | tf.range(5, dtype="float32") | tf.range(10, 0, -3) | tf.linspace(0.0, 1.0, 5) | tf.linspace(0, 1, 5)
tf.one_hot(ids(2), 10) | tf.one_hot(ids(1, 2), 10, axis=0) | tf.one_hot(ids(1, 2), 10, axis=1) | tf.one_hot(o(2), 10)
tf.one_hot(ids(1), 3, on_value=1) | tf.one_hot(ids(1), 3, dtype="int64") | tf.zeros_like(n(2, 3)) | tf.ones_like([1, 2])
tf.ones_like(ids(2), dtype="float16") | tf.Variable(3) | tf.Variable(n(2, 2)) | tf.Variable([1.0, 2]) | tf.constant([1, 2])
tf.constant([[1, 2], [3, 4.5]]) | tf.constant(0.0, shape=[2, 3]) | tf.constant([1, 2, 3, 4, 5, 6], shape=[2, 3])
tf.constant([1, 2, 3, 4, 5], shape=[2, 3]) | tf.constant(2**40) | tf.constant([True]) | tf.constant("a") | tf.constant([])
tf.constant(n(2, dtype="int64"), "float32") | tf.convert_to_tensor([1, 2.5]) | tf.convert_to_tensor(ids(2), "float32")
tf.convert_to_tensor(n(2), "float32") | tf.convert_to_tensor([ids(), 3]) | tf.convert_to_tensor([o(2), o(2)])
tf.random.normal([2, 3]) | tf.random.normal((2,), dtype="float64") | tf.random.uniform([2], 0, 10, dtype="int32")
tf.random.normal([2], mean=[0.0, 1.0]) | tf.random.normal([2, 1], mean=[0.0, 1.0]) | tf.random.truncated_normal([2])
tf.random.categorical(o(2, 3), 5) | tf.random.gamma([3], [1.0, 2.0]) | tf.random.poisson([3], [1.0, 2.0])
tf.random.stateless_normal([2], (1, 2)) | tf.random.stateless_uniform([2], (1, 2)) | tf.random.shuffle(n(2, 3))
tf.sequence_mask(ints(1, 3, 2), 5) | tf.sequence_mask(ints(1, 3, 2)) | tf.meshgrid([1, 2], [1, 2, 3])
keras.ops.zeros((2, 3)) | keras.ops.zeros(3) | keras.ops.full((2, 3), 1) | keras.ops.full((2,), 1, "int32")
keras.ops.arange(5) | keras.ops.arange(5.0) | keras.ops.arange(0, 1, 0.25) | keras.ops.arange(5, dtype="float32")
keras.ops.linspace(0, 1, 5) | keras.ops.linspace(0, 1) | keras.ops.linspace(0, 1, 5, dtype="int32") | keras.ops.eye(3, 4)
keras.ops.identity(3) | keras.ops.one_hot(ids(2, 3), 5) | keras.ops.one_hot(ids(2), 5, axis=0) | keras.ops.tri(3)
keras.ops.one_hot(ids(2), 5, dtype="int32") | keras.ops.full_like(ids(2), 2) | keras.ops.convert_to_tensor([1, 2.0])
keras.ops.array([1, 2]) | keras.random.normal((2, 3)) | keras.random.uniform((2,)) | keras.random.randint((2,), 0, 5)
keras.random.categorical(o(2, 3), 4) | keras.random.normal((2,), dtype="float16") | keras.random.truncated_normal((2,))
keras.random.beta((2,), 0.5, 0.5) | keras.random.gamma((2,), 0.5) | keras.random.binomial((2,), 4.0, 0.5)
keras.random.dropout(o(2, 3), 0.5) | keras.ops.meshgrid(ints(1, 2), ints(1, 2, 3)) | K.zeros((2, 3)) | K.ones((2,), "int32")
K.arange(5) | K.arange(0, 5) | K.constant([1, 2]) | K.constant(5, shape=(2, 2)) | K.variable([1, 2]) | K.eye(3)
K.one_hot(ids(2), 4) | K.random_normal((2, 3)) | K.random_uniform((2,)) | K.truncated_normal((2,)) | K.random_bernoulli((2,))
np.zeros(3) | np.zeros((2, 3), "int") | np.zeros([]) | np.empty((2,), "uint8") | np.full((2,), 1) | np.full((2, 2), [1, 2])
np.full((2,), True) | np.arange(5) | np.arange(0, 1, 0.1) | np.arange(5.0) | np.arange(5, dtype="float32") | np.eye(3)
np.arange(10, 0, -3) | np.arange(1, 2.05, 0.1) | np.linspace(0, 1) | np.linspace(0, 10, 11, dtype="int") | np.identity(3)
np.linspace([0, 1], 2, 5, axis=1) | np.logspace(0, 1, 5) | np.geomspace(1, 10, 5) | np.eye(3, 4, dtype="int32") | np.tri(3)
np.zeros_like([1, 2]) | np.full_like(n(2, dtype="int32"), 2.5) | np.zeros_like(n(2, 3), shape=(4,)) | np.array([1, 2])
np.array([1, 2.0]) | np.array([[1, 2], [3, 4]], dtype="float32") | np.array(5, ndmin=2) | np.array([True]) | np.array("a")
np.array([n(2), n(2)]) | np.array([n(2, dtype="int32"), n(2)]) | np.asarray(o(2)) | np.float32(3) | np.int64(2.7)
np.float32(n(2)) | np.uint8(7) | np.bool_(1) | np.astype(n(2), "int32") | np.random.rand(2, 3) | np.random.randn(2)
np.random.random((2, 3)) | np.random.random(4) | np.random.randint(5, size=(2,)) | np.random.randint(0, 5, (2, 3))
np.random.randint(0, 255, (2,), dtype="uint8") | np.random.uniform(size=(2,)) | np.random.uniform(0, 1, (2, 3))
np.random.uniform([0, 1], 2) | np.random.normal(0, 1, (2,)) | np.random.choice(5, (2, 3)) | np.random.choice([1.0, 2.0], 4)
np.random.permutation(5) | np.random.permutation(n(2, 3)) | np.random.binomial(1, 0.5, (3,)) | np.random.poisson(3, (2,))
np.random.beta(1, 2, (2,)) | np.random.exponential(1, (2,)) | np.random.dirichlet([1, 2, 3], 4) | np.random.gamma(1, 2, 3)
np.random.multinomial(5, [0.5, 0.5], 3) | np.random.multivariate_normal([0, 0], n(2, 2, fill=0), 5) | np.random.sample(3)
np.random.lognormal(size=3) | np.random.triangular(0, 1, 2, (2,)) | np.random.standard_normal((2,)) | np.zeros((2, -1))
np.meshgrid([1, 2], [1, 2, 3]) | np.meshgrid([1, 2], [1, 2, 3], indexing="ij") | np.meshgrid([1, 2], [1, 2, 3], sparse=True)
v1.random.poisson([1.0, 2.0], [3]) | tf.placeholder_with_default(o(2), [2]) | np.random.laplace(0, 1, (2,))
"""

MOVED = """
tf.repeat(o(2, 3), 2, axis=1) | tf.repeat(o(2, 3), [1, 2], axis=0) | tf.repeat(o(2, 3), 2) | np.repeat(n(2, 3), 2)
np.repeat(n(2, 3), 3, 1) | keras.ops.repeat(o(2, 3), 2, 0) | K.repeat(o(2, 3), 4) | K.repeat_elements(o(2, 3), 2, 1)
K.tile(o(2, 3), [1, 2]) | tf.roll(o(2, 3), 1, 0) | np.roll(n(2, 3), 1) | keras.ops.roll(o(2, 3), 1, 1) | K.reverse(o(2), 0)
np.rot90(n(2, 3)) | np.rot90(n(2, 3, 4), 2, (1, 2)) | keras.ops.rot90(o(2, 3)) | np.rollaxis(n(2, 3, 4), 2)
np.moveaxis(n(2, 3, 4), [0, 1], [-1, 0]) | keras.ops.moveaxis(o(2, 3, 4), (0, 2), (1, 0)) | np.append(n(2, 3), n(2, 3))
np.append(n(2, 3), n(1, 3), axis=0) | keras.ops.append(o(2), o(3)) | ?np.delete(n(3, 2), 1, 0) | np.resize(n(2, 3), (4, 4))
np.hsplit(n(2, 4), 2) | np.vsplit(n(4, 2), [1]) | np.dsplit(n(2, 2, 4), 2) | np.take_along_axis(n(2, 3), n(2, 1, dtype="int64", fill=0), 1)
tf.slice(o(4, 5), [0, 1], [2, -1]) | tf.slice(o(4, 5), [0, 1], [2]) | keras.ops.slice(o(4, 5), (0, 1), (2, 3))
keras.ops.slice_update(o(4, 5), (0, 0), o(2, 2)) | keras.ops.scatter_update(o(4), [[1]], [2.0]) | np.diag(n(3))
keras.ops.scatter([[0], [2]], [1.0, 2.0], (4,)) | tf.scatter_nd([[0], [2]], [1.0, 2.0], [4]) | np.diag(n(2, 3)) | np.diag(n(3), 1)
tf.tensor_scatter_nd_update(o(4), [[1]], [2.0]) | tf.ensure_shape(o(2, 3), (None, 3)) | tf.ensure_shape(o(2, 3), (None, 4))
tf.space_to_batch(o(1, 8, 8, 3), [2, 2], [[0, 0], [0, 0]]) | tf.batch_to_space(o(4, 8, 8, 3), [2, 2], [[0, 0], [1, 0]])
tf.nn.space_to_depth(o(1, 8, 8, 3), 2) | tf.nn.space_to_depth(o(1, 7, 8, 3), 2) | tf.nn.depth_to_space(o(1, 8, 8, 12), 2)
tf.nn.depth_to_space(o(1, 8, 8, 3), 2) | keras.ops.depth_to_space(o(1, 8, 8, 12), 2) | keras.ops.space_to_depth(o(1, 8, 8, 3), 2)
tf.cast(o(2), "int32") | tf.saturate_cast(o(2), "uint8") | keras.ops.cast(ids(2), "float16") | K.cast(ids(2), "float32")
tf.shape(o(2, 3)) | tf.size(o(2, 3)) | tf.rank(o(2, 3)) | np.size(n(2, 3)) | np.size(n(2, 3), 1) | keras.ops.size(o(2, 3))
tf.clip_by_value(o(2, 3), 0, 1) | tf.clip_by_value(ids(2), 0, 1) | np.clip(n(2), 0, 1) | keras.ops.clip(o(2), 0, 1)
K.clip(o(2), 0.0, 1.0) | tf.linalg.diag(o(2, 3)) | tf.linalg.band_part(o(3, 3), 0, -1) | tf.linalg.set_diag(o(3, 3), o(3))
tf.math.unsorted_segment_sum(o(4, 3), ids(4), 2) | ?tf.math.segment_sum(o(4, 3), ids(4)) | keras.ops.segment_sum(o(4, 3), ids(4), 2)
tf.tensordot(o(2, 3), o(3, 4), 1) | tf.tensordot(o(2, 3, 4), o(4, 3), [[1, 2], [1, 0]]) | tf.tensordot(o(2, 3), o(4, 5), 1)
np.tensordot(n(2, 3, 4), n(3, 4, 5)) | keras.ops.tensordot(o(2, 3), o(3, 4), 1) | tf.linalg.matvec(o(2, 3), o(3))
tf.matmul(o(2, 3), o(2, 4), transpose_a=True) | tf.matmul(o(5, 3, 2), o(5, 4, 2), transpose_b=True) | np.outer(n(2), n(3))
tf.einsum("bqd,bkd->bqk", o(2, 5, 8), o(2, 7, 8)) | tf.einsum("bqd,bkd->bqk", o(2, 5, 8), o(2, 7, 9))
tf.einsum("...ij,...jk->...ik", o(2, 3, 4), o(2, 4, 5)) | np.einsum("ij,jk", n(2, 3), n(3, 4)) | np.einsum("ii->i", n(3, 3))
keras.ops.einsum("abc,cd->abd", o(2, 3, 4), o(4, 5)) | K.batch_dot(o(2, 3, 4), o(2, 4, 5)) | K.batch_dot(o(2, 3), o(2, 3), 1)
K.batch_dot(o(2, 3, 4), o(2, 5, 4), axes=2) | tf.reduce_sum(o(2, 3, 4), [0, -1]) | np.mean(n(2, 3, 4), (0, 1))
tf.reduce_prod(ints(28, 28, 1)) | np.prod([28, 28, 1]) | keras.ops.prod(ints(2, 3)) | tf.reduce_max(ints(3, 9, 4))
np.sum(n(2, 3), dtype="float32") | np.std(n(2, 3), 0, keepdims=True) | np.percentile(n(2, 3), [25, 75], axis=0)
np.percentile(n(2, 3), 50) | keras.ops.moments(o(2, 3, 4), [0, 1]) | tf.nn.moments(o(2, 3, 4), [0, 1], keepdims=True)
v1.nn.moments(o(2, 3), [0], keep_dims=True) | tf.math.top_k(o(2, 5), 3) | tf.math.top_k(o(2, 5), 6) | keras.ops.top_k(o(2, 5), 2)
tf.math.in_top_k(ids(2), o(2, 3), 1) | keras.ops.in_top_k(ids(2), o(2, 3), 1) | np.searchsorted(n(3), n(2)) | np.digitize(n(2), n(3))
?tf.boolean_mask(o(4, 3), [True, False, True, True]) | tf.boolean_mask(o(4, 3), [True, False]) | np.argpartition(n(5), 2)
?np.unique(n(3), return_counts=True) | np.diff(n(5), 2) | keras.ops.take_along_axis(o(2, 3), ids(2, 1), 1)
op.getitem(o(8, 28, 28), (slice(0, 4), ..., None)) | op.getitem(n(4, 5, 6), ([0, 1], slice(None), [1, 2]))
op.getitem(n(4, 5, 6), (slice(None), [0, 1], [1, 2])) | op.getitem(n(4, 5), ([0, 1, 1],)) | op.getitem(ints(4, 5, 6), slice(None, None, -1))
op.getitem(n(4, 5, 6), (0, slice(None), [1, 2])) | op.getitem(n(4, 5, 6), (slice(1, None, 2), -1)) | op.getitem(ints(4, 5), 1)
?op.getitem(n(4, 5), n(4, dtype="bool")) | op.getitem(n(4, 5), n(3, dtype="bool")) | ?op.getitem(n(4, 5), n(4, 5, dtype="bool"))
op.getitem(n(4, 5), (None, slice(2), None, 0)) | op.getitem(o(4, 5), (slice(None, -1), slice(-2, None)))
tf.signal.stft(o(2, 1600), 255, 128) | tf.signal.frame(o(2, 100), 16, 10) | tf.signal.frame(o(100), 16, 10, pad_end=True)
tf.signal.rfft(o(2, 100)) | tf.signal.rfft(o(2, 100), [64]) | tf.signal.stft(o(1600), 200, 80, 512, pad_end=True) | np.isin(n(2, 3), [1])
tf.signal.hann_window(20) | tf.reverse_sequence(o(2, 3), ints(1, 2), 1) | ?np.bincount(n(5, dtype="int64"))
keras.utils.to_categorical(n(5, dtype="int32"), 10) | keras.utils.to_categorical(n(5, 1, dtype="int32"), 10)
keras.utils.to_categorical([0, 1, 2]) | keras.utils.to_categorical(ids(5), 4) | keras.utils.to_categorical(n(2, 3, dtype="int32"), 4)
keras.utils.pad_sequences([[1], [1, 2]]) | keras.utils.pad_sequences([[1], [1, 2]], maxlen=5, dtype="float32")
keras.utils.pad_sequences(n(3, 4), 6) | keras.utils.normalize(n(2, 3)) | keras.utils.img_to_array(n(8, 8))
keras.utils.img_to_array(n(8, 8, 3, dtype="uint8"), dtype="uint8") | keras.utils.img_to_array(n(8, 6, 3))
tf.strings.as_string(o(2, 3)) | tf.strings.as_string(ids()) | tf.strings.length(["a", "bc"]) | tf.strings.length("abc")
tf.strings.to_number(["1", "2"]) | tf.strings.to_number("1", "int32") | tf.strings.lower([["A"], ["b"]]) | tf.strings.upper("b")
tf.strings.strip([" a "]) | tf.strings.regex_replace(["a", "b"], "a", "c") | tf.strings.regex_full_match(["a", "b"], "a")
tf.strings.to_hash_bucket(["a", "b", "c"], 5) | tf.strings.to_hash_bucket_fast("a", 5) | ?tf.strings.split("a b c")
tf.strings.reduce_join([["a", "b"]], 1) | tf.strings.reduce_join(["a", "b"], keepdims=True) | tf.strings.reduce_join(["a", "b"], 2)
tf.signal.linear_to_mel_weight_matrix(80, 513) | tf.signal.linear_to_mel_weight_matrix(dtype="float64")
tf.signal.mfccs_from_log_mel_spectrograms(o(2, 5, 40)) | tf.signal.linear_to_mel_weight_matrix(num_spectrogram_bins=65)
?tf.strings.bytes_split("abc") | ?tf.strings.unicode_split("abc", "UTF-8")
"""
