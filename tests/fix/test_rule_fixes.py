"""What the fixes of rules make of programs: calls in several layouts, constructors far from where they are applied."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cudnnlint.engine.settings.declared import Settings
from tests.fix.repairing import repair_of, text_after

HEAD = "import keras\nimport numpy as np\nimport tensorflow as tf\nfrom keras import layers\n\n"
MODEL = HEAD + "model = keras.Sequential([keras.Input((4,)), layers.Dense({units}, activation={end})])\n"


def after(tmp_path: Path, code: str, *, unsafe: bool = True, **versions: Any) -> str:
    path = tmp_path / "train.py"
    path.write_text(code, encoding="utf-8")
    return text_after(path, repair_of(path, unsafe=unsafe, settings=Settings(select=("ALL",), **versions)))


BATCHED = (MODEL.format(units=1, end=None) + "model.compile('adam', 'mse')\n"
           "data = tf.data.Dataset.from_tensor_slices((np.zeros((64, 4)), np.zeros((64, 1)))).batch(8)\n")


@pytest.mark.parametrize(("before", "expected"), [
    ("model.fit(data, batch_size=4)", "model.fit(data)"),
    ("model.fit(data, batch_size=4, epochs=2)", "model.fit(data, epochs=2)"),
    ("model.fit(data, epochs=2, batch_size=4)", "model.fit(data, epochs=2)"),
    ("model.fit(x=data, batch_size=4,)", "model.fit(x=data,)"),
    ("model.fit(batch_size=4, x=data)", "model.fit(x=data)"),
    ("model.fit(\n    data,\n    batch_size=4,\n    epochs=2,\n)", "model.fit(\n    data,\n    epochs=2,\n)"),
    ("model.fit(\n    data,\n    batch_size=4\n)", "model.fit(\n    data,\n)"),
    ("model.fit(data,\n          batch_size=4)", "model.fit(data)"),
    ("model.fit(data,  # train\n          batch_size=4,  # small\n          epochs=2)",
     "model.fit(data,  # train\n          # small\n          epochs=2)"),
    ("model.fit(\n    data, batch_size=(4), epochs=2)", "model.fit(\n    data, epochs=2)"),
    ("size = 4\nmodel.fit(data, batch_size=size)", "size = 4\nmodel.fit(data)"),
    ("history = model \\\n    .fit(data, batch_size=4)", "history = model \\\n    .fit(data)"),
    ("model.fit(data, **{'epochs': 2}, batch_size=4)", "model.fit(data, **{'epochs': 2})"),
    ("model.fit(data, **{'batch_size': 4, 'epochs': 2})", "model.fit(data, **{'epochs': 2})"),
])
def test_batch_size_beside_a_dataset(tmp_path: Path, before: str, expected: str) -> None:
    assert after(tmp_path, BATCHED + before + "\n", unsafe=False) == BATCHED + expected + "\n"


@pytest.mark.parametrize(("before", "expected"), [
    ("layers.BatchNormalization(epsilon=-1e-3)", "layers.BatchNormalization(epsilon=1e-3)"),
    ("layers.BatchNormalization(-1, 0.9, -1e-3)", "layers.BatchNormalization(-1, 0.9, 1e-3)"),
    ("layers.BatchNormalization(\n    epsilon=-1e-3,  # small\n)",
     "layers.BatchNormalization(\n    epsilon=1e-3,  # small\n)"),
    ("layers.BatchNormalization(epsilon=(-.5))", "layers.BatchNormalization(epsilon=(.5))"),
    ("layers.BatchNormalization(epsilon=EPS)", "layers.BatchNormalization(epsilon=EPS)"),
])
def test_a_negative_epsilon(tmp_path: Path, before: str, expected: str) -> None:
    head = HEAD + "EPS = -1e-3\nnorm = "
    assert after(tmp_path, head + before + "\n") == head + expected + "\n"
    assert after(tmp_path, head + before + "\n", unsafe=False) == head + before + "\n"


SMALL = HEAD + "x = layers.MaxPooling2D(4)(keras.Input((12, 12, 3)))\n"


@pytest.mark.parametrize(("before", "expected"), [
    ("y = layers.Conv2D(64, 5)(x)", 'y = layers.Conv2D(64, 5, padding="same")(x)'),
    ("y = layers.Conv2D(64, 5, name='c')(x)", "y = layers.Conv2D(64, 5, name='c', padding='same')(x)"),
    ("y = layers.Conv2D(64, 5, padding='valid')(x)", "y = layers.Conv2D(64, 5, padding='same')(x)"),
    ("y = layers.Conv2D(64, 5, 1, 'valid')(x)", "y = layers.Conv2D(64, 5, 1, 'same')(x)"),
    ("conv = layers.Conv2D(64, 5)\ny = conv(x)", 'conv = layers.Conv2D(64, 5, padding="same")\ny = conv(x)'),
    ("conv = layers.Conv2D(64, 5)\ny, z = conv(x), conv(x)",
     'conv = layers.Conv2D(64, 5, padding="same")\ny, z = conv(x), conv(x)'),
    ("conv = layers.Conv2D(64, 5)\ny = conv(x)\nz = conv(x)",
     'conv = layers.Conv2D(64, 5, padding="same")\ny = conv(x)\nz = conv(x)'),
    ("y = layers.Conv2D(\n    filters=64,\n    kernel_size=5,  # wide\n)(x)",
     'y = layers.Conv2D(\n    filters=64,\n    kernel_size=5,  # wide\n    padding="same",\n)(x)'),
    ("for n in (8, 16):\n    y = layers.Conv2D(n, 5)(x)",
     'for n in (8, 16):\n    y = layers.Conv2D(n, 5, padding="same")(x)'),
    ("pool = layers.MaxPooling2D(\n    5\n)\ny = pool(x)",
     'pool = layers.MaxPooling2D(\n    5,\n    padding="same"\n)\ny = pool(x)'),
    ("how = 'valid'\ny = layers.Conv2D(64, 5, padding=how)(x)",
     "how = 'valid'\ny = layers.Conv2D(64, 5, padding=\"same\")(x)"),
    ("def tail(x, how='valid'):\n    return layers.Conv2D(64, 5, padding=how)(x)\n\n\ny = tail(x)", None),
    ("options = dict(padding='valid')\ny = layers.Conv2D(64, 5, **options)(x)",
     "options = dict(padding='same')\ny = layers.Conv2D(64, 5, **options)(x)"),
    ("options = dict(padding='valid')\nprint(options)\ny = layers.Conv2D(64, 5, **options)(x)", None),
])
def test_a_feature_map_that_vanishes(tmp_path: Path, before: str, expected: str | None) -> None:
    assert after(tmp_path, SMALL + before + "\n") == SMALL + (expected or before) + "\n"
    assert after(tmp_path, SMALL + before + "\n", unsafe=False) == SMALL + before + "\n"


def test_what_a_cause_brought_about_is_not_fixed_as_well(tmp_path: Path) -> None:
    code = (HEAD + "model = keras.Sequential()\nmodel.add(keras.Input((60, 60, 3)))\n"
            + "model.add(layers.Conv2D(32, 3, 3))\nmodel.add(layers.MaxPooling2D(2))\n" * 3)
    assert after(tmp_path, code) == code.replace("3, 3))", "(3, 3)))")


def test_what_a_cause_leaves_is_fixed_afterwards(tmp_path: Path) -> None:
    code = (HEAD + "x = layers.Conv2D(8, 3, border_mode='same')(keras.Input((6, 6, 3)))\n"
            "x = layers.MaxPooling2D(4)(x)\nx = layers.Conv2D(8, 3)(x)\n")
    expected = code.replace("border_mode", "padding").replace("(8, 3)(x)", '(8, 3, padding="same")(x)')
    assert after(tmp_path, code) == expected


def test_a_layer_that_another_module_makes_is_fixed_there(tmp_path: Path) -> None:
    blocks, train = tmp_path / "blocks.py", tmp_path / "train.py"
    blocks.write_text(HEAD + "\ndef conv():\n    return layers.Conv2D(64, 5)\n")
    train.write_text("import keras\n\nfrom blocks import conv\n\ny = conv()(keras.Input((3, 3, 3)))\n")
    from cudnnlint.cli._fixing import repaired
    from cudnnlint.engine.run import check

    done = repaired(check([tmp_path]), lambda paths: check(paths or [tmp_path]), unsafe=True)
    assert [(Path(each.file.path).name, 'Conv2D(64, 5, padding="same")' in each.after.text) for each in done.files] == [
        ("blocks.py", True)]
    assert done.report.findings == ()


def test_padding_that_breaks_what_follows_is_not_kept(tmp_path: Path) -> None:
    code = (HEAD + "def block(x, y):\n    return layers.Add()([layers.Conv2D(8, 5)(x), y])\n\n\n"
            "a = block(keras.Input((12, 12, 3)), keras.Input((8, 8, 8)))\n"
            "b = block(keras.Input((4, 4, 3)), keras.Input((4, 4, 8)))\n")
    path = tmp_path / "train.py"
    path.write_text(code)
    done = repair_of(path)
    assert done.files == ()
    assert "it would bring incompatible-merge" in done.dropped[0][1]


FIT = "model.fit(np.zeros((64, 4)), {labels})\n"
CLASSES, ONE_HOT = "np.zeros((64,), 'int32')", "keras.utils.to_categorical(np.zeros((64,)), 3)"


@pytest.mark.parametrize(("labels", "before", "expected"), [
    (CLASSES, "'adam', 'categorical_crossentropy'", "'adam', 'sparse_categorical_crossentropy'"),
    (CLASSES, 'loss="categorical_crossentropy"', 'loss="sparse_categorical_crossentropy"'),
    (CLASSES, "'adam',\n    loss='categorical_crossentropy',  # labels: numbers\n    metrics=['accuracy'],\n",
     "'adam',\n    loss='sparse_categorical_crossentropy',  # labels: numbers\n    metrics=['accuracy'],\n"),
    (ONE_HOT, "loss='sparse_categorical_crossentropy'", "loss='categorical_crossentropy'"),
    (CLASSES, "loss=LOSS", None), (CLASSES, "loss=['categorical_crossentropy']", None),
    (CLASSES, "loss=keras.losses.CategoricalCrossentropy()", None),
])
def test_the_crossentropy_of_the_labels(tmp_path: Path, labels: str, before: str, expected: str | None) -> None:
    head = MODEL.format(units=3, end="'softmax'") + "LOSS = 'categorical_crossentropy'\n"
    rest = FIT.format(labels=labels)
    assert after(tmp_path, f"{head}model.compile({before})\n{rest}") == (
        f"{head}model.compile({expected or before})\n{rest}")


@pytest.mark.parametrize(("end", "before", "expected"), [
    (None, "SparseCategoricalCrossentropy()", "SparseCategoricalCrossentropy(from_logits=True)"),
    (None, "SparseCategoricalCrossentropy(from_logits=False)", "SparseCategoricalCrossentropy(from_logits=True)"),
    (None, "SparseCategoricalCrossentropy(False)", "SparseCategoricalCrossentropy(True)"),
    (None, "SparseCategoricalCrossentropy(\n    name='loss',\n)",
     "SparseCategoricalCrossentropy(\n    name='loss',\n    from_logits=True,\n)"),
    ("'softmax'", "SparseCategoricalCrossentropy(from_logits=True)", "SparseCategoricalCrossentropy()"),
    ("'softmax'", "SparseCategoricalCrossentropy(name='loss', from_logits=True)",
     "SparseCategoricalCrossentropy(name='loss')"),
    ("'softmax'", "SparseCategoricalCrossentropy(from_logits=LOGITS)", None),
    ("'relu'", "SparseCategoricalCrossentropy()", None),
])
def test_logits_and_probabilities(tmp_path: Path, end: str | None, before: str, expected: str | None) -> None:
    head = MODEL.format(units=3, end=end) + "LOGITS = True\n"
    rest = "model.compile('adam', loss)\n" + FIT.format(labels=CLASSES)
    assert after(tmp_path, f"{head}loss = keras.losses.{before}\n{rest}") == (
        f"{head}loss = keras.losses.{expected or before}\n{rest}")


def test_a_loss_by_its_name_is_not_told_of_logits(tmp_path: Path) -> None:
    code = (MODEL.format(units=3, end=None) + "model.compile('adam', 'sparse_categorical_crossentropy')\n"
            + FIT.format(labels=CLASSES))
    assert after(tmp_path, code) == code


@pytest.mark.parametrize(("before", "expected"), [
    ("layers.Conv2D(32, 3, 3)", "layers.Conv2D(32, (3, 3))"),
    ("layers.Conv2D(32, 3, 3, activation='relu')", "layers.Conv2D(32, (3, 3), activation='relu')"),
    ("layers.Conv2D(32,\n              3, 3)", "layers.Conv2D(32,\n              (3, 3))"),
    ("layers.Conv2D(\n    32, 3, 3,  # as in the paper\n)", "layers.Conv2D(\n    32, (3, 3),  # as in the paper\n)"),
    ("layers.Conv2D(32, 3, 3, 'same')", None), ("layers.Conv2D(32, K, K)", None),
])
def test_a_window_by_position(tmp_path: Path, before: str, expected: str | None) -> None:
    head, rest = HEAD + "K = 3\ny = ", "(keras.Input((150, 150, 3)))\n"
    assert after(tmp_path, head + before + rest) == head + (expected or before) + rest


@pytest.mark.parametrize(("before", "expected"), [
    ("layers.Embedding(9, 8)", "layers.Embedding(10, 8)"),
    ("layers.Embedding(input_dim=9, output_dim=8)", "layers.Embedding(input_dim=10, output_dim=8)"),
    ("layers.Embedding(VOCABULARY, 8)", "layers.Embedding(VOCABULARY + 1, 8)"),
    ("layers.Embedding(5, 8)", "layers.Embedding(10, 8)"),
    ("layers.Embedding(FEW, 8)", None),
])
def test_an_embedding_with_too_few_rows(tmp_path: Path, before: str, expected: str | None) -> None:
    head, rest = HEAD + "VOCABULARY, FEW = 9, 5\ny = ", "(tf.constant([[1, 9]]))\n"
    assert after(tmp_path, head + before + rest) == head + (expected or before) + rest


PADDED = """\
from tensorflow.keras import layers, models
from tensorflow.keras.datasets import imdb
from tensorflow.keras.preprocessing.sequence import pad_sequences

