"""The functions of keras.backend that Keras 3 no longer has, and what does the same there."""

from __future__ import annotations

from collections.abc import Mapping

_BACKEND = """
abs all any arange argmax argmin batch_dot batch_flatten batch_get_value batch_normalization batch_set_value bias_add
binary_crossentropy cast cast_to_floatx categorical_crossentropy clip concatenate constant conv1d conv2d
conv2d_transpose conv3d cos count_params ctc_batch_cost ctc_decode cumprod cumsum depthwise_conv2d dot dropout dtype
elu equal eval exp expand_dims eye flatten foldl foldr gather get_value gradients greater greater_equal hard_sigmoid
in_top_k int_shape is_sparse l2_normalize less less_equal log map_fn max maximum mean min minimum
moving_average_update ndim not_equal one_hot ones ones_like permute_dimensions pool2d pool3d pow prod random_bernoulli
random_normal random_uniform relu repeat repeat_elements reshape resize_images reverse round set_value shape sigmoid
sign sin softmax softplus softsign sparse_categorical_crossentropy spatial_2d_padding sqrt square squeeze stack std
stop_gradient sum switch tanh temporal_padding tile transpose truncated_normal update update_add update_sub var
variable zeros zeros_like
"""
BACKEND = tuple(_BACKEND.split())
"""Functions of keras.backend that only tf.keras has kept in Keras 3."""
UNKEPT: Mapping[str, str] = {
    "function": "keras.Model(inputs, outputs)", "placeholder": "keras.Input", "manual_variable_initialization": "",
    **dict.fromkeys(("in_test_phase", "in_train_phase", "learning_phase", "set_learning_phase"),
                    "training=False or True, where the model or layer is called"),
}
"""Those that nothing has kept -> what to write."""
INSTEAD: Mapping[str, str] = {
    "batch_dot": "keras.ops.matmul", "batch_flatten": "keras.layers.Flatten", "bias_add": "x + bias",
    "cast_to_floatx": "keras.ops.cast", "constant": "keras.ops.convert_to_tensor", "conv1d": "keras.ops.conv",
    "conv2d": "keras.ops.conv", "conv3d": "keras.ops.conv", "conv2d_transpose": "keras.ops.conv_transpose",
    "depthwise_conv2d": "keras.ops.depthwise_conv", "count_params": "math.prod(x.shape)",
    "ctc_batch_cost": "keras.ops.ctc_loss", "dropout": "keras.random.dropout", "eval": "keras.ops.convert_to_numpy",
    "flatten": "keras.ops.ravel", "foldl": "keras.ops.scan", "foldr": "keras.ops.scan", "gather": "keras.ops.take",
    "get_value": "keras.ops.convert_to_numpy", "batch_get_value": "keras.ops.convert_to_numpy of each",
    "batch_set_value": "x.assign() of each", "set_value": "x.assign()", "update": "x.assign()",
    "update_add": "x.assign_add()", "update_sub": "x.assign_sub()", "moving_average_update": "x.assign()",
    "gradients": "tf.GradientTape", "int_shape": "x.shape", "is_sparse": "isinstance(x, tf.SparseTensor)",
    "l2_normalize": "keras.ops.normalize", "map_fn": "keras.ops.map", "permute_dimensions": "keras.ops.transpose",
    "pool2d": "keras.ops.max_pool", "pool3d": "keras.ops.max_pool", "pow": "keras.ops.power",
    "random_bernoulli": "keras.random.binomial", "random_normal": "keras.random.normal",
    "random_uniform": "keras.random.uniform", "truncated_normal": "keras.random.truncated_normal",
    "repeat_elements": "keras.ops.repeat", "resize_images": "keras.ops.image.resize", "reverse": "keras.ops.flip",
    "switch": "keras.ops.where",
    "spatial_2d_padding": "keras.ops.pad", "temporal_padding": "keras.ops.pad", "variable": "keras.Variable",
}
"""What does the same where keras.ops has no function of that name."""
KEPT = frozenset({"clear_session", "epsilon", "floatx", "image_data_format", "result_type", "set_epsilon", "set_floatx",
                  "set_image_data_format"})
"""Functions that keras.backend has in Keras 3, too."""


def in_backend(name: object, written: str, keras: tuple[int, ...]) -> bool | None:
    """Whether keras.backend has a function, as `written` in the program; None where that is not known.

    >>> in_backend("learning_phase", "keras.backend", (3, 15)), in_backend("learning_phase", "keras.backend", (2, 15))
    (False, True)
    >>> in_backend("dot", "keras.backend", (3,)), in_backend("dot", "tensorflow.keras.backend", (3,))
    (False, True)
    >>> in_backend("set_session", "keras.backend", (3,))
    """
    if name in UNKEPT:
        return keras < (3,)
    if name in KEPT:
        return True if name != "result_type" or keras >= (3,) else None
    if name in BACKEND:
        return keras < (3,) or written.startswith("tensorflow")
    return None
