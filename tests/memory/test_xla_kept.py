"""What XLA keeps of convolutions that pad one side, and of tables: programs beside what its CUDA compiler assigns them.

Measured with jax 0.10.2 for a T4, from the graph that TensorFlow 2.21 makes of Keras' step.
"""

from __future__ import annotations

import pytest

from tests.memory.compared import estimated, frozen
from tests.memory.test_estimates import estimate, estimates
from tests.oracle.memory_models import HEAD
from tests.oracle.memory_practice import PRACTICE
from tests.oracle.memory_runs import compiled
from tests.oracle.memory_users import USERS

EXCITED = HEAD + """
keras.mixed_precision.set_global_policy("mixed_float16")


def normed(x, filters, window, strides=1):
    x = layers.Conv2D(filters, window, strides=strides, padding="same", use_bias=False)(x)
    return layers.BatchNormalization()(x)


def excited(x, filters):
    s = layers.Dense(filters // 8, activation="swish")(layers.GlobalAveragePooling2D(keepdims=True)(x))
    return layers.Multiply()([x, layers.Dense(filters, activation="sigmoid")(s)])


inputs = keras.Input((96, 96, 3))
x = layers.Activation("swish")(normed(inputs, 32, 3, 2))
for filters, strides in ((32, 1), (64, 2), (64, 1), (128, 2), (128, 1)):
    y = layers.Activation("swish")(normed(x, filters, 3, strides))
    y = excited(normed(y, filters, 3), filters)
    if strides != 1:
        x = normed(x, filters, 1, strides)
    x = layers.Activation("swish")(layers.Add()([x, y]))
outputs = layers.Dense(20, activation="softmax", dtype="float32")(layers.GlobalAveragePooling2D()(x))
model = keras.Model(inputs, outputs)
model.compile(keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True), "sparse_categorical_crossentropy")
model.fit(np.zeros((128, 96, 96, 3), "float32"), np.zeros((128,), "int32"), batch_size=32)
"""
FILTERING = HEAD + """
user, item = keras.Input((1,), dtype="int32"), keras.Input((1,), dtype="int32")


def table(count, width, x):
    return layers.Flatten()(layers.Embedding(count, width)(x))


product = layers.Multiply()([table(60000, 16, user), table(30000, 16, item)])
x = layers.Concatenate()([table(60000, 32, user), table(30000, 32, item)])
for units in (128, 64, 32):
    x = layers.Dropout(0.2)(layers.Dense(units, activation="relu")(x))
model = keras.Model([user, item], layers.Dense(1, activation="sigmoid")(layers.Concatenate()([product, x])))
model.compile("adam", "binary_crossentropy")
ids = np.zeros((8192, 1), "int32")
model.fit([ids, ids], np.zeros((8192, 1), "float32"), batch_size=2048)
"""
TABLE = HEAD + """
ids = keras.Input((8,), dtype="int32")
x = layers.Embedding(200_000, 16)(ids)
BODY
model = keras.Model(ids, layers.Dense(1)(layers.GlobalAveragePooling1D()(x)))
model.compile(OPTIMIZER, "mse")
model.fit(np.zeros((BATCH, 8), "int32"), np.zeros((BATCH, 1), "float32"), batch_size=BATCH)
"""
ATTENDING = "x = x + layers.MultiHeadAttention(2, 8)(x, x)"
DENSE = 'x = layers.Dense(256, activation="relu")(x)'
DROPPED = HEAD + """
x = inputs = keras.Input((64, 64, 8))
for filters in (16, 32, 64):
    x = layers.Dropout(0.2)(layers.Conv2D(filters, 3, padding="same", activation="relu")(x))
model = keras.Model(inputs, layers.Dense(1)(layers.GlobalAveragePooling2D()(x)))
model.compile("sgd", "mse")
model.fit(np.zeros((64, 64, 64, 8), "float32"), np.zeros((64, 1), "float32"), batch_size=64)
"""


@pytest.mark.parametrize(("text", "measured"), [(EXCITED, 87_197_440), (FILTERING, 67_982_776)])
def test_what_xla_assigns_to_programs_of_other_kinds(text: str, measured: int) -> None:
    made = estimate(text)
    assert made.regime == "XLA" and not made.unknown
    assert made.terms.total == pytest.approx(measured, rel=0.03)