(x_train, y_train), (x_test, y_test) = imdb.load_data(num_words=20000)
x_train = pad_sequences({train})
x_test = pad_sequences({test})
model = models.Sequential([
    layers.Input((80,)), layers.Embedding(20000, 8, mask_zero=True), layers.LSTM(8), layers.Dense(1)])
model.compile("adam", "mse")
model.fit(x_train, y_train, validation_data=(x_test, y_test))
"""


@pytest.mark.parametrize(("train", "test", "expected"), [
    ("x_train, maxlen=80", "x_test, maxlen=80",
     ("x_train, maxlen=80, padding=\"post\"", "x_test, maxlen=80, padding=\"post\"")),
    ("x_train, 80, padding='pre'", "\n    x_test,\n    80,\n",
     ("x_train, 80, padding='post'", "\n    x_test,\n    80,\n    padding=\"post\",\n")),
    ("x_train, 80, **dict([])", "x_test, 80", ("x_train, 80, **dict([])", "x_test, 80")),
])
def test_training_and_validation_data_are_padded_alike(tmp_path: Path, train: str, test: str,
                                                       expected: tuple[str, str]) -> None:
    assert after(tmp_path, PADDED.format(train=train, test=test)) == PADDED.format(train=expected[0], test=expected[1])


@pytest.mark.parametrize(("before", "expected"), [
    ("model.fit_generator(data, epochs=2)", "model.fit(data, epochs=2)"),
    ("model.evaluate_generator(\n    data,  # all\n)", "model.evaluate(\n    data,  # all\n)"),
    ("model.predict_generator(generator=data)", "model.predict(x=data)"),
    ("model.fit_generator(\n    generator=data,  # all\n    nb_epoch=2)",
     "model.fit(\n    x=data,  # all\n    epochs=2)"),
    ("model.fit_generator(data, workers=4)", "model.fit_generator(data, workers=4)"),
    ("train = model.fit_generator\ntrain(data)", "train = model.fit_generator\ntrain(data)"),
])
def test_methods_that_are_gone(tmp_path: Path, before: str, expected: str) -> None:
    assert after(tmp_path, BATCHED + before + "\n", unsafe=False, keras="3.5") == BATCHED + expected + "\n"


def test_a_method_is_not_safely_renamed_where_no_version_is_told(tmp_path: Path) -> None:
    code = BATCHED + "model.fit_generator(data)\n"
    assert after(tmp_path, code, unsafe=False) == code
    assert after(tmp_path, code) == BATCHED + "model.fit(data)\n"


@pytest.mark.parametrize(("before", "expected"), [
    ("layers.LSTM(8, time_major=False)", "layers.LSTM(8)"), ("layers.LSTM(8, time_major=True)", None),
    ("keras.optimizers.SGD(lr=0.1, momentum=0.9)", "keras.optimizers.SGD(learning_rate=0.1, momentum=0.9)"),
    ("keras.optimizers.SGD(\n    lr=0.1,  # tuned\n)", "keras.optimizers.SGD(\n    learning_rate=0.1,  # tuned\n)"),
    ("tf.reduce_sum(tf.zeros((2, 3)), 1, keep_dims=True)", "tf.reduce_sum(tf.zeros((2, 3)), 1, keepdims=True)"),
    ("layers.Conv2D(nb_filter=8, kernel_size=3, border_mode='same')",
     "layers.Conv2D(filters=8, kernel_size=3, padding='same')"),
    ("layers.Dropout(p=0.5)", "layers.Dropout(rate=0.5)"),
    ("layers.Conv2D(8, 3, algo='gemm',  # fast\n              name='a')",
     "layers.Conv2D(8, 3,  # fast\n              name='a')"),
])
def test_arguments_of_other_versions(tmp_path: Path, before: str, expected: str | None) -> None:
    assert after(tmp_path, f"{HEAD}y = {before}\n", unsafe=False, keras="3.5", tensorflow="2.17") == (
        f"{HEAD}y = {expected or before}\n")


@pytest.mark.parametrize(("before", "expected"), [
    ("tf.matmul(A, B)", "tf.matmul(A, tf.cast(B, tf.float32))"),
    ("tf.matmul(B, A)", "tf.matmul(tf.cast(B, tf.float32), A)"),
    ("tf.matmul(\n    A,\n    B if A is not None else A,  # double\n)",
     "tf.matmul(\n    A,\n    tf.cast(B if A is not None else A, tf.float32),  # double\n)"),
    ("tf.nn.conv2d(tf.zeros((1, 8, 8, 3), tf.float64), K, 1, 'SAME')",
     "tf.nn.conv2d(tf.cast(tf.zeros((1, 8, 8, 3), tf.float64), tf.float32), K, 1, 'SAME')"),
    ("A + B", "A + tf.cast(B, tf.float32)"),
    ("tf.matmul(a=A, b=B)", None), ("linalg.matmul(A, B)", None), ("tf.concat([A, B], 0)", None),
])
def test_a_tensor_of_another_dtype(tmp_path: Path, before: str, expected: str | None) -> None:
    head = (HEAD + "from tensorflow import linalg\nA, B = tf.ones((3, 3)), tf.ones((3, 3), tf.float64)\n"
            "K = tf.ones((3, 3, 3, 4))\ny = ")
    assert after(tmp_path, head + before + "\n") == head + (expected or before) + "\n"


DATA = """\
import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

