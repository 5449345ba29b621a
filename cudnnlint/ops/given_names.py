"""Names that stand for initializers, regularizers, constraints, losses, metrics and optimizers: which there are."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from cudnnlint.ops.activation_names import SINCE, check_activation
from cudnnlint.ops.arguments import show
from cudnnlint.ops.functions.dtypes import ALIASES, KNOWN
from cudnnlint.ops.wrapped import class_of_layers
from cudnnlint.values import EVERYWHERE, Mismatch, Problem, Where

KERAS_3 = Where(keras=">=3")
INITIALIZERS = frozenset({
    "Constant", "GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "Identity", "IdentityInitializer",
    "LecunNormal", "LecunUniform", "Ones", "Orthogonal", "OrthogonalInitializer", "RandomNormal", "RandomUniform",
    "STFT", "STFTInitializer", "TruncatedNormal", "VarianceScaling", "Zeros", "constant", "glorot_normal",
    "glorot_uniform", "he_normal", "he_uniform", "identity", "lecun_normal", "lecun_uniform", "normal", "one", "ones",
    "orthogonal", "random_normal", "random_uniform", "stft", "truncated_normal", "uniform", "variance_scaling", "zero",
    "zeros"})
"""keras/src/initializers/__init__.py: ALL_OBJECTS_DICT."""
REGULARIZERS = frozenset({"L1", "L1L2", "L2", "OrthogonalRegularizer", "Regularizer", "l1", "l1_l2", "l1l2", "l2",
                          "orthogonal_regularizer", "regularizer"})
CONSTRAINTS = frozenset({"Constraint", "MaxNorm", "MinMaxNorm", "NonNeg", "RadialConstraint", "UnitNorm", "constraint",
                         "max_norm", "maxnorm", "min_max_norm", "minmaxnorm", "non_neg", "nonneg", "radial_constraint",
                         "unit_norm", "unitnorm"})
"""keras/src/regularizers/__init__.py, keras/src/constraints/__init__.py: ALL_OBJECTS_DICT and what Keras 2 has."""
OPTIMIZERS = frozenset({"adam", "sgd", "rmsprop", "adadelta", "adamw", "adagrad", "adamax", "adafactor", "muon",
                        "nadam", "ftrl", "lion", "lossscaleoptimizer", "schedulefreeadamw", "multioptimizer"})
"""In lower case, as any case is taken (keras/src/optimizers/__init__.py: ALL_OBJECTS_DICT)."""
_FUNCTIONS = ("mean_squared_error", "mean_absolute_error", "mean_absolute_percentage_error",
              "mean_squared_logarithmic_error", "kl_divergence", "poisson", "hinge", "squared_hinge",
              "categorical_hinge", "binary_crossentropy", "categorical_crossentropy",
              "sparse_categorical_crossentropy", "cosine_similarity", "log_cosh", "huber", "binary_focal_crossentropy",
              "categorical_focal_crossentropy", "dice", "tversky", "circle", "ctc")
_CLASSES = ("MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredLogarithmicError",
            "KLDivergence", "Poisson", "Hinge", "SquaredHinge", "CategoricalHinge", "BinaryCrossentropy",
            "CategoricalCrossentropy", "SparseCategoricalCrossentropy", "CosineSimilarity")
_SHORT = ("mse", "mae", "mape", "msle", "bce", "MSE", "MAE", "MAPE", "MSLE", "BCE")
LOSSES = frozenset({*_FUNCTIONS, *_CLASSES, *_SHORT, "kld", "KLD", "LogCosh", "Huber", "Dice", "Tversky", "Circle",
                    "CTC", "BinaryFocalCrossentropy", "CategoricalFocalCrossentropy", "Loss", "LossFunctionWrapper",
                    "crossentropy", "ce"})
"""keras/src/losses/__init__.py: ALL_OBJECTS_DICT; keras/src/trainers/compile_utils.py: get_loss."""
_METRICS = (
    "RootMeanSquaredError", "R2Score", "AUC", "FalseNegatives", "FalsePositives", "Precision", "PrecisionAtRecall",
    "Recall", "RecallAtPrecision", "SensitivityAtSpecificity", "SpecificityAtSensitivity", "TrueNegatives",
    "TruePositives", "ConcordanceCorrelation", "PearsonCorrelation", "LogCoshError", "Accuracy", "BinaryAccuracy",
    "CategoricalAccuracy", "SparseCategoricalAccuracy", "TopKCategoricalAccuracy", "SparseTopKCategoricalAccuracy",
    "F1Score", "FBetaScore", "IoU", "BinaryIoU", "MeanIoU", "OneHotIoU", "OneHotMeanIoU", "Mean", "Sum", "Metric",
    "MeanMetricWrapper")
_SNAKED = (
    "root_mean_squared_error", "r2_score", "auc", "false_negatives", "false_positives", "precision",
    "precision_at_recall", "recall", "recall_at_precision", "sensitivity_at_specificity",
    "specificity_at_sensitivity", "true_negatives", "true_positives", "concordance_correlation",
    "pearson_correlation", "log_cosh_error", "accuracy", "binary_accuracy", "categorical_accuracy",
    "sparse_categorical_accuracy", "top_k_categorical_accuracy", "sparse_top_k_categorical_accuracy", "f1_score",
    "f_beta_score", "fbeta_score", "io_u", "iou", "binary_io_u", "mean_io_u", "one_hot_io_u", "one_hot_mean_io_u",
    "mean", "sum", "metric", "mean_metric_wrapper")
METRIC_CLASSES = (*(name for name in _METRICS if name != "Metric"), *_CLASSES)
METRICS = frozenset({*_METRICS, *_SNAKED, *_CLASSES, *_SHORT, *_FUNCTIONS[:13], "acc"})
"""keras/src/metrics/__init__.py: ALL_OBJECTS_DICT; keras/src/trainers/compile_utils.py: get_metric, which has no
"crossentropy", as get_loss and Keras 2 have."""
OF_KERAS_2 = frozenset({*LOSSES, *METRICS, "cosine", "cosine_proximity", "logcosh", "kullback_leibler_divergence",
                        "cosine_distance"} - {*_SNAKED[:16], *_SNAKED[22:]}) | {"accuracy"}
"""Names that some Keras 2 looks up as losses or metrics (tf_keras/src/losses.py, metrics/__init__.py: globals())."""
OF_KERAS_1 = frozenset({"precision", "recall", "fmeasure", "fbeta_score", "matthews_correlation"})
"""Metrics of Keras 1 that Keras 2.0 dropped (keras 1.2.2 keras/metrics.py)."""
ACTIVATIONS = frozenset({"activation", "recurrent_activation"})
KINDS: Mapping[str, tuple[str, Collection[str]]] = {
    "_initializer": ("initializer", INITIALIZERS), "_regularizer": ("regularizer", REGULARIZERS),
    "_constraint": ("constraint", CONSTRAINTS)}
"""Ends of arguments of layers -> what they name."""


POLICIES = frozenset({*KNOWN, *ALIASES, "mixed_float16", "mixed_bfloat16", "int4", "variant", "resource"})
"""What a layer's dtype may be (keras/src/dtype_policies/dtype_policy.py: DTypePolicy._parse_name)."""
QUANTIZED = "_from_"
"""In the names of policies of quantized layers: int8_from_mixed_bfloat16."""
NAMING = frozenset({"keras.layers.experimental.RandomFourierFeatures"})
"""Layers whose initializers have other names, "gaussian" and "laplacian" (tf_keras/src/layers/kernelized.py)."""


