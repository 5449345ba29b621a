"""What left the public interfaces of TensorFlow and Keras: names and arguments, where they exist, what replaces them.

Compared with the libraries themselves by tests/oracle/test_changes.py: TensorFlow 2.21 and its compat.v1, Keras 3, and
tf_keras 2.21; older boundaries were read off the wheels of Keras 2.2 to 2.15 and TensorFlow's release notes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from cudnnlint.facts.backend import BACKEND, INSTEAD, UNKEPT
from cudnnlint.facts.tensorflow_1 import TENSORFLOW_1
from cudnnlint.records import record


@record(frozen=True, slots=True)
class Change:
    """keras, tensorflow: version clauses, all of which must hold for the name or argument to exist, or, of an ignored
    argument, to have an effect. `instead`: what to write, or "from" where to import it. `group`: names of one
    group are told of once a file. `value`: the only value of an argument that this is about, None for all."""

    keras: str = ""
    tensorflow: str = ""
    instead: str = ""
    group: str = ""
    value: object = None


NO_MODULES = frozenset({"tensorflow.compat.v1.keras", "tensorflow.compat.v2.keras"})
"""What Keras 3 leaves an attribute of TensorFlow, and no module that something is imported from (TensorFlow 2.21,
where TF_USE_LEGACY_KERAS brings it back)."""
KERAS_2 = {
    "layers.LocallyConnected1D": "", "layers.LocallyConnected2D": "", "layers.AbstractRNNCell": "{}.layers.Layer",
    "layers.DenseFeatures": "keras.utils.FeatureSpace", "layers.experimental": "{}.layers",
    "models.model_from_yaml": "{}.models.model_from_json", "utils.GeneratorEnqueuer": "keras.utils.PyDataset",
    "utils.OrderedEnqueuer": "keras.utils.PyDataset", "metrics.MeanTensor": "",
    "optimizers.experimental": "{}.optimizers", "estimator": "", "callbacks.experimental": "{}.callbacks",
    "experimental": "",
}
"""Gone from Keras 3 in all its forms -> what to write."""
ONLY_TF_KERAS = {
    "preprocessing.image.ImageDataGenerator": "tf.keras.preprocessing.image.ImageDataGenerator",
    "preprocessing.text.Tokenizer": "keras.layers.TextVectorization, or tf.keras.preprocessing.text.Tokenizer",
    "preprocessing.text.text_to_word_sequence": "tf.keras.preprocessing.text",
    "preprocessing.sequence.TimeseriesGenerator": "keras.utils.timeseries_dataset_from_array",
    "preprocessing.sequence.skipgrams": "tf.keras.preprocessing.sequence.skipgrams",
    "layers.ThresholdedReLU": "", "layers.RandomHeight": "", "layers.RandomWidth": "",
    "losses.Reduction": 'the name, reduction="sum_over_batch_size"',
}
"""Gone from the keras package of Keras 3, kept in tf.keras."""
ABBREVIATED = {
    "mean_squared_error": ("MSE", "mse"), "mean_absolute_error": ("MAE", "mae"),
    "mean_absolute_percentage_error": ("MAPE", "mape"), "mean_squared_logarithmic_error": ("MSLE", "msle"),
    "kl_divergence": ("KLD", "kld", "kullback_leibler_divergence"), "log_cosh": ("logcosh",),
}
"""Functions of losses and metrics of which Keras 3 has the long names alone, and tf.keras, since 3.3.3, the short ones
alone (keras/_tf_keras/keras/losses/__init__.py, in the wheels of 3.0.5 to 3.15)."""
MODULES = {
    "engine.topology": "<2.6", "engine.base_layer": "<2.13", "engine.training": "<2.13", "layers.core": "<2.13",
    "layers.convolutional": "<2.13", "layers.pooling": "<2.13", "layers.noise": "<2.13", "layers.recurrent": "<2.10",
    "layers.embeddings": "<2.10", "layers.advanced_activations": "<2.10", "layers.wrappers": "<2.10",
    "layers.local": "<2.10", "layers.merge": "<2.10", "layers.convolutional_recurrent": "<2.10",
    "layers.cudnn_recurrent": "<2.10", "layers.normalization": "<2.13",
    "utils.np_utils": "<2.13", "utils.generic_utils": "<2.13",
    "utils.data_utils": "<2.13", "utils.vis_utils": "<2.13", "utils.layer_utils": "<2.13",
    "utils.training_utils": "<2.4", "wrappers.scikit_learn": "<2.13", "backend.tensorflow_backend": "<2.4",
}
"""Modules of the keras package that were never meant to be imported -> the Keras versions that have them, by the files
in its wheels of 2.4, 2.6, 2.8, 2.10, 2.11, 2.12 and 2.13."""
MODULES_INSTEAD = {
    "utils.np_utils": "keras.utils.to_categorical", "wrappers.scikit_learn": "the package scikeras",
    "backend.tensorflow_backend": "keras.backend",
    "engine.topology": "from keras.layers or keras.models",
    "engine.base_layer": "from keras.layers", "engine.training": "from keras.models",
    "utils.layer_utils": "keras.utils.get_source_inputs, model.summary(), model.count_params()",
}

TENSORFLOW_1_INSTEAD = {
    "log": "tf.math.log", "log1p": "tf.math.log1p", "random_normal": "tf.random.normal", "ceil": "tf.math.ceil",
    "random_uniform": "tf.random.uniform", "truncated_normal": "tf.random.truncated_normal",
    "set_random_seed": "tf.random.set_seed", "to_float": "tf.cast(x, tf.float32)", "to_int32": "tf.cast(x, tf.int32)",
    "to_int64": "tf.cast(x, tf.int64)", "image.resize_images": "tf.image.resize", "div": "tf.math.divide",
    "image.resize_bilinear": "tf.image.resize", "image.resize_nearest_neighbor": "tf.image.resize",
    "gfile": "tf.io.gfile", "read_file": "tf.io.read_file", "decode_raw": "tf.io.decode_raw", "rsqrt": "tf.math.rsqrt",
    "py_func": "tf.py_function", "is_nan": "tf.math.is_nan", "lin_space": "tf.linspace", "mod": "tf.math.mod",
    "count_nonzero": "tf.math.count_nonzero", "FixedLenFeature": "tf.io.FixedLenFeature",
    "parse_single_example": "tf.io.parse_single_example", "python_io": "tf.io.TFRecordWriter",
    "squared_difference": "tf.math.squared_difference", "multinomial": "tf.random.categorical",
    "train.AdamOptimizer": "tf.keras.optimizers.Adam", "train.GradientDescentOptimizer": "tf.keras.optimizers.SGD",
    "train.MomentumOptimizer": "tf.keras.optimizers.SGD", "train.RMSPropOptimizer": "tf.keras.optimizers.RMSprop",
    "train.Saver": "tf.train.Checkpoint", "summary.FileWriter": "tf.summary.create_file_writer",
    "ConfigProto": "tf.config, or tf.compat.v1.ConfigProto", "GPUOptions": "tf.config.experimental.set_memory_growth",
    "Session": "tf.compat.v1.Session, or call what it runs without a session",
    "confusion_matrix": "tf.math.confusion_matrix",
    "assign": "variable.assign()", "assign_add": "variable.assign_add()", "layers": "tf.keras.layers",
    "random_shuffle": "tf.random.shuffle", "random_crop": "tf.image.random_crop", "decode_csv": "tf.io.decode_csv",
    "sparse_tensor_to_dense": "tf.sparse.to_dense", "matrix_diag": "tf.linalg.diag", "trace": "tf.linalg.trace",
    "VarLenFeature": "tf.io.VarLenFeature", "parse_example": "tf.io.parse_example", "qr": "tf.linalg.qr",
    "matrix_band_part": "tf.linalg.band_part", "matrix_transpose": "tf.linalg.matrix_transpose",
    "is_finite": "tf.math.is_finite", "is_inf": "tf.math.is_inf", "real": "tf.math.real", "imag": "tf.math.imag",
    "angle": "tf.math.angle", "conj": "tf.math.conj", "reciprocal": "tf.math.reciprocal", "erf": "tf.math.erf",
    "lgamma": "tf.math.lgamma", "digamma": "tf.math.digamma", "bincount": "tf.math.bincount", "fft": "tf.signal.fft",
    "space_to_depth": "tf.nn.space_to_depth", "depth_to_space": "tf.nn.depth_to_space", "VERSION": "tf.__version__",
    "extract_image_patches": "tf.image.extract_patches", "Print": "tf.print", "logical_xor": "tf.math.logical_xor",
    "string_join": "tf.strings.join", "set_difference": "tf.sets.difference", "arg_max": "tf.argmax",
    "summary.merge_all": "tf.summary.scalar, ... in a writer's as_default()", "flags": "the package absl-py",
    "app": "the package absl-py", "logging": "tf.get_logger()", "get_variable": "tf.Variable",
    "train.MonitoredTrainingSession": "tf.compat.v1.train.MonitoredTrainingSession",
    "losses.softmax_cross_entropy": "tf.keras.losses.CategoricalCrossentropy(from_logits=True)",
    "losses.sparse_softmax_cross_entropy": "tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)",
    "losses.sigmoid_cross_entropy": "tf.keras.losses.BinaryCrossentropy(from_logits=True)",
    "metrics.accuracy": "tf.keras.metrics.Accuracy", "metrics.mean_iou": "tf.keras.metrics.MeanIoU",
    "image.resize_bicubic": 'tf.image.resize(..., method="bicubic")', "nn.rnn_cell": "tf.keras.layers.LSTMCell, ...",
    "image.resize_image_with_crop_or_pad": "tf.image.resize_with_crop_or_pad",
    "nn.dynamic_rnn": "tf.keras.layers.RNN", "nn.fused_batch_norm": "tf.keras.layers.BatchNormalization",
}
REPLICAS = "with tf.distribute.MirroredStrategy().scope(): around what makes and compiles the model"
SESSIONS = "tf.config.experimental.set_memory_growth, or, before TensorFlow 2.16, tf.compat.v1.keras.backend.{}"
VERSION_1_LAYERS = "tensorflow.compat.v1.layers"
LAYERS_OF_VERSION_1 = (
    *(f"{kind}{n}d" for kind in ("average_pooling", "conv", "max_pooling") for n in (1, 2, 3)), "batch_normalization",
    "conv2d_transpose", "conv3d_transpose", "dense", "dropout", "flatten", "separable_conv1d", "separable_conv2d")
"""Functions that lie in Keras 2 (tensorflow/python/util/lazy_loader.py: KerasLazyLoader.__getattr__)."""
INNER = "<2.4|>=2.6,<2.13"
"""What `import keras` had before 2.4, and again while keras was the package of the sources, all of whose names can be
imported (keras/layers/__init__.py and keras/backend.py, in the wheels of 2.6, 2.10 and 2.12)."""
OTHERS = {
    "tensorflow.contrib": Change("", "<2"),
    "tensorflow.examples.tutorials": Change("", "<2", "tf.keras.datasets"),
    "tensorflow.estimator": Change("", "<2.16"),
    "tensorflow.losses.mean_squared_error": Change("", "<2.16", "tf.keras.losses.MeanSquaredError()"),
    "tensorflow.config.gpu.set_per_process_memory_growth": Change(
        "", "<1", "tf.config.experimental.set_memory_growth"),
    "tensorflow.train.experimental.enable_mixed_precision_graph_rewrite": Change(
        "", "<2.10", 'tf.keras.mixed_precision.set_global_policy("mixed_float16")'),
    "tensorflow.keras.mixed_precision.experimental": Change("<2.9", "", "tf.keras.mixed_precision"),
    "keras.mixed_precision.experimental": Change("<2.9", "", "keras.mixed_precision"),
    "tensorflow.keras.backend.set_session": Change("", "<2", SESSIONS.format("set_session")),
    "tensorflow.keras.backend.get_session": Change("", "<2", SESSIONS.format("get_session")),
    "keras.backend.set_session": Change(INNER, "", SESSIONS.format("set_session")),
    "keras.backend.get_session": Change(INNER, "", SESSIONS.format("get_session")),
    "keras.backend.image_dim_ordering": Change("<2.3", "", "keras.backend.image_data_format"),
    "keras.backend.set_image_dim_ordering": Change("<2.3", "", 'keras.backend.set_image_data_format, which takes '
                                                   '"channels_first" for "th"'),
    "tensorflow.keras.utils.multi_gpu_model": Change("", "<2.4", REPLICAS),
    "keras.utils.multi_gpu_model": Change("<2.4", "", REPLICAS),
    "tensorflow.keras.layers.CuDNNLSTM": Change("", "<2", "keras.layers.LSTM, which uses cuDNN by itself"),
    "tensorflow.keras.layers.CuDNNGRU": Change("", "<2", "keras.layers.GRU, which uses cuDNN by itself"),
    "keras.layers.CuDNNLSTM": Change(INNER, "", "keras.layers.LSTM, which uses cuDNN by itself"),
    "keras.layers.CuDNNGRU": Change(INNER, "", "keras.layers.GRU, which uses cuDNN by itself"),
    "tensorflow.keras.saving": Change("<3", "", "keras.saving, of `import keras`"),
    "tensorflow.keras.wrappers.scikit_learn": Change("<2.13", "", "the package scikeras"),
}


OF_OTHERS = {
    **{f"numpy.{name}": Change("", "<2.18", f"{name}, or np.{sized}", f"np.{name}") for name, sized in {
        "float": "float64", "int": "int64", "object": "object_", "complex": "complex128"}.items()},
    "numpy.asscalar": Change("", "<2.18", "item()"),
    **{f"scipy.misc.{name}": Change("<3", "", instead) for name, instead in {
        "imread": "PIL.Image.open, or tf.keras.utils.load_img", "imresize": "PIL.Image.resize, or tf.image.resize",
        "imsave": "PIL.Image.save, or tf.keras.utils.save_img", "imrotate": "PIL.Image.rotate",
        "fromimage": "np.asarray", "toimage": "PIL.Image.fromarray"}.items()},
    "sklearn.cross_validation": Change("<3", "", "sklearn.model_selection"),
    "sklearn.grid_search": Change("<3", "", "sklearn.model_selection"),
    "sklearn.externals.joblib": Change("<3", "", "the package joblib"),
    "sklearn.preprocessing.Imputer": Change("<3", "", "sklearn.impute.SimpleImputer"),
}
"""What left packages that TensorFlow and Keras are used with, so long ago that these versions do not go with one that
has it: TensorFlow asks for NumPy 1.26 since 2.18, Keras 3 for Python 3.9, for which there is no SciPy before 1.5 and no
scikit-learn before 0.24."""


def _removed() -> Iterator[tuple[str, Change]]:
    for name in BACKEND:
        instead = INSTEAD.get(name, f"keras.ops.{name}")
        yield f"keras.backend.{name}", Change("<3", "", f"{instead}, or tf.keras.backend.{name}", "keras.backend")
    for name, instead in UNKEPT.items():
        for package in ("keras", "tensorflow.keras"):
            yield f"{package}.backend.{name}", Change("<3", "", instead, f"{package}.backend")
    for name, instead in KERAS_2.items():
        yield f"keras.{name}", Change("<3", "", instead.format("keras"))
        yield f"tensorflow.keras.{name}", Change("<3", "", instead.format("tf.keras"))
    for name, instead in ONLY_TF_KERAS.items():
        yield f"keras.{name}", Change("<3", "", instead)
    for long, short in ABBREVIATED.items():
        for room in ("losses", "metrics"):
            yield f"tensorflow.keras.{room}.{long}", Change("<3.3.3", "", f"tf.keras.{room}.{short[0]}")
            for name in short:
                yield f"keras.{room}.{name}", Change("<3", "", f"keras.{room}.{long}")
    for name, clause in MODULES.items():
        parent = "keras.layers" if name.startswith("layers.") else "keras.utils"
        yield f"keras.{name}", Change(clause, "", MODULES_INSTEAD.get(name, f"from {parent}"))
    for name in LAYERS_OF_VERSION_1:
        yield f"{VERSION_1_LAYERS}.{name}", Change("<3", "", "tf.keras.layers, or tf_keras and TF_USE_LEGACY_KERAS=1",
                                                   VERSION_1_LAYERS)
    for name in TENSORFLOW_1:
        instead = TENSORFLOW_1_INSTEAD.get(name, f"tf.compat.v1.{name}")
        yield f"tensorflow.{name}", Change("", "<2", instead)
    yield from OTHERS.items()
    yield from OF_OTHERS.items()


REMOVED: Mapping[str, Change] = dict(_removed())
"""Dotted name as programs write it, import aliases undone -> where it exists."""
IMPORTED = frozenset({"tensorflow.keras.saving"})
"""Modules that can be imported, and that are attributes of theirs only once some program has done so
(keras/_tf_keras/keras/__init__.py in the wheels of 3.0.5 to 3.15)."""
NAMES = frozenset(name.rpartition(".")[2] for name in REMOVED if not name.startswith(VERSION_1_LAYERS))
"""The last parts of these, to pass by the rest quickly; those of version 1 are told of where they are called."""
METHODS = {
    "fit_generator": Change("<3", "", "fit(), which takes generators"),
    "evaluate_generator": Change("<3", "", "evaluate(), which takes generators"),
    "predict_generator": Change("<3", "", "predict(), which takes generators"),
    "predict_classes": Change("<2.6", "", "predict(x).argmax(axis=-1), or predict(x) > 0.5 for one sigmoid"),
    "predict_proba": Change("<2.6", "", "predict(x)"),
    "to_yaml": Change("<2.6", "", "to_json()"),
    "reset_states": Change("<3", "", "reset_state() of each stateful layer"),
}
"""Methods of models."""
LAYER_METHODS = {"add_metric": Change("<3", "", "compile(metrics=[...]), or a metric that call() updates")}
"""Methods of layers, and of models, which are layers (keras/src/layers/layer.py: Layer.add_metric, which raises)."""
FUNCTIONAL_METHODS = {"add_loss": Change("<3", "", "a layer whose call() gives it to add_loss(), or a train_step()")}
"""Methods of functional models (keras/src/models/functional.py: Functional.add_loss, which raises)."""
LAYER_ATTRIBUTES = {
    "input_shape": Change("<3", "", "input.shape"),
    "output_shape": Change("<3", "", "output.shape"),
    **{f"get_{end}{what}_at": Change("<3", "", f"{end}{'.shape' if what == '_shape' else ''}")
       for end in ("input", "output") for what in ("", "_shape")},
}
"""What is read of layers that are no models (tf_keras/src/engine/base_layer.py: Layer.output_shape)."""
OPTIMIZER_METHODS = {
    "minimize": Change("<3", "", "tape.gradient() and apply_gradients()"),
    "get_scaled_loss": Change("<3", "", "scale_loss()"),
    "get_unscaled_gradients": Change("<3", "", "apply_gradients(), which unscales them"),
}
"""Methods of optimizers, the others of mixed_precision.LossScaleOptimizer (tf_keras/src/optimizers/optimizer.py;
tf_keras/src/mixed_precision/loss_scale_optimizer.py)."""

LEGACY = "keras.optimizers.legacy"
"""The optimizers of Keras before 2.11, whose names Keras 3 has, and which raise when they are made
(keras/src/optimizers/__init__.py: LegacyOptimizerWarning)."""
OPTIMIZER_ATTRIBUTES = {
    "lr": Change("<3", "", "learning_rate"),
    "get_weights": Change("<2.11", "", "[v.numpy() for v in optimizer.variables]"),
    "weights": Change("<2.11", "", "variables"),
    "get_gradients": Change("<2.11", "", "tape.gradient()"),
    "get_updates": Change("<2.11", "", "apply_gradients()"),
}
"""What is read of optimizers (tf_keras/src/optimizers/optimizer.py: Optimizer.lr; Optimizer of 2.11 has nothing of the
others, run with tf_keras 2.21, Keras 3.0.5, 3.3.3 and 3.15)."""

EXTENT_ATTRIBUTES = {"value": Change("", "<2", "x.shape[1], which is the number")}
"""What is read of an extent of a shape, a number or None since TensorFlow 2 (tensorflow/python/framework/
tensor_shape.py: TensorShape.__getitem__, Dimension.value)."""

TENSOR_METHODS = {"get_shape": Change("<3", "", "shape"), "set_shape": Change("<3", "", "keras.ops.reshape")}
"""Methods of symbolic tensors (keras/src/backend/common/keras_tensor.py: KerasTensor)."""

METRIC_METHODS = {"reset_states": Change("<3", "", "reset_state()")}
"""Methods of metrics (tf_keras/src/metrics/base_metric.py: Metric.reset_states)."""


def _for_all(paths: Iterable[str], arguments: dict[str, Change]) -> dict[str, dict[str, Change]]:
    return dict.fromkeys(paths, arguments)


OPTIMIZERS = [f"keras.optimizers.{name}" for name in (
    "SGD", "RMSprop", "Adam", "AdamW", "Adadelta", "Adagrad", "Adamax", "Nadam", "Ftrl")]
REDUCTIONS = [f"tensorflow.{name}" for name in (
    "reduce_mean", "reduce_sum", "reduce_max", "reduce_min", "reduce_prod", "reduce_all", "reduce_any",
    "reduce_logsumexp")]
_SCHEDULE = "learning_rate=keras.optimizers.schedules.InverseTimeDecay(...)"
_DIM = {"dim": Change("", "<2", "axis")}
ARGUMENTS: Mapping[str, dict[str, Change]] = {
    **_for_all(OPTIMIZERS, {"lr": Change("<3", "", "learning_rate"),
                            "decay": Change("<2.11|>=3", "", _SCHEDULE)}),
    **_for_all(REDUCTIONS, {"keep_dims": Change("", "<2", "keepdims"),
                            "reduction_indices": Change("", "<2", "axis")}),
    "tensorflow.nn.dropout": {"keep_prob": Change("", "<2", "rate=1 - keep_prob")},
    "tensorflow.expand_dims": _DIM, "tensorflow.nn.softmax": _DIM, "tensorflow.nn.log_softmax": _DIM,
    "tensorflow.nn.softmax_cross_entropy_with_logits": _DIM,
    "tensorflow.argmax": {"dimension": Change("", "<2", "axis")},
    "tensorflow.argmin": {"dimension": Change("", "<2", "axis")},
    "tensorflow.squeeze": {"squeeze_dims": Change("", "<2", "axis")},
    "tensorflow.concat": {"concat_dim": Change("", "<1", "axis")},
    "tensorflow.nn.conv2d": {"filter": Change("", "<2", "filters"),
                             "use_cudnn_on_gpu": Change("", "<2", "nothing: leave it out")},
    "tensorflow.nn.max_pool": {"value": Change("", "<2", "input")},
    "tensorflow.nn.avg_pool": {"value": Change("", "<2", "input")},
    "tensorflow.image.resize": {"align_corners": Change("", "<2", "nothing: pixels are aligned by their centres")},
    "keras.utils.to_categorical": {"dtype": Change("<3", "", "astype() on the result")},
    **_for_all(("keras.utils.load_img", "keras.preprocessing.image.load_img"), {
        "grayscale": Change("<3", "", 'color_mode="grayscale"')}),
    "keras.callbacks.ModelCheckpoint": {"period": Change("<3", "", "save_freq, in batches")},
    "keras.callbacks.TensorBoard": {"batch_size": Change("<3", "", "nothing: leave it out"),
                                    "write_grads": Change("<3", "", "nothing: leave it out")},
    "keras.mixed_precision.Policy": {"loss_scale": Change("<1", "", "LossScaleOptimizer(inner, initial_scale=...)")},
    "keras.mixed_precision.LossScaleOptimizer": {
        "loss_scale": Change("<1", "", "initial_scale=..., and dynamic=False for a fixed one in Keras 2"),
        "dynamic": Change("<3", "", "loss_scale_factor of the optimizer itself", value=False)},
    "keras.Input": {"batch_input_shape": Change("<3", "", "batch_shape")},
    "keras.Model": {"input": Change("<2.4", "", "inputs"), "output": Change("<2.4", "", "outputs")},
}
"""Canonical path -> arguments by name -> where they are taken; "<1" is nowhere at all, though people write it."""
IGNORED: Mapping[str, dict[str, Change]] = _for_all(
    OPTIMIZERS, {"decay": Change("<3", "", _SCHEDULE)})
"""Canonical path -> arguments that are taken and, outside of these versions, come to nothing."""