model = tf.keras.Sequential([layers.Input(batch_shape=(16, 5, 3)), layers.LSTM(8, stateful=True), layers.Dense(1)])
model.compile("adam", "mse")
data = tf.data.Dataset.from_tensor_slices((np.zeros((50, 5, 3)), np.zeros((50, 1))))
data = data.{batch}
model.fit(data{more})
"""


@pytest.mark.parametrize(("before", "expected"), [
    ("batch(16)", "batch(16, drop_remainder=True)"),
    ("batch(16, False)", "batch(16, True)"),
    ("batch(batch_size=16, drop_remainder=False)", "batch(batch_size=16, drop_remainder=True)"),
    ("cache().batch(16).prefetch(1)", "cache().batch(16, drop_remainder=True).prefetch(1)"),
    ("batch(\n    16,  # of the LSTM\n).map(lambda x, y: (x, y))",
     "batch(\n    16,  # of the LSTM\n    drop_remainder=True,\n).map(lambda x, y: (x, y))"),
    ("batch(16, drop_remainder=bool(0))", None), ("batch(16, True)", None), ("batch(10)", None),
])
def test_a_last_batch_that_does_not_fit(tmp_path: Path, before: str, expected: str | None) -> None:
    assert after(tmp_path, DATA.format(batch=before, more="")) == DATA.format(batch=expected or before, more="")
    limited = DATA.format(batch=before, more=", steps_per_epoch=3")
    assert after(tmp_path, limited) == limited


KEPT = """\
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(1)])
history = []
for epoch in range(100):
    for step in range(1000):
        loss = tf.reduce_mean(model(tf.zeros((8, 4))))
        {append}
