"""What gradients of convolutions take while they run, as measured of TensorFlow 2.21 on a CPU with two threads."""

from __future__ import annotations

import pytest

from cudnnlint.ops.kernels.unfolded import Unfolded
from tests.memory.compared import estimated
from tests.oracle.memory_models import filled

NET = """import numpy as np
import keras
from keras import layers
model = keras.Sequential([keras.Input((64, 64, 32)), layers.Conv2D(16, 3, padding="same"),
                          layers.Conv2DTranspose(1, 3, padding="same")])
model.compile(OPTIMIZER, "mse", jit_compile=False)
x, y = np.zeros((2 * BATCH, 64, 64, 32), "float32"), np.zeros((2 * BATCH, 64, 64, 1), "float32")
model.fit(x, y, batch_size=BATCH)
"""


@pytest.mark.parametrize(("shape", "kernel", "given"), [
    ((64 * 64, 9 * 16, 1), 14, 1), ((32 * 32, 9 * 32, 16), 25, 1), ((96 * 96, 16, 1), 51, 1),
    ((96 * 96, 9 * 80, 16), 2, 1), ((256, 10 * 32, 32), 79, 79), ((256, 20 * 32, 32), 41, 1)])
def test_patches_of_as_many_samples_as_are_worked_on_at_once(shape: tuple[int, int, int], kernel: int,
                                                             given: int) -> None:
    one = Unfolded(*shape)
    assert one.of_kernel(4) == kernel * shape[0] * shape[1] * 4
    assert one.of_input(4) == given * shape[0] * shape[1] * 4


def test_the_batch_that_is_advised_leaves_room_for_them() -> None:
    made = estimated(filled(NET, 8, "sgd"))
    taken = made.plan.tape.scratch.values()  # type: ignore[union-attr]
    assert max(taken) == Unfolded(64 * 64, 9 * 32, 16).of_kernel(4) > 30 << 20
    assert made.largest(100 << 20) <= max(batch for batch in range(1, 99) if made.total(batch) <= 70 << 20)


VOLUMES = """import numpy as np
import keras
from keras import layers
model = keras.Sequential([keras.Input((24, 24, 16, 8)), layers.Conv3D(32, 3, activation="relu"),
                          layers.Conv3D(32, 3, activation="relu"), layers.GlobalAveragePooling3D(), layers.Dense(1)])
model.compile(OPTIMIZER, "mse", jit_compile=False)
x, y = np.zeros((2 * BATCH, 24, 24, 16, 8), "float32"), np.zeros((2 * BATCH, 1), "float32")
model.fit(x, y, batch_size=BATCH)
"""


def test_what_a_cpu_unfolds_along_three_axes_is_not_counted() -> None:
    """As many samples as fill its own cache, whatever the batch (tensorflow/core/kernels/conv_grad_ops_3d.cc:
    Conv3DCustomBackpropFilterOp), where a GPU asks cuDNN: such a batch is tried on no CPU."""
    made = estimated(filled(VOLUMES, 8, "adam"))
    assert not any(made.plan.tape.scratch.values())  # type: ignore[union-attr]


MIRRORED = """import numpy as np
import keras
import tensorflow as tf
from keras import layers
border = [[0, 0], [1, 1], [1, 1], [0, 0]]
x = inputs = keras.Input((64, 64, 3))
for _ in range(3):
    x = layers.Conv2D(32, 3)(layers.Lambda(lambda x: PAD, output_shape=(66, 66, x.shape[-1]))(x))
model = keras.Model(inputs, x)
model.compile("sgd", "mse", jit_compile=False)
model.fit(np.zeros((64, 64, 64, 3), "float32"), np.zeros((64, 64, 64, 32), "float32"), batch_size=16)
"""


@pytest.mark.parametrize("call", ["keras.ops.pad(x, border, mode={!r})", "tf.pad(x, border, {!r})"])
def test_the_gradient_of_a_mirrored_border_copies_what_came_back(call: str) -> None:
    """tensorflow/core/kernels/image/mirror_pad_op.cc: MirrorPadGradOp; zeros are cut off."""
    mirrored, zeros = (estimated(MIRRORED.replace("PAD", call.format(mode))).plan.tape.folding  # type: ignore[union-attr]
                       for mode in ("reflect", "constant"))
    assert [size.each for size in mirrored.values()] == [66 * 66 * 32] * 2
    assert not zeros


HALVES = """
import numpy as np
import keras
from keras import layers

keras.mixed_precision.set_global_policy("POLICY")
x = inputs = keras.Input((128, 128))
for _ in range(3):
    x = layers.MultiHeadAttention(4, 32, dropout=0.1)(x, x)
model = keras.Model(inputs, layers.Dense(4, dtype="float32")(layers.GlobalMaxPooling1D()(x)))
model.compile("adam", "mse", jit_compile=False)
model.fit(np.zeros((64, 128, 128), "float32"), np.zeros((64, 4), "float32"), batch_size=16)
"""


def test_matrices_of_half_precision_are_multiplied_as_copies() -> None:
    """tensorflow/core/kernels/matmul_op_impl.h: BaseBatchMatMulOp, on a CPU; scores are the largest of them."""
    taken = {}
    for policy in ("mixed_float16", "float32"):
        made = estimated(HALVES.replace("POLICY", policy))
        requests = made.plan._requests(frozenset())[0]  # type: ignore[union-attr]
        passing = [each for number, size, each in requests
                   if size >= 0 and number > len(made.plan.tape.values)]  # type: ignore[union-attr]
        taken[policy] = max(passing, default=0)
    assert taken == {"mixed_float16": 4 * 4 * 128 * 128, "float32": 0}