@pytest.mark.parametrize(("optimizer", "batch", "body", "measured"), [
    ("sgd", 16, ATTENDING, 17_102_396), ("adam", 16, ATTENDING, 64_037_780), ("adam", 4096, DENSE, 75_961_060)])
def test_optimizers_make_whole_gradients_of_tables(optimizer: str, batch: int, body: str, measured: int) -> None:
    """Adam twice, one for each average; SGD changes the rows."""
    rows = 20_000 if body is DENSE else 200_000
    text = TABLE.replace("BODY", body).replace("OPTIMIZER", f'"{optimizer}"').replace("BATCH", str(batch))
    made = estimate(text.replace("200_000", str(rows)))
    assert made.terms.total == pytest.approx(measured, rel=0.11 if body is DENSE else 0.01)
    assert made.terms.gradients >= (2 * rows * 16 * 4 if optimizer == "adam" and body is ATTENDING else 0)


READ = HEAD + """
model = keras.Sequential([keras.Input((20,), dtype="int32"), layers.Embedding(100000, 64),
    layers.GlobalAveragePooling1D(), layers.Dense(16, activation="relu"), layers.Dense(1, activation="sigmoid")])
model.compile(keras.optimizers.OPTIMIZER(), "binary_crossentropy")
model.fit(np.zeros((1024, 20), "int32"), np.zeros((1024, 1), "float32"), batch_size=256)
"""


@pytest.mark.parametrize(("optimizer", "measured"), [
    ("SGD", 29_923_836), ("RMSprop", 130_667_952), ("Adagrad", 130_667_952), ("Lion", 76_897_960),
    ("Nadam", 153_704_320), ("Ftrl", 128_102_748), ("AdamW", 128_103_268)])
def test_tables_that_an_optimizer_has_at_once(optimizer: str, measured: int) -> None:
    """Rows that are divided are gathered anew from all; Lion is done with one average before the other."""
    made = estimate(READ.replace("OPTIMIZER", optimizer))
    assert made.terms.total == pytest.approx(measured, rel=0.03)


def test_the_mask_of_a_dropout_is_there_with_what_it_masks() -> None:
    made = estimate(DROPPED)
    assert made.terms.total == pytest.approx(281_235_116, rel=0.02)
    assert made.layers[0].label == "conv2d_2"


@pytest.mark.parametrize(("name", "measured"), [
    ("long", 274_928_580), ("separated", 75_645_360), ("headed", 310_511_280), ("normed_mixed", 85_225_152)])
def test_predictions_are_those_that_xla_assigns(name: str, measured: int) -> None:
    """In mixed precision a normalisation is computed in float32 on the way, and nothing of it put out."""
    (made,) = estimates(USERS[name].replace("model.fit(x, y,", "model.predict(x,"))
    assert (made.method, made.regime, made.unknown) == ("predict", "XLA", ())
    assert made.terms.total == pytest.approx(measured, rel=0.05)


ATTENDED = HEAD + """
x = inputs = keras.Input((128, 64))
for _ in range(2):
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(8, 64)(x, x))
model = keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling1D()(x)))
model.predict(np.zeros((256, 128, 64), "float32"), batch_size=64)
"""
ENLARGED = PRACTICE["enlarged"].rpartition("model.fit(")[0] + """
model.predict(np.zeros((64, 48, 48, 3), "float32"), batch_size=8)
"""


@pytest.mark.parametrize(("program", "measured"), [(ATTENDED, 108_417_592), (ENLARGED, 157_407_500)])
def test_products_of_one_value_are_computed_at_once_and_what_is_given_back_is_there(program: str,
                                                                                  measured: int) -> None:
    made = estimate(program)
    assert made.terms.total == pytest.approx(measured, rel=0.025)
    assert made.total(8) == estimate(program, 8).terms.total


RESIDUAL = HEAD + """
inputs = keras.Input((512, 16))
x = layers.Conv1D(48, 3, padding="causal")(inputs)
for rate in RATES:
    y = layers.Conv1D(48, 3, padding="causal", dilation_rate=rate, activation="relu")(x)
    x = layers.add([x, layers.Conv1D(48, 1)(y)])
model = keras.Model(inputs, layers.Dense(4)(x))
model.predict(np.zeros((512, 512, 16), "float32"), batch_size=128)
"""