"""


@pytest.mark.parametrize(("before", "expected"), [
    ("history.append(loss)", "history.append(float(loss))"),
    ("history.append(\n            loss,  # of this step\n        )",
     "history.append(\n            float(loss),  # of this step\n        )"),
    ("history.append(tf.reduce_mean(loss))", "history.append(float(tf.reduce_mean(loss)))"),
    ("history.append((epoch, loss))", None), ("history.append({'loss': loss})", None),
    ("history.extend([loss])", None), ("history.insert(0, loss)", None),
])
def test_numbers_that_a_list_keeps(tmp_path: Path, before: str, expected: str | None) -> None:
    assert after(tmp_path, KEPT.format(append=before)) == KEPT.format(append=expected or before)


def test_the_file_that_is_written_is_that_of_the_diff(tmp_path: Path) -> None:
    """From outside, as people run it: Windows line ends and a byte order mark stay."""
    path = tmp_path / "train.py"
    path.write_bytes(b"\xef\xbb\xbf" + (SMALL + "y = layers.Conv2D(64, 5)(x)  # é\n").replace("\n", "\r\n").encode())
    subprocess.run([sys.executable, "-m", "cudnnlint", "check", "--fix", "--unsafe-fixes", "train.py"], cwd=tmp_path,
                   check=True, capture_output=True)
    assert path.read_bytes() == b"\xef\xbb\xbf" + (
        SMALL + 'y = layers.Conv2D(64, 5, padding="same")(x)  # é\n').replace("\n", "\r\n").encode()


WIDE = (HEAD + "model = keras.Sequential([keras.Input((256, 256, 3)), layers.Conv2D(64, 3, padding='same'),\n"
        "                          layers.GlobalAveragePooling2D(), layers.Dense(1)])\n"
        "model.compile('adam', 'mse', jit_compile=False)\nBATCH = 1024\n"
        "x, y = np.zeros((4096, 256, 256, 3)), np.zeros((4096, 1))\n"
        "data = tf.data.Dataset.from_generator(rows, output_signature=(tf.TensorSpec((256, 256, 3), tf.float32),\n"
        "                                                              tf.TensorSpec((1,), tf.float32)))\n")


@pytest.mark.parametrize(("before", "expected"), [
    ("model.fit(x, y, batch_size=1024)", "model.fit(x, y, batch_size={})"),
    ("model.fit(x, y, 1024)", "model.fit(x, y, {})"),
    ("model.fit(x, y, epochs=2, batch_size=len(x))", "model.fit(x, y, epochs=2, batch_size={})"),
    ("model.fit(x, y, batch_size=x.shape[0])", "model.fit(x, y, batch_size={})"),
    ("model.fit(data.batch(1024))", "model.fit(data.batch({}))"),
    ("model.fit(x, y, batch_size=16)", "model.fit(x, y, batch_size=16)"),
])
def test_a_batch_that_does_not_fit(tmp_path: Path, before: str, expected: str) -> None:
    done = after(tmp_path, WIDE + before + "\n")
    size = done[len(WIDE):].removeprefix(expected.partition("{}")[0]).removesuffix(expected.partition("{}")[2] + "\n")
    assert done == WIDE + expected.format(size) + "\n"
    assert "{}" not in expected or 100 < int(size) < 1024
    assert after(tmp_path, WIDE + before + "\n", unsafe=False) == WIDE + before + "\n", "it trains in another way"


@pytest.mark.parametrize("last", [
    "model.fit(x, y, batch_size=BATCH)\n", "model.fit(data.batch(BATCH), steps_per_epoch=len(x) // BATCH)\n",
])
def test_a_constant_says_the_batch_that_does_not_fit(tmp_path: Path, last: str) -> None:
    done = after(tmp_path, WIDE + last)
    size = int(done.split("BATCH = ")[1].split()[0])
    assert done == WIDE.replace("BATCH = 1024", f"BATCH = {size}") + last
    assert 100 < size < 1024
    shared = WIDE.replace("1024", "8192") + "model.predict(x, batch_size=BATCH)\n"
    assert after(tmp_path, shared, unsafe=False) == shared, "other calls may use the constant"


def test_a_prediction_with_a_smaller_batch_is_the_same(tmp_path: Path) -> None:
    done = after(tmp_path, WIDE + "model.predict(x, batch_size=len(x))\n", unsafe=False)
    assert 100 < int(done[len(WIDE):].removeprefix("model.predict(x, batch_size=").removesuffix(")\n")) < 4096


@pytest.mark.parametrize(("before", "expected"), [
    ("out = model(x)", "out = model.predict(x)"),
    ("out = model(x, training=False)", "out = model.predict(x)"),
    ("out = tf.argmax(model(x,\n                      training=False))", "out = tf.argmax(model.predict(x))"),
    ("out = model(x, training=bool(y))", None),
    ("out = model(*[x])", None),
])
def test_a_whole_set_in_one_call(tmp_path: Path, before: str, expected: str | None) -> None:
    assert after(tmp_path, WIDE + before + "\n") == WIDE + (expected or before) + "\n"
    assert after(tmp_path, WIDE + before + "\n", unsafe=False) == WIDE + before + "\n"


@pytest.mark.parametrize(("shape", "before", "expected"), [
    ("512, 512, 64", "layers.Flatten()", "layers.GlobalAveragePooling2D()"),
    ("262144, 64", "layers.Flatten(name='flat')", "layers.GlobalAveragePooling1D(name='flat')"),
    ("64, 64, 64, 64", "layers.Flatten()", "layers.GlobalAveragePooling3D()"),
    ("512, 512, 64", "layers.Reshape((-1,))", "layers.Reshape((-1,))"),
    ("512, 512, 64", "Flatten()", "Flatten()"),
])
def test_a_dense_layer_larger_than_the_gpu(tmp_path: Path, shape: str, before: str, expected: str) -> None:
    code = HEAD + f"from keras.layers import Flatten\nx = {{}}(keras.Input(({shape})))\ny = layers.Dense(4096)(x)\n"
    assert after(tmp_path, code.format(before)) == code.format(expected)
    assert after(tmp_path, code.format(before), unsafe=False) == code.format(before)


PICKED = """\
import tensorflow as tf

