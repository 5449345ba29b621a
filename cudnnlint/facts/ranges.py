"""Arguments of functions and classes that must lie within a range; tests/oracle/test_ranges.py compares them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from cudnnlint.facts.choices import NAMED
from cudnnlint.records import record
from cudnnlint.values import Where

KERAS_3 = Where(keras=">=3")


@record(frozen=True, slots=True)
class Range:
    """interval: "[0, 1]", "(0, ]" without an end, "( , 1)"; position: place among the arguments; error: what is raised,
    {} in it standing for the name; besides: numbers outside that are taken as well; real: where whole numbers are
    refused, as the code asks for a Python float."""

    interval: str
    position: int
    error: str
    where: Where = Where()
    help: str = ""
    besides: tuple[float, ...] = ()
    real: Where | None = None

    def takes(self, number: float) -> bool:
        """
        >>> Range("(0, 1]", 0, "").takes(0), Range("[0, ]", 0, "").takes(7)
        (False, True)
        """
        low, high = (end.strip() for end in self.interval[1:-1].split(","))
        above = not low or number > float(low) or (self.interval[0] == "[" and number == float(low))
        below = not high or number < float(high) or (self.interval[-1] == "]" and number == float(high))
        return (above and below) or number in self.besides

    @property
    def said(self) -> str:
        """
        >>> Range("[0, 1]", 0, "").said, Range("(0, ]", 0, "").said, Range("( , 1)", 0, "").said
        ('from 0 to 1', 'more than 0', 'less than 1')
        """
        low, high = (end.strip() for end in self.interval[1:-1].split(","))
        least = low and (f"{low} or more" if self.interval[0] == "[" else f"more than {low}")
        most = high and (f"{high} or less" if self.interval[-1] == "]" else f"less than {high}")
        if low and high and self.interval[0] + self.interval[-1] == "[]":
            return f"from {low} to {high}"
        return " and ".join(filter(None, (least, most)))


def _of(paths: Iterable[str], argument: str, interval: str, position: int, error: str, where: Where = Where(), *,
        help: str = "", besides: tuple[float, ...] = (), real: Where | None = None) -> dict[tuple[str, str], Range]:
    """The same range of several callables."""
    return {(path, argument): Range(interval, position, error.replace("{}", argument), where, help, besides, real)
            for path in paths}


def _in(room: str, names: str) -> list[str]:
    return [f"keras.{room}.{name}" for name in names.split()]


OPTIMIZERS = _in("optimizers", "Adadelta Adafactor Adagrad Adam AdamW Adamax Ftrl Lamb Lion Muon Nadam RMSprop SGD")
SCHEDULES = _in("optimizers.schedules", "CosineDecay ExponentialDecay InverseTimeDecay PolynomialDecay")
CONFUSIONS = _in("metrics", "FalseNegatives FalsePositives Precision Recall TrueNegatives TruePositives")
AT_ONE = {"PrecisionAtRecall": "recall", "RecallAtPrecision": "precision", "SensitivityAtSpecificity": "specificity",
          "SpecificityAtSensitivity": "sensitivity"}
FACTOR = 'ValueError "argument should be a number (or a list of two numbers) in the range" or "`{}` argument"'
SERIES = _in("utils", "timeseries_dataset_from_array") + _in("preprocessing", "timeseries_dataset_from_array")
OPTIM = (("momentum", 2, "SGD", "Invalid momentum value"), ("eps", 3, "Adam AdamW RMSprop Adamax NAdam RAdam",
                                                                "Invalid epsilon value"),
         ("weight_decay", 4, "SGD Adam AdamW RMSprop Adamax NAdam RAdam", "Invalid weight_decay value"))
"""Arguments of PyTorch's optimizers that are not negative (torch/optim/*.py): place, who has them there, the error."""
BETAS = 'ValueError "Invalid beta parameter at index" or "betas must be either both floats or both Tensors"'
PICTURES = {"brightness": (0, "[0, ]"), "contrast": (1, "[0, ]"), "saturation": (2, "[0, ]"), "hue": (3, "[-0.5, 0.5]")}
TORCH: Mapping[tuple[str, str], Range] = {
    **{key: each for argument, place, names, said in OPTIM
       for key, each in _of([f"torch.optim.{name}" for name in names.split()], argument, "[0, ]", place,
                            f'ValueError "{said}"').items()},
    **_of(["torch.optim.Adamax", "torch.optim.NAdam", "torch.optim.RAdam"], "betas", "[0, 1)", 2, BETAS),
    **_of(["torch.optim.Adam", "torch.optim.AdamW"], "betas", "[0, 1)", 2, BETAS, real=Where(torch=">=2.6")),
    **_of(["torch.utils.data.DataLoader"], "num_workers", "[0, ]", 5,
          'ValueError "{} option should be non-negative; use num_workers=0 to disable multiprocessing."'),
    **_of(["torch.optim.lr_scheduler.ReduceLROnPlateau"], "factor", "( , 1)", 2,
          'ValueError "Factor should be < 1.0."', help="the learning rate is multiplied by it: 0.1 makes it a tenth"),
    **_of(["torch.optim.lr_scheduler.CosineAnnealingWarmRestarts"], "T_0", "(0, ]", 1,
          'ValueError "Expected positive integer {}"'),
    **{key: each for argument, (place, interval) in PICTURES.items()
       for key, each in _of(["torchvision.transforms.ColorJitter"], argument, interval, place,
                            'ValueError "If {} is a single number, it must be non negative." or "{} values should be '
                            'between"').items()},
    **_of(["torchvision.transforms.RandomErasing"], "p", "[0, 1]", 0, 'ValueError "Random erasing probability should '
          'be between 0 and 1" or "`p` should be a floating point value in the interval [0.0, 1.0]."'),
    **_of(["torchvision.transforms.RandomErasing"], "scale", "[0, 1]", 1,
          'ValueError "Scale should be between 0 and 1"', help="it is a part of the picture's area"),
    **_of(["torchvision.transforms.RandomAffine"], "translate", "[0, 1]", 1,
          'ValueError "translation values should be between 0 and 1"', help="they are parts of the width and height"),
    **_of(["torchvision.transforms.RandomAffine"], "scale", "(0, ]", 2, 'ValueError "scale values should be positive"'),
}
"""Of PyTorch (torch/optim, torch/utils/data/dataloader.py, torchvision/transforms/transforms.py, and v2)."""
RANGES: Mapping[tuple[str, str], Range] = {
    **TORCH,
    **_of(OPTIMIZERS, "gradient_accumulation_steps", "[2, ]", NAMED,
          'ValueError "`{}` must be an integer >= 2"', KERAS_3, help="leave it out to update in every step",
          besides=(0,)),
    **_of(_in("optimizers", "SGD"), "momentum", "[0, 1]", 1, 'ValueError "`{}` must be"', real=KERAS_3),
    **_of(_in("optimizers", "Lion"), "beta_1", "(0, 1]", 1, 'ValueError "the optimizer degenerates to SignSGD"'),
    **_of(_in("optimizers", "Ftrl"), "initial_accumulator_value", "[0, ]", 2,
          'ValueError "`{}` needs to be positive or zero"'),
    **_of(_in("optimizers", "Ftrl"), "learning_rate_power", "[ , 0]", 1,
          'ValueError "`{}` needs to be negative or zero"'),
    **_of(SCHEDULES, "decay_steps", "(0, ]", 1, 'ValueError "Argument `{}` must be > 0"', KERAS_3),
    **_of(_in("optimizers.schedules", "CosineDecayRestarts"), "first_decay_steps", "(0, ]", 1,
          'ValueError "Argument `{}` must be > 0"', KERAS_3),
    **_of(CONFUSIONS, "thresholds", "[0, 1]", 0, 'ValueError "Threshold values must be in [0, 1]"'),
    **_of(_in("metrics", "AUC"), "num_thresholds", "(1, ]", 0, 'ValueError "Argument `{}` must be an integer > 1"'),
    **{key: each for name, argument in AT_ONE.items()
       for key, each in _of(_in("metrics", name), argument, "[0, 1]", 0,
                            'ValueError "Argument `{}` must be in the range [0, 1]"').items()},
    **_of(_in("metrics", " ".join(AT_ONE)), "num_thresholds", "(0, ]", 1,
          'ValueError "Argument `{}` must be an integer > 0"'),
    **_of(_in("metrics", "F1Score"), "threshold", "(0, 1]", 1, 'ValueError "Invalid `{}` argument value"',
          real=Where()),
    **_of(_in("metrics", "FBetaScore"), "threshold", "(0, 1]", 2, 'ValueError "Invalid `{}` argument value"',
          real=Where()),
    **_of(_in("metrics", "FBetaScore"), "beta", "(0, ]", 1, 'ValueError "Invalid `{}` argument value"', real=Where()),
    **_of(_in("callbacks", "ReduceLROnPlateau"), "factor", "( , 1)", 1,
          'ValueError "ReduceLROnPlateau does not support a factor >= 1.0"',
          help="the learning rate is multiplied by it: 0.1 makes it a tenth"),
    **_of(_in("initializers", "VarianceScaling"), "scale", "(0, ]", 0, 'ValueError "`{}` must be positive float"'),
    **_of(_in("regularizers", "L1 l1"), "l1", "[0, ]", 0, 'ValueError "expected a non-negative float"', KERAS_3),
    **_of(_in("regularizers", "L2 l2"), "l2", "[0, ]", 0, 'ValueError "expected a non-negative float"', KERAS_3),
    **_of(_in("layers", "RandomRotation"), "factor", "[-1, 1]", 0, FACTOR, KERAS_3,
          help="it is a part of a full turn: degrees / 360"),
    **_of(_in("layers", "RandomBrightness RandomColorDegeneration RandomSaturation"), "factor", "[-1, 1]", 0, FACTOR),
    **_of(_in("layers", "RandomContrast RandomErasing RandomGaussianBlur RandomGrayscale RandomHue RandomInvert "
              "RandomSharpness"), "factor", "[0, 1]", 0, FACTOR),
    **_of(_in("layers", "RandomZoom RandomTranslation"), "height_factor", "[-1, 1]", 0, FACTOR),
    **_of(_in("layers", "RandomZoom RandomTranslation"), "width_factor", "[-1, 1]", 1, FACTOR),
    **_of(_in("layers", "RandomShear"), "x_factor", "[0, 1]", 0, FACTOR),
    **_of(_in("layers", "RandomPosterization"), "factor", "[1, 8]", 0, FACTOR),
    **_of(_in("utils", "set_random_seed"), "seed", "[0, 4294967295]", 0,
          'ValueError "Seed must be between 0 and 2**32 - 1"'),
    **_of(["tensorflow.image.central_crop"], "central_fraction", "(0, 1]", 1,
          'ValueError "central_fraction must be within (0, 1]"'),
    **_of(["tensorflow.image.random_brightness"], "max_delta", "[0, ]", 1, 'ValueError "{} must be non-negative"'),
    **_of(["tensorflow.image.random_hue"], "max_delta", "[0, 0.5]", 1, 'ValueError "{} must be <= 0.5"'),
    **_of(SERIES, "sequence_stride", "(0, ]", 3, 'ValueError "`{}` must be higher than 0"'),
    **_of(SERIES, "sampling_rate", "(0, ]", 4, 'ValueError "`{}` must be higher than 0"'),
}
"""Path of a callable, and an argument of it -> what it takes there if it is a number, or a list of such."""