REGISTERED = ">"
"""Between the package and the name of what the program registers (keras.saving.register_keras_serializable), in
whichever module."""


def misnamed(path: str, arguments: Mapping[str, Any], own: bool) -> Iterator[Mismatch]:
    """Texts among a layer's arguments that name nothing.

    own  whether the program may have given names to objects of its own, which Keras looks up too
    """
    for argument, value in arguments.items():
        if argument in ACTIVATIONS and (name := class_of_layers(value)):
            yield Mismatch(Problem.UNEXPECTED, f"{argument} is the class {name}, not an object of it",
                           help=f"{name}()", argument=argument, error='ValueError "The truth value of an array with '
                           'more than one element is ambiguous", or an error of its constructor')
        if isinstance(value, int | float | list | tuple) and path.startswith("keras.layers."):
            yield from _no_name(argument, value)
        if not isinstance(value, str) or not path.startswith("keras.layers.") or REGISTERED in value:
            continue
        if argument in ACTIVATIONS and path != "keras.layers.Activation":
            yield from check_activation(value, argument)
            if not own and value not in SINCE and (close := _close(value, SINCE)):
                yield _wrong(argument, value, "an activation", close, f"Unknown activation function '{value}' cannot "
                             "be deserialized", Where(keras="<3"))
        if argument == "dtype" and value not in POLICIES and QUANTIZED not in value:
            yield _wrong(argument, value, "a dtype or policy", _close(value, POLICIES),
                         f"Cannot convert '{value}' to a mixed precision DTypePolicy\" or TypeError \"Cannot convert "
                         f"the argument `type_value`: '{value}'", EVERYWHERE)
        kind = next((kind for end, kind in KINDS.items() if argument.endswith(end)), None)
        if kind and not own and value not in kind[1] and not value.endswith("V2") and value.lower() != "initializer" \
                and path not in NAMING:
            yield _wrong(argument, value, f"{'an' if kind[0][0] in 'aeiou' else 'a'} {kind[0]}", _close(value, kind[1]),
                         f"Could not interpret {kind[0]} identifier: {value}"
                         f'" or "Unknown {kind[0]}: \'{value}\'', EVERYWHERE)