lstm, norm = tf.keras.layers.LSTM(16), tf.keras.layers.BatchNormalization()


@tf.function
def encode(rows, valid):
    kept = tf.boolean_mask(rows, valid)
    return {}


encode(tf.zeros((8, 20, 4)), tf.zeros((8,), tf.bool))
"""
GUARD = "tf.cond(tf.shape(kept)[0] > 0, lambda: {}, lambda: tf.zeros(({})))"


@pytest.mark.parametrize(("before", "dims"), [
    ("lstm(kept)", "0, 16"), ("norm(kept, training=True)", "0, 20, 4"), ("lstm(tf.nn.relu(kept))", ""),
])
def test_a_batch_that_may_be_empty_is_guarded(tmp_path: Path, before: str, dims: str) -> None:
    expected = GUARD.format(before, dims) if dims else before
    assert after(tmp_path, PICKED.format(before)) == PICKED.format(expected)


def test_no_guard_without_the_name_of_tensorflow(tmp_path: Path) -> None:
    code = PICKED.replace("import tensorflow as tf", "import tensorflow\ntf = tensorflow").format("lstm(kept)")
    assert after(tmp_path, code) == code


IMAGES = """\
import tensorflow as tf

conv = tf.keras.layers.Conv2D(8, 3)
images = tf.image.decode_png(tf.io.read_file("a.png"), channels=3)[None]
"""


@pytest.mark.parametrize(("before", "expected"), [
    ("y = conv(images)", "y = conv(tf.cast(images, tf.float32))"),
    ("y = tf.nn.conv2d(images, tf.ones((3, 3, 3, 8)), 1, 'SAME')",
     "y = tf.nn.conv2d(tf.cast(images, tf.float32), tf.ones((3, 3, 3, 8)), 1, 'SAME')"),
    ("y = conv(images + 1)", "y = conv(tf.cast(images + 1, tf.float32))"),
])
def test_integers_are_cast_before_a_convolution(tmp_path: Path, before: str, expected: str) -> None:
    assert after(tmp_path, IMAGES + before + "\n") == IMAGES + expected + "\n"


@pytest.mark.parametrize(("before", "expected"), [
    ("y = layers.Conv2D(8, 3)(x)", "y = layers.Conv2D(8, 3)(layers.Rescaling(1 / 255)(x))"),
    ("y = layers.Conv2D(8, 3)(\n    x,  # images\n)",
     "y = layers.Conv2D(8, 3)(\n    layers.Rescaling(1 / 255)(x),  # images\n)"),
    ("conv = layers.Conv2D(8, 3)\ny = conv(x)", "conv = layers.Conv2D(8, 3)\ny = conv(x)"),
    ("from keras.layers import Conv2D\ny = Conv2D(8, 3)(x)", "from keras.layers import Conv2D\ny = Conv2D(8, 3)(x)"),
])
def test_an_integer_input_is_scaled_by_a_layer(tmp_path: Path, before: str, expected: str) -> None:
    head = HEAD + "x = keras.Input((32, 32, 3), dtype='uint8')\n"
    assert after(tmp_path, head + before + "\n") == head + expected + "\n"


NET = """\
class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.conv = layers.Conv2D(8, 3)
        self.head = layers.Dense(10)

    def call(self, x):
        return self.head(keras.ops.mean(self.conv({}), (1, 2)))


