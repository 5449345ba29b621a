"""What a user reads when layers do not fit: the numbers, the remedy, and the versions it holds for."""

from __future__ import annotations

from typing import Any

import pytest

from cudnnlint.ops.activation import activation
from cudnnlint.ops.concatenate import concatenate, concatenate_layer
from cudnnlint.ops.layer_normalization import group_normalization
from cudnnlint.ops.merge import Merge
from cudnnlint.ops.normalization import batch_normalization
from cudnnlint.ops.protocol import FUNCTIONS, LAYERS, LayerCall
from cudnnlint.ops.regularization import gaussian_dropout
from cudnnlint.ops.reshape import flatten, reshape
from cudnnlint.values import BATCH, FREE, Mismatch, Problem, Stack, Tensor, Unknown

KERAS_2 = Stack(keras=(2, 15), tensorflow=(2, 15))
KERAS_3 = Stack()


def call(*shapes: Any, stack: Stack = KERAS_3) -> LayerCall:
    made = [Tensor((BATCH, *shape), "float32", "keras") for shape in shapes]
    return LayerCall(made if len(made) > 1 else made[0], stack=stack)


def refusal(op: Any, *shapes: Any, stack: Stack = KERAS_3) -> Mismatch:
    found = op.infer(call(*shapes, stack=stack))
    assert isinstance(found, Mismatch), found
    return found


def test_skip_connection_of_an_odd_extent_says_how_much_to_crop() -> None:
    found = refusal(concatenate_layer(), (32, 32, 64), (31, 31, 32))
    assert found.problem is Problem.MERGE
    assert found.message == ("Concatenate of float32[B, 32, 32, 64] and float32[B, 31, 31, 32] along axis 3: "
                             "32 and 31 on axis 1, 32 and 31 on axis 2")
    assert "Cropping2D(((0, 1), (0, 1)))" in found.help


def test_skip_connection_past_windows_without_padding_is_cropped_on_both_sides() -> None:
    found = refusal(concatenate_layer(), (568, 568, 64), (560, 560, 64))
    assert found.help.startswith('crop the larger one with Cropping2D(((4, 4), (4, 4))), or give the convolutions')
    assert "Cropping" not in refusal(concatenate_layer(), (1, 1, 64), (3, 3, 64)).help


def test_a_sum_of_tensors_of_which_one_was_strided_says_by_how_much() -> None:
    tensors = [Tensor((2, size, size, 16), "float32", "tf") for size in (32, 16)]
    found = FUNCTIONS["tensorflow.add"].builder(*tensors)
    assert isinstance(found, Mismatch)
    assert found.help == "one of them was strided or pooled by 2, the other one was not: bring both to one size"


def test_sum_of_other_channels_suggests_a_projection() -> None:
    found = refusal(Merge("Add"), (8, 8, 64), (8, 8, 128))
    assert found.message.endswith("64 and 128 on axis 3")
    assert "Conv2D(64, 1)" in found.help
    assert found.fact("axes") == (3,)


def test_clash_is_found_beside_a_tensor_of_unknown_shape() -> None:
    inputs = [Tensor((BATCH, 4)), Tensor(Unknown()), Tensor((BATCH, 5))]
    found = Merge("Add").infer(LayerCall(inputs))
    assert isinstance(found, Mismatch) and "4 and 5" in found.message


def test_free_extents_merge_as_each_keras_reports_them() -> None:
    shapes = (FREE, 3), (5, 3)
    assert Merge("Add").infer(call(*shapes)).shape == (BATCH, FREE, 3)
    assert Merge("Add").infer(call(*shapes, stack=KERAS_2)).shape == (BATCH, 5, 3)


def test_lower_case_functions_are_the_layers() -> None:
    a, b = Tensor((BATCH, 4, 3)), Tensor((BATCH, 4, 5))
    assert concatenate([a, b]).shape == (BATCH, 4, 8)
    assert isinstance(FUNCTIONS["keras.layers.add"].builder([a, b], name="sum"), Mismatch)


def test_reshape_names_both_sizes_and_the_extent_that_would_do() -> None:
    found = refusal(reshape((7, 7, 16)), (6, 6, 16))
    assert found.message == "target_shape (7, 7, 16) has 784 elements, each sample of float32[B, 6, 6, 16] has 576"
    assert refusal(reshape((-1, 7)), (4, 4)).message.startswith("target_shape (-1, 7) needs a multiple of 7")


def test_reshape_of_a_free_extent_stays_free() -> None:
    assert reshape((-1, 4)).infer(call((FREE, 8))).shape == (BATCH, FREE, 4)
    assert flatten().infer(call((FREE, 8))).shape == (BATCH, FREE)


def test_groups_that_do_not_divide_suggest_some_that_do() -> None:
    found = refusal(group_normalization(groups=32), (8, 8, 48))
    assert found.problem is Problem.GROUPS and found.help == "groups=24 does"


@pytest.mark.parametrize(("stack", "fused"), [(KERAS_2, True), (KERAS_3, False)])
def test_negative_epsilon_goes_on_and_says_whether_cudnn_sees_it(stack: Stack, fused: bool) -> None:
    found = refusal(batch_normalization(epsilon=-1e-5), (8, 8, 3), stack=stack)
    assert found.problem is Problem.EPSILON
    assert found.otherwise.shape == (BATCH, 8, 8, 3)
    assert (found.fact("epsilon"), found.fact("fused")) == (-1e-5, fused)


def test_misspelt_activation_is_certain_only_where_custom_names_do_not_count() -> None:
    (found,) = activation("rellu").check(KERAS_3)
    assert found.help == 'did you mean "relu"?'
    assert found.where.holds(KERAS_3) and not found.where.holds(KERAS_2)
    (newer,) = activation("sparsemax").check(KERAS_3)
    assert not newer.where.holds(KERAS_3) and newer.where.holds(Stack(keras=(3, 5)))


def test_rate_is_judged_by_version() -> None:
    (found,) = gaussian_dropout(1.5).check(KERAS_2)
    assert not found.where.holds(KERAS_2) and found.where.holds(KERAS_3)


@pytest.mark.parametrize("path", sorted(path for path in LAYERS if "experimental" in path))
def test_experimental_paths_are_of_keras_2(path: str) -> None:
    assert LAYERS[path].versions[""] == "<3"


def test_padding_by_sides_fails_where_an_output_is_computed() -> None:
    sides = [[0, 0], [2, 2], [2, 2], [0, 0]]
    assert not list(LAYERS["keras.layers.Conv2D"].builder(8, 3, padding=sides).check(KERAS_3))
    found = refusal(LAYERS["keras.layers.Conv2D"].builder(8, 3, padding=sides), (8, 8, 3))
    assert found.message == 'padding is ((0, 0), (2, 2), (2, 2), (0, 0)), not "valid" or "same"'
    old = LAYERS["keras.layers.Conv2D"].builder(8, 3, padding=sides).infer(call((8, 8, 3), stack=KERAS_2))
    assert isinstance(old, Tensor) and isinstance(old.shape, tuple) and old.shape[3] == 8


@pytest.mark.parametrize(("padding", "error"), [
    (1, "AttributeError"), (None, "AttributeError"), ("full", "ValueError")])
def test_padding_that_is_no_name(padding: Any, error: str) -> None:
    found, = LAYERS["keras.layers.Conv2D"].builder(8, 3, padding=padding).check(KERAS_3)
    assert found.error.startswith(error)
