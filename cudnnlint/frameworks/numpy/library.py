"""NumPy: constants, and what its functions give when they are not tensors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cudnnlint.frameworks.data.scores import unequal
from cudnnlint.interp.builtin.functions import numeric, power, rounded
from cudnnlint.interp.convert import strip
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import is_certain, is_meant, refuse
from cudnnlint.interp.registry import Call, Framework
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.ops.protocol import FUNCTIONS
from cudnnlint.values import Mismatch, Problem, Step, Tensor, Unknown, Where
from cudnnlint.values.bounds import SPLIT
from cudnnlint.values.numpy_int import NumpyFloat, NumpyInt
from cudnnlint.values.unknown import Drawn

FRAMEWORK = Framework("numpy", roots=("numpy", "pandas", "cv2", "PIL", "sklearn", "scipy", "matplotlib", "h5py", "jax"),
                      prefixes={"numpy.core.numeric": "numpy"})
FRAMEWORK.constant("numpy.newaxis", None)
FRAMEWORK.constant("numpy.pi", math.pi)
FRAMEWORK.constant("numpy.e", math.e)
FRAMEWORK.constant("numpy.inf", math.inf)
FRAMEWORK.constant("numpy.nan", math.nan)
FRAMEWORK.constant("tensorflow.newaxis", None)

SCALAR: dict[str, Callable[..., Any]] = {"ceil": math.ceil, "floor": math.floor, "sqrt": math.sqrt, "log2": math.log2,
                                         "log": math.log, "exp": math.exp,
          "round": rounded, "abs": abs, "log10": math.log10, "maximum": max, "minimum": min, "power": power,
          "absolute": abs,
          "rint": round}


WHOLE = frozenset({"round", "abs", "absolute", "maximum", "minimum", "power"})
"""Functions that give integers of integers; all others give floats of them."""


def _of_numbers(name: str, args: tuple[Any, ...]) -> NumpyInt | NumpyFloat:
    """What a ufunc gives for plain numbers is NumPy's own."""
    result = SCALAR[name](*args)
    whole = name in WHOLE and not any(isinstance(arg, float) for arg in args[:1 if name == "round" else None])
    return NumpyInt(result) if whole else NumpyFloat(result)


def _scalar(name: str) -> Any:
    def handle(c: Call) -> Any:
        if c.args and all(isinstance(plain(arg), int | float) for arg in c.args) and not c.kwargs:
            return numeric(c, lambda *args: _of_numbers(name, args))
        path = f"numpy.{name}"
        return apply_function(c.machine, path, c.args, c.kwargs, c.node) if path in FUNCTIONS else Unknown(f"{path}()")

    return handle


for _name in SCALAR:
    FRAMEWORK.on(f"numpy.{_name}")(_scalar(_name))


@FRAMEWORK.on("numpy.random.default_rng", "numpy.random.RandomState")
def generator(c: Call) -> Any:
    return ObjectV("numpy.random.Generator", tuple(c.args), dict(c.kwargs), c.span)


def _generated(name: str, target: str) -> Any:
    def handle(c: Call) -> Any:
        given = {key: value for key, value in c.kwargs.items() if key not in MORE.get(target, ())}
        return apply_function(c.machine, f"numpy.random.{target}", c.args, given, c.node)

    return handle


MORE = {"permutation": ("axis",), "multivariate_normal": ("method",), "standard_gamma": ("dtype", "out")}
"""What only the method of a Generator takes (numpy/random/_generator.pyx)."""


for _name, _target in {"normal": "normal", "uniform": "uniform", "rand": "rand",
                       "randn": "randn", "randint": "randint", "random_sample": "random_sample",
                       "permutation": "permutation", "binomial": "binomial", "poisson": "poisson",
                       "exponential": "exponential", "beta": "beta", "gamma": "gamma",
                       **{name: name for name in (
                           "standard_gamma", "laplace", "lognormal", "triangular", "dirichlet", "multinomial",
                           "multivariate_normal", "geometric", "weibull", "gumbel", "logistic", "chisquare",
                           "rayleigh")}}.items():
    FRAMEWORK.on(f"numpy.random.Generator.{_name}")(_generated(_name, _target))


@FRAMEWORK.on("numpy.random.Generator.random", "numpy.random.Generator.standard_normal")
def floats(c: Call) -> Any:
    """A Generator gives floats of 32 bits, too (numpy/random/_generator.pyx: Generator.random)."""
    made = apply_function(c.machine, "numpy.random.random", [c.get(0, "size")], {}, c.node)
    dtype = as_dtype(strip(c.get(1, "dtype")), "float64", "numpy")
    known = isinstance(made, Tensor) and c.get(2, "out") is None
    return made.with_(dtype=dtype) if known else Unknown("random numbers")


@FRAMEWORK.on("numpy.random.Generator.integers")
def integers(c: Call) -> Any:
    """randint, whose upper bound may be drawn itself (numpy/random/_generator.pyx: Generator.integers)."""
    low, high, size = (c.get(i, name) for i, name in enumerate(("low", "high", "size")))
    last = strip(c.get(4, "endpoint", False))
    if last is not False:
        ends = [strip(low), strip(high)]
        at = 1 if ends[1] is not None else 0
        ends[at] = ends[at] + 1 if last is True and isinstance(ends[at], int) else Unknown("the largest number drawn")
        low, high = ends
    dtype = c.get(3, "dtype")
    given = [low, high, size] if dtype is None else [low, high, size, dtype]
    made = apply_function(c.machine, "numpy.random.randint", given, {}, c.node)
    return replace(made, number=False) if isinstance(made, Drawn) else made  # a NumPy scalar