(x, y), (x_test, y_test) = keras.datasets.cifar10.load_data()
model = Net()
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(x, y, validation_data=(x_test, y_test))
"""


@pytest.mark.parametrize(("head", "expected"), [
    ("import tensorflow as tf\nimport keras\nfrom keras import layers\n", "tf.cast(x, tf.float32)"),
    ("import keras\nfrom keras import layers\n", 'keras.ops.cast(x, "float32")'),
    ("from tensorflow import keras\nfrom tensorflow.keras import layers\n", 'keras.ops.cast(x, "float32")'),
    ("import keras as k\nfrom keras import layers\nkeras = k\n", "x"),
])
def test_integers_that_a_model_is_fed_are_cast_in_its_call(tmp_path: Path, head: str, expected: str) -> None:
    assert after(tmp_path, head + NET.format("x")) == head + NET.format(expected)


@pytest.mark.parametrize(("before", "expected"), [
    ("model.fit(x, y)", 'model.fit(x.astype("float32"), y)'),
    ("model.fit(x=x, y=y)", 'model.fit(x=x.astype("float32"), y=y)'),
    ("model.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(8))",
     "model.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(8))"),
])
def test_arrays_of_integers_are_cast_for_a_chain_of_layers(tmp_path: Path, before: str, expected: str) -> None:
    head = ("import tensorflow as tf\nfrom tensorflow.keras import layers\n\n"
            "(x, y), _ = tf.keras.datasets.cifar10.load_data()\n"
            "model = tf.keras.Sequential([layers.Conv2D(8, 3), layers.Flatten(), layers.Dense(10)])\n"
            "model.compile('adam', tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True))\n")
    assert after(tmp_path, head + before + "\n", keras="2.15", tensorflow="2.15") == head + expected + "\n"


@pytest.mark.parametrize(("before", "expected"), [
    ("set_policy('mixed_float16')", "set_global_policy('mixed_float16')"), ("Policy('float32')", "Policy('float32')"),
])
def test_mixed_precision_has_left_its_experiment(tmp_path: Path, before: str, expected: str) -> None:
    name = "import tensorflow as tf\n\ntf.keras.mixed_precision."
    assert after(tmp_path, f"{name}experimental.{before}\n") == f"{name}{expected}\n"
    other = f"{name}experimental.LossScaleOptimizer(None, loss_scale='dynamic')\n"
    assert after(tmp_path, other) == other


def test_a_kernel_that_was_a_stride_makes_padding_needless(tmp_path: Path) -> None:
    """Activations between layers do not hide which of them led to the empty feature map."""
    code = HEAD + ("model = keras.Sequential([keras.Input((32, 32, 3))])\nmodel.add(layers.Conv2D(16, {}))\n"
                   "model.add(layers.Activation('relu'))\nmodel.add(layers.Conv2D(32, {}))\n"
                   "model.add(layers.Activation('relu'))\nmodel.add(layers.Conv2D(64, {}))\n"
                   "model.add(layers.Activation('relu'))\nmodel.add(layers.MaxPooling2D(2))\n")
    assert after(tmp_path, code.format(*["3, 3"] * 3)) == code.format(*["(3, 3)"] * 3)


@pytest.mark.parametrize(("before", "expected"), [
    ("i = tf.range(3)\nx = i * tf.ones(3)", "i = tf.range(3)\nx = tf.cast(i, tf.float32) * tf.ones(3)"),
    ("x = tf.ones(3)\nx -= tf.range(3)", "x = tf.ones(3)\nx -= tf.cast(tf.range(3), tf.float32)"),
    ("x = tf.constant(np.zeros((3, 3))) @ tf.ones((3, 2))",
     "x = tf.cast(tf.constant(np.zeros((3, 3))), tf.float32) @ tf.ones((3, 2))"),
    ("x = tf.range(3) > tf.constant([1, 2, 3], 'int64')", "x = tf.range(3) > tf.constant([1, 2, 3], 'int64')"),
])
def test_an_operand_of_another_dtype_is_cast(tmp_path: Path, before: str, expected: str) -> None:
    assert after(tmp_path, HEAD + before + "\n") == HEAD + expected + "\n"
    assert after(tmp_path, HEAD + before + "\n", unsafe=False) == HEAD + before + "\n"