@pytest.mark.parametrize(("rates", "measured"), [
    ((1, 2, 4, 8), 56_129_488), ((8, 16, 32, 64), 68_319_184), ((1, 16, 1, 16, 1), 69_143_376)])
def test_sums_are_added_up_again_by_all_that_read_them(rates: tuple[int, ...], measured: int) -> None:
    """Their parts wait for that; but not where moving them out of the batch is slow."""
    made = estimate(RESIDUAL.replace("RATES", str(rates)))
    assert made.regime == "XLA"
    assert made.terms.total == pytest.approx(measured, rel=0.05)


FROZEN_BELOW = HEAD + """
base = keras.applications.EfficientNetB0(include_top=False, weights=None, input_shape=(96, 96, 3), pooling="avg")
base.trainable = False
inputs = keras.Input((96, 96, 3))
x = base(layers.RandomFlip("horizontal")(inputs), training=False)
x = layers.Dropout(0.3)(layers.BatchNormalization()(x))
model = keras.Model(inputs, layers.Dense(7, activation="softmax")(x))
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
model.fit(np.zeros((64, 96, 96, 3), "float32"), np.zeros(64, "int64"), batch_size=16)
"""


def test_the_scratch_of_products_fits_where_a_frozen_layer_had_more() -> None:
    """Asked of XLA's compiler for CUDA: benchmarks/memory.py."""
    assert estimate(FROZEN_BELOW).terms.total == pytest.approx(47_057_776, rel=0.005)


@pytest.mark.parametrize("name", ["autoencoder", "decoder", "plain", "volumes"])
def test_the_scratch_of_products_is_beside_only_what_is_there_with_it(name: str) -> None:
    """In small nets it is much; where most is alive later, it lies in what is gone by then or comes only then."""
    run = f"{name} 16 adam"
    assert estimated(compiled()[run], "xla").terms.total == pytest.approx(frozen("xla")[run], rel=0.04)


BLOCKS = HEAD + """
def normed(x):
    return layers.ReLU()(layers.BatchNormalization()(x))


inputs = keras.Input((32, 32, 3))
x = layers.Conv2D(32, 3, padding="same", use_bias=False)(inputs)
width = 32
for block, count in enumerate((4, 6, 4)):
    for _ in range(count):
        y = layers.Conv2D(64, 1, use_bias=False)(normed(x))
        y = layers.Dropout(0.2)(layers.Conv2D(16, 3, padding="same", use_bias=False)(normed(y)))
        x, width = layers.Concatenate()([x, y]), width + 16
    if block < 2:
        width //= 2
        x = layers.AveragePooling2D(2)(layers.Conv2D(width, 1, use_bias=False)(normed(x)))
model = keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling2D()(normed(x))))
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(np.zeros((32, 32, 32, 3), "float32"), np.zeros((32,), "int32"), batch_size=16)
"""


def test_joined_averages_are_put_out_to_be_normalized() -> None:
    """The signs of what is joined again are counted from the way forward, but are made later here."""
    assert estimate(BLOCKS).terms.total == pytest.approx(110_722_244, rel=0.065)


JOINED = HEAD + """
x = inputs = keras.Input((24, 24, 3))
x = layers.Conv2D(FIRST, 3, padding="same", use_bias=False)(x)
for _ in range(3):
    y = layers.ReLU()(layers.BatchNormalization()(x))
    x = layers.Concatenate()([x, layers.Conv2D(16, 3, padding="same", use_bias=False)(y)])
x = layers.Conv2D(16, 1, use_bias=False)(layers.ReLU()(layers.BatchNormalization()(x)))
model = keras.Model(inputs, layers.Dense(10)(layers.GlobalAveragePooling2D()(x)))
model.compile("adam", "mse")
model.fit(np.zeros((64, 24, 24, 3), "float32"), np.zeros((64, 10), "float32"), batch_size=32)
"""


@pytest.mark.parametrize(("first", "measured"), [(8, 24_901_184), (80, 68_277_600), (96, 61_293_216)])
def test_gradients_of_joined_tensors_wait_for_the_first_layer_of_their_block(first: int, measured: int) -> None:
    """With 8 and 80 channels first what is joined is put out; with 96 it is joined again, and its signs are."""
    assert estimate(JOINED.replace("FIRST", str(first))).terms.total == pytest.approx(measured, rel=0.01)