@record(frozen=True, slots=True)
class Exclusive:
    """Two arguments of which one may be given."""

    one: str
    other: str
    error: str
    where: Where = Where()


CLIPPED = 'ValueError "Only one of `clipnorm`, `clipvalue` and `global_clipnorm` can be set"'
BOTH_CLIPPED = Where(keras=">=3.3")
"""Keras 3.0.5 and 2.21 clip by both (run); 3.3.3 to 3.15 refuse."""
EXCLUSIVE: Mapping[str, tuple[Exclusive, ...]] = {
    **dict.fromkeys(OPTIMIZERS, (
        Exclusive("clipnorm", "global_clipnorm", f'{CLIPPED} or "At most one of `clipnorm` and `global_clipnorm`"'),
        Exclusive("clipnorm", "clipvalue", CLIPPED, BOTH_CLIPPED),
        Exclusive("clipvalue", "global_clipnorm", CLIPPED, BOTH_CLIPPED))),
    "keras.Input": (
        Exclusive("shape", "batch_shape", 'ValueError "You cannot pass both `shape` and `batch_shape`"', KERAS_3),
        Exclusive("batch_size", "batch_shape", 'ValueError "You cannot pass both `batch_size` and `batch_shape`"',
                  KERAS_3)),
}
"""Path of a callable -> pairs of arguments by name that it does not take together."""
PIECES = "keras.optimizers.schedules.PiecewiseConstantDecay"
"""A schedule that takes one value more than boundaries (run with Keras 2.21 and 3.0 to 3.15)."""