def _no_name(argument: str, value: Any) -> Iterator[Mismatch]:
    """`kernel_regularizer=0.01`, `activation=["relu"]`: neither a number nor a list says what is meant
    (keras/src/regularizers/__init__.py: get, and its like; tf_keras asks the same)."""
    kind = "activation" if argument in ACTIVATIONS else next(
        (kind for end, (kind, _) in KINDS.items() if argument.endswith(end)), "")
    if kind:
        article, several = "an" if kind[0] in "aeiou" else "a", isinstance(value, list | tuple)
        shown = f"a {type(value).__name__}" if several else show(value)
        factor = kind == "regularizer" and not several and not isinstance(value, bool)
        yield Mismatch(Problem.UNEXPECTED, f"{argument} is {shown}, not {article} {kind}", argument=argument,
                       help=f"keras.regularizers.L2({value})" if factor else "one name, function or object",
                       error='ValueError, or of Keras 2 TypeError, "Could not interpret activation function '
                       f'identifier: {value}"' if kind == "activation" else
                       f'ValueError "Could not interpret {kind} identifier"')


def misnamed_in_compile(arguments: Mapping[str, Any], own: bool, old: bool = False) -> Iterator[tuple[str, Mismatch]]:
    """Of compile(): the stage at which it is found out, and what is wrong.

    old  whether it is for Keras 2 only because of what it uses, which may be written for Keras 1

    >>> given = {"metrics": ["recall"]}
    >>> len([*misnamed_in_compile(given, own=False)]), len([*misnamed_in_compile(given, own=False, old=True)])
    (1, 0)
    """
    optimizer = arguments.get("optimizer")
    if isinstance(optimizer, str) and optimizer.lower() not in OPTIMIZERS and not own:
        close = _close(optimizer.lower(), OPTIMIZERS)
        other = "of a loss" if optimizer in LOSSES else "of a metric" if optimizer in METRICS else ""
        if close or other:
            wrong = _wrong("optimizer", optimizer, f"an optimizer{other and ', but ' + other}", close,
                           f"Could not interpret optimizer identifier: {optimizer}\" or \"Unknown optimizer: "
                           f"'{optimizer}'", EVERYWHERE)
            yield "compile", replace(wrong, help="the optimizer comes first, the loss after it") if other else wrong
    for argument, names, kind in (("loss", LOSSES, "a loss"), ("metrics", METRICS, "a metric"),
                                  ("weighted_metrics", METRICS, "a metric")):
        for value in _texts(arguments.get(argument)):
            error = f"Could not interpret {kind[2:]} identifier: {value}"
            if value not in names and not (kind == "a metric" and value.lower() in ("accuracy", "acc")):
                yield "fit", _wrong(argument, value, kind, _close(value, names), error, KERAS_3)
            if not own and value not in OF_KERAS_2 and value.lower() not in ("accuracy", "acc") \
                    and not (old and value in OF_KERAS_1) and (
                        close := _close(value, OF_KERAS_2)):
                yield "fit", _wrong(argument, value, kind, close, f"Unknown {kind[2:]} function", Where(keras="<3"))


def _texts(given: Any) -> Iterator[str]:
    if isinstance(given, str):
        yield given
    elif isinstance(given, list | tuple | dict):
        for item in given.values() if isinstance(given, dict) else given:
            yield from _texts(item)


def _close(value: str, names: Collection[str]) -> str:
    """The name that is meant, or ""; of several that are close one of the same letters.

    >>> _close("adma", OPTIMIZERS), _close("binary_crossentroy", LOSSES), _close("focal", LOSSES)
    ('adam', 'binary_crossentropy', '')
    """
    from difflib import get_close_matches

    close = get_close_matches(value, sorted(names), n=3, cutoff=0.75)
    return next((name for name in close if sorted(name) == sorted(value)), close[0] if close else "")


def _wrong(argument: str, value: str, kind: str, close: str, error: str, where: Where) -> Mismatch:
    return Mismatch(Problem.INVALID_ARGUMENT, f'{argument} "{value}" is not the name of {kind}',
                    help=f'did you mean "{close}"?' if close else "pass the function or object itself",
                    error=f'ValueError "{error}"', argument=argument, where=where)