RESIZED = HEAD + """
def normed(x, filters, size=3, strides=1):
    x = layers.Conv2D(filters, size, strides=strides, padding="same", use_bias=False)(x)
    return layers.ReLU()(layers.BatchNormalization()(x))


inputs = keras.Input((96, 96, 3))
low = normed(normed(inputs, 24, strides=2), 24)
x = normed(normed(normed(low, 48, strides=2), 64, strides=2), 64)
x = layers.Concatenate()([layers.UpSampling2D(4, interpolation="bilinear")(x), normed(low, 16, 1)])
x = layers.UpSampling2D(2, interpolation="bilinear")(normed(normed(x, 64), 64))
model = keras.Model(inputs, layers.Conv2D(9, 1)(x))
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(np.zeros((16, 96, 96, 3), "float32"), np.zeros((16, 96, 96), "int32"), batch_size=8)
"""


def test_zeros_that_an_earlier_relu_is_compared_with_are_copied_for_what_is_enlarged() -> None:
    assert estimate(RESIZED).terms.total == pytest.approx(75_466_556, rel=0.05)


PENALIZED = HEAD + """
user, item = keras.Input((1,), dtype="int32"), keras.Input((1,), dtype="int32")
words = keras.Input((50,), dtype="int32")
u = layers.Flatten()(layers.Embedding(120000, 64)(user))
v = layers.Flatten()(layers.Embedding(30000, 64, embeddings_regularizer="l2")(item))
t = layers.GlobalAveragePooling1D()(layers.Embedding(20000, 64)(words))
x = layers.Concatenate()([u, v, t, layers.Dot(1)([u, v])])
for width in (512, 256, 64):
    x = layers.Dropout(0.2)(layers.Dense(width, activation="relu")(x))
model = keras.Model([user, item, words], layers.Dense(1, activation="sigmoid")(x))
model.compile(OPTIMIZER, "binary_crossentropy", metrics=[keras.metrics.AUC()])
x = [np.zeros((2 * BATCH, width), "int32") for width in (1, 1, 50)]
model.fit(x, np.zeros((2 * BATCH, 1), "float32"), batch_size=BATCH)
"""


@pytest.mark.parametrize(("optimizer", "batch", "measured"), [("sgd", 512, 61_352_368), ("adam", 64, 202_723_176)])
def test_the_gradient_of_a_penalty_on_a_table_is_there_all_the_time(optimizer: str, batch: int, measured: int) -> None:
    made = estimate(PENALIZED.replace("OPTIMIZER", f'"{optimizer}"').replace("BATCH", str(batch)))
    assert made.terms.total == pytest.approx(measured, rel=0.01)


JUDGING = HEAD + """
model = keras.Sequential([keras.Input((64, 64, 3))])
for filters in (64, 128, 256):
    model.add(layers.Conv2D(filters, 5, strides=2, padding="same"))
    BETWEEN
model.add(layers.Flatten())
model.add(layers.Dense(1))
model.compile("adam", "mse")
model.fit(np.zeros((64, 64, 64, 3), "float32"), np.zeros((64, 1), "float32"), batch_size=32)
"""


@pytest.mark.parametrize(("between", "measured"), [
    (("LeakyReLU()", "Dropout(0.3)"), 51_477_492), (("ReLU()",), 56_137_900), (("LeakyReLU()",), 56_137_900),
    (("BatchNormalization()", "ReLU()"), 46_362_764)])
def test_what_is_padded_twice_is_not_put_out(between: tuple[str, ...], measured: int) -> None:
    """But what a convolution gives and is only rectified; then its copy with padding, of which it is not known how long
    it stays, makes up for what is low."""
    added = "\n    ".join(f"model.add(layers.{name})" for name in between)
    made = estimate(JUDGING.replace("BETWEEN", added)).terms.total
    assert made == pytest.approx(measured, rel=0.04 if len(between) > 1 else 0.09)


