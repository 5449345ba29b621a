"""Arguments of functions and classes that take one of a few texts; compared with them by tests/oracle/test_choices.py.

Of several releases all texts are here that any of them takes: Keras 2 and 3, TensorFlow 2, PyTorch 1 and 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from cudnnlint.records import record


@record(frozen=True, slots=True)
class Choice:
    """position: place among the arguments; error: what is raised, {} in it standing for what is given; folded: whether
    capitals make no difference; rare: a pattern of texts that some release takes."""

    texts: tuple[str, ...]
    position: int
    error: str
    folded: bool = False
    rare: str = ""

    def takes(self, text: str) -> bool:
        known = text.lower() if self.folded else text
        return known in self.texts or bool(self.rare and re.fullmatch(self.rare, known))


def _of(paths: Iterable[str], argument: str, texts: str, position: int, error: str,
        folded: bool = False, rare: str = "") -> dict[tuple[str, str], Choice]:
    """The same choice of several callables."""
    return {(path, argument): Choice(tuple(texts.split()), position, error, folded, rare) for path in paths}


FOLDERS = ("image_dataset_from_directory", "text_dataset_from_directory", "audio_dataset_from_directory")
OF_FOLDERS = [f"keras.{room}.{name}" for room in ("utils", "preprocessing") for name in FOLDERS]
IMAGES = [path for path in OF_FOLDERS if path.endswith(FOLDERS[0])]
LOADING = ["keras.utils.load_img", "keras.preprocessing.image.load_img"]
PADDING = ["keras.utils.pad_sequences", "keras.preprocessing.sequence.pad_sequences"]
POLICY = ["keras.mixed_precision.set_global_policy", "keras.mixed_precision.set_dtype_policy",
          "keras.config.set_dtype_policy"]
GENERATED = "keras.preprocessing.image.ImageDataGenerator.flow_from_directory"
INIT = "torch.nn.init.kaiming_"
NONLINEARITIES = "linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d sigmoid tanh relu " \
    "leaky_relu selu"
SCALED = "nearest linear bilinear bicubic trilinear area nearest-exact"
RESIZED = "nearest bilinear bicubic area lanczos3 lanczos5 gaussian mitchellcubic"
PLATEAU = ["torch.optim.lr_scheduler.ReduceLROnPlateau"]
SAMPLED = ["torch.nn.functional.grid_sample"]
TRANSFORMER = [f"torch.nn.Transformer{part}Layer" for part in ("Encoder", "Decoder")]
LOSSES = [f"keras.losses.{name}" for name in (
    "BinaryCrossentropy", "BinaryFocalCrossentropy", "CategoricalCrossentropy", "CategoricalHinge", "CosineSimilarity",
    "Hinge", "Huber", "KLDivergence", "LogCosh", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredError",
    "MeanSquaredLogarithmicError", "Poisson", "SparseCategoricalCrossentropy", "SquaredHinge")]
WINDOWED = [f"tensorflow.nn.{name}" for name in (
    "conv1d", "conv2d", "conv3d", "depthwise_conv2d", "max_pool", "max_pool1d", "max_pool2d", "max_pool3d", "avg_pool",
    "avg_pool1d", "avg_pool2d", "avg_pool3d", "convolution")]
NUMBERS = "float16 float32 float64 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool"
OF_SOME = r".*_from_.*|half|float|double|u?int\d*|bool|complex\d+|string|qu?int\d+|float8.*|variant|resource"
"""Dtypes and policies that one release or another takes."""
NAMED = 1 << 20
"""The place of an argument that goes by name only."""
CHOICES: Mapping[tuple[str, str], Choice] = {
    **_of(OF_FOLDERS, "label_mode", "int categorical binary", 2, 'ValueError "`label_mode` argument must be one of"'),
    **_of(OF_FOLDERS, "subset", "training validation both", NAMED, 'ValueError "`subset` must be either"'),
    **_of(IMAGES, "color_mode", "rgb rgba grayscale", 4, 'ValueError "`color_mode` must be one of"'),
    **_of(IMAGES, "interpolation", RESIZED, 11, "ValueError or NotImplementedError, as there is no such interpolation",
          folded=True),
    **_of([GENERATED], "color_mode", "rgb rgba grayscale", 2, 'ValueError "Invalid color mode: {}"'),
    **_of([GENERATED], "subset", "training validation", 12, 'ValueError "Invalid subset name: {}"'),
    **_of(LOADING, "color_mode", "rgb rgba grayscale", 1, 'ValueError "color_mode must be"'),
    **_of(PADDING, "padding", "pre post", 3, 'ValueError "Padding type "{}" not understood"'),
    **_of(PADDING, "truncating", "pre post", 4, 'ValueError "Truncating type "{}" not understood"'),
    **_of(LOSSES, "reduction", "auto none sum sum_over_batch_size mean mean_with_sample_weight", NAMED,
          'ValueError "Invalid value for argument `reduction`" or "Invalid Reduction Key"'),
    **_of(["keras.callbacks.ModelCheckpoint"], "save_freq", "epoch", 6, 'ValueError "Unrecognized save_freq: {}"'),
    **_of(["keras.callbacks.BackupAndRestore"], "save_freq", "epoch", 1,
          'ValueError "Invalid value for argument `save_freq`"'),
    **_of(["keras.ops.image.resize"], "interpolation", "bilinear nearest bicubic lanczos3 lanczos5 area", 2,
          'ValueError "Invalid value for argument `interpolation`"'),
    **_of(WINDOWED, "padding", "SAME VALID EXPLICIT", 3,
          "InvalidArgumentError \"Value for attr 'padding' of \"{}\" is not in the list of allowed values\""),
    **_of(["keras.backend.set_image_data_format", "keras.config.set_image_data_format"], "data_format",
          "channels_first channels_last", 0,
          'ValueError, as there is no such data_format'),
    **_of(["keras.backend.set_floatx", "keras.config.set_floatx"], "value", "float16 float32 float64 bfloat16", 0,
          'ValueError "Unknown `floatx` value: {}" or "Unknown floatx type: {}"'),
    **_of(POLICY, "policy", "float16 float32 float64 bfloat16 mixed_float16 mixed_bfloat16", 0,
          "ValueError \"Cannot convert '{}' to a mixed precision DTypePolicy\"", rare=OF_SOME),
    **_of(["keras.ops.cast", "tensorflow.cast"], "dtype", NUMBERS, 1,
          "ValueError \"Invalid dtype: {}\" or TypeError \"Cannot convert the argument `type_value`: '{}'\"",
          rare=OF_SOME),
    **_of(["keras.metrics.AUC"], "curve", "roc pr", 1, 'ValueError "Invalid AUC curve value: "{}""', folded=True,
          rare="pr_?gain"),
    **_of(["keras.metrics.AUC"], "summation_method", "interpolation majoring minoring", 2,
          'ValueError "Invalid AUC summation method value: "{}""', folded=True),
    **_of(["keras.metrics.F1Score", "keras.metrics.FBetaScore"], "average", "micro macro weighted", 0,
          'ValueError "Invalid `average` argument value"'),
    **_of(["keras.metrics.R2Score"], "class_aggregation", "uniform_average variance_weighted_average", 0,
          'ValueError "Invalid value for argument `class_aggregation`"'),
    **_of(["keras.initializers.VarianceScaling"], "mode", "fan_in fan_out fan_avg", 1,
          'ValueError "Invalid `mode` argument: {}"'),
    **_of(["keras.initializers.VarianceScaling"], "distribution",
          "normal uniform truncated_normal untruncated_normal", 2, 'ValueError "Invalid `distribution` argument: {}"',
          folded=True),
    **_of(["tensorflow.image.resize"], "method", RESIZED, 2, 'ValueError "Resize method is not implemented: {}"'),
    **_of(["tensorflow.pad"], "mode", "constant reflect symmetric", 2, 'ValueError, as there is no such mode',
          folded=True),
    **_of(["numpy.pad"], "mode", "constant edge linear_ramp maximum mean median minimum reflect symmetric wrap empty",
          2, "ValueError \"mode '{}' is not supported\""),
    **_of(["torch.nn.functional.interpolate", "torch.nn.functional.upsample"], "mode", SCALED, 3,
          'NotImplementedError "Input Error: Only 3D, 4D and 5D input Tensors supported"'),
    **_of(["torch.nn.Upsample"], "mode", SCALED, 2,
          'NotImplementedError "Input Error: Only 3D, 4D and 5D input Tensors supported"'),
    **_of(SAMPLED, "mode", "bilinear nearest bicubic", 2, 'ValueError "grid_sample(): expected mode to be"'),
    **_of(SAMPLED, "padding_mode", "zeros border reflection", 3,
          'ValueError "grid_sample(): expected padding_mode to be"'),
    **_of(["torch.nn.RNN"], "nonlinearity", "tanh relu", 3, "ValueError \"Unknown nonlinearity '{}'\""),
    **_of(TRANSFORMER, "activation", "relu gelu", 4, 'RuntimeError "activation should be relu/gelu, not {}"'),
    **_of([INIT + "normal_", INIT + "uniform_"], "mode", "fan_in fan_out", 2,
          'ValueError "Mode {} not supported, please use one of"', folded=True),
    **_of([INIT + "normal_", INIT + "uniform_"], "nonlinearity", NONLINEARITIES, 3,
          'ValueError "Unsupported nonlinearity {}"'),
    **_of(["torch.nn.init.calculate_gain"], "nonlinearity", NONLINEARITIES, 0,
          'ValueError "Unsupported nonlinearity {}"'),
    **_of(PLATEAU, "mode", "min max", 1, 'ValueError "mode {} is unknown!"'),
    **_of(PLATEAU, "threshold_mode", "rel abs", 5, 'ValueError "threshold mode {} is unknown!"'),
    **_of(["torch.optim.lr_scheduler.OneCycleLR"], "anneal_strategy", "cos linear", 6,
          "ValueError \"anneal_strategy must\""),
    **_of(["torch.meshgrid"], "indexing", "xy ij", NAMED,
          'RuntimeError "torch.meshgrid: indexing must be one of "xy" or "ij", but received: {}"'),
    **_of(["torch.nn.GELU", "torch.nn.functional.gelu"], "approximate", "none tanh", NAMED,
          'RuntimeError "approximate argument must be either none or tanh."'),
}
"""Path of a callable, and an argument of it -> what it takes there if it is a text."""