@FRAMEWORK.on("numpy.random.Generator.choice")
def chosen(c: Call) -> Any:
    """Elements of a 1-D array, or whole rows of others along `axis`."""
    pool = as_tensor(strip(c.get(0, "a")), "numpy")
    if not isinstance(pool, Tensor) or not isinstance(pool.shape, tuple) or len(pool.shape) > 1:
        return Unknown("random elements")
    given = {name: value for name, value in c.kwargs.items() if name in ("a", "size")}
    return apply_function(c.machine, "numpy.random.choice", c.args[:2], given, c.node)


@FRAMEWORK.on("sklearn.model_selection.train_test_split")
def train_test_split(c: Call) -> Any:
    """Each array split in two along its first axis (sklearn/model_selection/_split.py: _validate_shuffle_split)."""
    arrays = [plain(arg) for arg in c.args]
    test, train = plain(c.kwargs.get("test_size")), plain(c.kwargs.get("train_size"))
    _tell_of_split(c, [array for array in arrays if isinstance(array, Tensor)], test)
    out: list[Any] = []
    for array in arrays:
        if callable(part := getattr(array, "part", None)):  # a table or a column
            out += [part(size) for size in _split_sizes(array.rows, test, train)]
            continue
        if isinstance(array, ListV):
            out += _halves(array)
            continue
        if not isinstance(array, Tensor) or not isinstance(array.shape, tuple) or not array.shape:
            unknown = array if isinstance(array, Unknown) else Unknown("a split of unknown data")
            out += [unknown, unknown]
            continue
        sizes = _split_sizes(array.shape[0], test, train)
        maker = SPLIT if plain(c.kwargs.get("shuffle", True)) is True else "sklearn.cut"
        out += [array.with_(shape=(size, *array.shape[1:]), step=Step(c.span, (array,), maker)) for size in sizes]
    return ListV(out)


def _tell_of_split(c: Call, arrays: list[Tensor], test: Any) -> None:
    if not is_meant(c.machine) or c.machine.uncalled:
        return
    wrong = unequal("train_test_split", arrays)
    if wrong is None and isinstance(test, float) and not 0 < test < 1:
        wrong = Mismatch(Problem.INVALID_ARGUMENT, f"test_size is {test}, and must be less than 1, or a number of rows",
                         argument="test_size", help="0.2 for a fifth",
                         error='ValueError "The \'test_size\' parameter of train_test_split must be a float in"')
    if wrong is not None:
        refuse(c.machine, c.span, wrong, about=tuple(arrays), what="train_test_split", inputs=arrays)


def _halves(value: ListV) -> list[ListV]:
    """Two lists of some of the elements each."""
    parts = [value.copy(), value.copy()]
    for part in parts:
        part.loosen(Unknown("a split"))
        part.items = part.items if part.kept is None else []
    return parts


@FRAMEWORK.on("sklearn.utils.class_weight.compute_class_weight", "sklearn.utils.compute_class_weight")
def class_weights(c: Call) -> Any:
    """One number for each class, in an array (sklearn/utils/class_weight.py: compute_class_weight, whose arguments but
    the first go by name since 1.0)."""
    if len(c.args) > 1 and is_certain(c.machine):
        refuse(c.machine, c.span, Mismatch(
            Problem.UNKNOWN_ARGUMENT, f"compute_class_weight takes 1 argument by position, {len(c.args)} are given",
            help="compute_class_weight(..., classes=..., y=...)", where=Where(keras=">=3"),
            error='TypeError "compute_class_weight() takes 1 positional argument but 3 were given" or "too many '
                  'positional arguments"'), what="compute_class_weight")
    classes = strip(c.get(1, "classes"))
    if isinstance(classes, Tensor) and isinstance(classes.shape, tuple) and len(classes.shape) == 1:
        many = classes.shape[0]
    else:
        many = len(classes) if isinstance(classes, list | tuple) else Unknown("number of classes")
    return Tensor((many,), "float64", "numpy", None, Step(c.span))


@FRAMEWORK.on("sklearn.utils.shuffle")
def reordered(c: Call) -> Any:
    """Each of the arrays in another order."""
    out: list[Any] = []
    for arg in c.args:
        held = plain(arg)
        if isinstance(held, Tensor):
            out.append(held.with_(step=Step(c.span, (held,), "sklearn.shuffled")))
        elif isinstance(held, ListV):
            out.append(held.copy())
            out[-1].loosen(Unknown("an order that is not known"))
        else:
            out.append(held if hasattr(held, "part") else Unknown("shuffled data"))
    fewer = plain(c.kwargs.get("n_samples")) is not None
    if fewer or not out:
        return Unknown("shuffled data")
    return out[0] if len(out) == 1 else ListV(out)


def _split_sizes(rows: Any, test: Any, train: Any) -> tuple[Any, Any]:
    unknown = Unknown("size of a split")
    if not isinstance(rows, int) or isinstance(test, Unknown) or isinstance(train, Unknown):
        return unknown, Unknown("size of a split")
    if test is None and train is None:
        test = 0.25
    count = None if test is None else math.ceil(test * rows) if isinstance(test, float) else test
    kept = None if train is None else math.floor(train * rows) if isinstance(train, float) else train
    if count is None:
        count = rows - kept if isinstance(kept, int) else unknown
    if kept is None:
        kept = rows - count if isinstance(count, int) else unknown
    return kept, count