LARGEST = HEAD + """
x = inputs = keras.Input((SHAPE, 3))
for filters, strides in ((32, 1), (64, 2), (256, 1)):
    x = layers.ConvND(filters, 3, strides=strides, padding="same", use_bias=False)(x)
    x = layers.ReLU()(layers.BatchNormalization()(x))
x = layers.Dropout(0.3)(layers.GlobalMaxPoolingND()(x))
model = keras.Model(inputs, layers.Dense(10, activation="softmax")(x))
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(np.zeros((64, SHAPE, 3), "float32"), np.zeros((64,), "int32"), batch_size=BATCH)
"""


@pytest.mark.parametrize(("shape", "batch", "measured"), [
    ("2304", 16, 69_090_056), ("96, 96", 16, 138_797_064), ("32, 32", 32, 95_819_848)])
def test_where_the_largest_along_one_axis_are_is_put_out(shape: str, batch: int, measured: int) -> None:
    """Of what is normalised; along two it is computed again."""
    strides = "" if shape == "32, 32" else ", strides=strides"
    text = LARGEST.replace(", strides=strides", strides).replace("SHAPE", shape).replace("BATCH", str(batch))
    made = estimate(text.replace("ND", "2D" if "," in shape else "1D"))
    assert made.terms.total == pytest.approx(measured, rel=0.02)


RECTIFIED = HEAD + """
model = keras.Sequential([keras.Input((32, 32, 16, 1)),
    layers.Conv3D(16, 3, strides=2, padding="same", activation="relu"),
    layers.Conv3D(32, 3, strides=2, padding="same", activation="relu"),
    layers.Conv3DTranspose(32, 3, strides=2, padding="same", activation="relu"),
    layers.Conv3DTranspose(24, 3, strides=2, padding="same", activation="relu"), layers.Conv3D(1, 3, padding="same")])
model.compile("adam", "mse")
x = np.zeros((64, 32, 32, 16, 1), "float32")
model.fit(x, x, batch_size=8)
"""
POOLED = HEAD + """
model = keras.Sequential([keras.Input((32, 32, 32, 1)),
    layers.Conv3D(16, 3, padding="same", activation="relu"), layers.MaxPooling3D(),
    layers.Conv3D(32, 3, padding="same"), layers.BatchNormalization(), layers.ReLU(), layers.MaxPooling3D(),
    layers.Conv3DTranspose(32, 3, strides=2, padding="same", activation="relu"),
    layers.Conv3DTranspose(16, 3, strides=2, padding="same", activation="relu"),
    layers.Conv3D(1, 3, padding="same", activation="sigmoid")])
model.compile(keras.optimizers.SGD(1e-2, momentum=0.9), "mse")
x = np.zeros((16, 32, 32, 32, 1), "float32")
model.fit(x, x, batch_size=4)
"""


@pytest.mark.parametrize(("text", "measured"), [(RECTIFIED, 40_272_348), (POOLED, 71_588_144)])
def test_zeros_of_a_max_pool_are_selected_where_a_part_is_cut_off_too(text: str, measured: int) -> None:
    assert estimate(text).terms.total == pytest.approx(measured, rel=0.02)


def test_frozen_blocks_with_sums_read_what_was_put_out_for_convolutions() -> None:
    """And not all that blocks before have put out: 26 MiB as XLA assigns it, where 50 would be read."""
    text = f"""{HEAD}
inputs = x = keras.Input((64, 64, 16))
for _ in range(4):
    y = layers.ReLU()(layers.BatchNormalization()(layers.Conv2D(16, 1, use_bias=False)(x)))
    y = layers.BatchNormalization()(layers.Conv2D(64, 1, use_bias=False)(y))
    if x.shape[-1] != 64:
        x = layers.BatchNormalization()(layers.Conv2D(64, 1, use_bias=False)(x))
    x = layers.ReLU()(layers.Add()([x, y]))
base = keras.Model(inputs, layers.Conv2D(8, 3)(x))
base.trainable = False
x = layers.GlobalAveragePooling2D()(base(inputs, training=False))
model = keras.Model(inputs, layers.Dense(10)(x))
model.compile("adam", "mse")
model.fit(np.zeros((64, 64, 64, 16), "float32"), np.zeros((64, 10), "float32"), batch_size=8)
"""
    assert estimate(text).terms.total == pytest.approx(27_328_840, rel=0.005)
