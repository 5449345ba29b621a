"""scikit-learn: what its transformers make of arrays."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.data.fitted_columns import tell_of_unfitting
from cudnnlint.frameworks.numpy.library import FRAMEWORK
from cudnnlint.frameworks.tfdata.dataset import Given, called_as
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import BuiltinV
from cudnnlint.interp.registry import Call
from cudnnlint.ops.functions import contents
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.values import Dim, Step, Tensor, Unknown
from cudnnlint.values.bounds import LISTED
from cudnnlint.values.dim import is_known
from cudnnlint.values.occurring import occurring
from cudnnlint.values.origins import CLASS_NUMBERS
from cudnnlint.values.unknown import ClassCount

ROOM = "sklearn.preprocessing"
FLOATS = ("float16", "float32", "float64")


def _both(*names: str) -> tuple[str, ...]:
    return tuple(f"{name}.{method}" for name in names for method in ("fit_transform", "transform"))


def _array(c: Call, name: str = "X") -> Any:
    return as_tensor(Given(c).get(0, name), "numpy")


SCALERS = ("StandardScaler", "MinMaxScaler", "RobustScaler", "MaxAbsScaler", "Normalizer", "QuantileTransformer",
           "PowerTransformer")


@FRAMEWORK.on("sklearn.decomposition.PCA.fit", *(f"{ROOM}.{name}.fit" for name in (
    *SCALERS, "LabelEncoder", "LabelBinarizer", "OneHotEncoder")))
def fitted(c: Call) -> Any:
    """The transformer itself."""
    if not called_as(c).endswith(("LabelEncoder.fit", "LabelBinarizer.fit")):
        tell_of_unfitting(c, _array(c))
    return plain(c.receiver)


@FRAMEWORK.on(*_both(*(f"{ROOM}.{name}" for name in SCALERS)), *(f"{ROOM}.{name}.inverse_transform" for name in (
        "StandardScaler", "MinMaxScaler", "RobustScaler", "MaxAbsScaler")))
def scaled(c: Call) -> Any:
    """The same shape, as floats (sklearn/preprocessing/_data.py: validate_data with FLOAT_DTYPES)."""
    x = _array(c)
    if not isinstance(x, Tensor):
        return x
    if tell_of_unfitting(c, x):
        return Unknown("what does not fit a scaler")
    dtype = x.dtype if x.dtype in FLOATS else "float64" if isinstance(x.dtype, str) else Unknown("dtype of scaled data")
    return x.with_(dtype=dtype, kind="numpy", step=Step(c.span, (x,), "sklearn.scaled"))


@FRAMEWORK.on(*_both(f"{ROOM}.LabelEncoder"))
def encoded(c: Call) -> Any:
    """One class number a label (sklearn/preprocessing/_label.py: LabelEncoder.fit_transform)."""
    y = _array(c, "y")
    if not isinstance(y, Tensor) or not isinstance(y.shape, tuple) or not y.shape:
        return Unknown("class numbers of labels")
    step = Step(c.span, (y,))
    if called_as(c).endswith("fit_transform") and (classes := _distinct(y)):
        step = Step(c.span, (), CLASS_NUMBERS, ((classes,), {}))
    return Tensor((y.shape[0],), "int64", "numpy", None, step, y.assumptions)


def _distinct(y: Tensor) -> int:
    """How many different values an array of plain ones has; 0 where they are not known."""
    held: Any = contents.flat(y.content)
    if held is None and y.step is not None and y.step.maker in LISTED and y.step.arguments is not None:
        source = plain(next(iter(y.step.arguments[0]), None))
        items = getattr(source, "items", source)
        known = isinstance(items, list | tuple) and not getattr(source, "unknown", None)
        held = list(map(plain, items)) if known else None
    if not held or not all(isinstance(item, int | str) for item in held) or y.shape != (len(held),):
        return 0
    return len(set(held))


@FRAMEWORK.on(*_both(f"{ROOM}.LabelBinarizer"))
def binarized(c: Call) -> Any:
    """A column a class, a single one where there are two (sklearn/preprocessing/_label.py: label_binarize)."""
    y, kwargs = _array(c, "y"), getattr(plain(c.receiver), "kwargs", {})
    sparse = {"sparse_output", "**"} & set(kwargs)
    if not isinstance(y, Tensor) or y.rank != 1 or not isinstance(y.shape, tuple) or sparse:
        return Unknown("columns of labels")
    classes = _distinct(y) if called_as(c).endswith("fit_transform") else 0
    width: Dim = ClassCount("the values that there are") if not classes else 1 if classes <= TWO else classes
    return Tensor((y.shape[0], width), "int64", "numpy", None, Step(c.span, (y,)), y.assumptions)


TWO = 2


@FRAMEWORK.on(*_both(f"{ROOM}.OneHotEncoder"))
def one_hot(c: Call) -> Any:
    """A column for each value of one column (sklearn/preprocessing/_encoders.py: OneHotEncoder.transform)."""
    x, kwargs = _array(c), getattr(plain(c.receiver), "kwargs", {})
    tell_of_unfitting(c, x)
    sparse = [plain(kwargs[name]) for name in ("sparse", "sparse_output") if name in kwargs]
    if not isinstance(x, Tensor) or not isinstance(x.shape, tuple) or len(x.shape) != 2 or x.shape[1] != 1 \
            or any(type(flag) is not bool for flag in sparse) \
            or {"drop", "max_categories", "min_frequency", "**"} & set(kwargs):
        return Unknown("one-hot rows")
    fits = called_as(c).endswith("fit_transform") and "categories" not in kwargs
    width: Dim = (_values_in(x) if fits else 0) or ClassCount("the values that there are")
    rows = Tensor((x.shape[0], width), "float64", "numpy", None, Step(c.span, (x,)), x.assumptions)
    return rows if False in sparse else SparseV(rows)


def _values_in(column: Tensor) -> int:
    """How many different values a column has; 0 where they are not known."""
    held = contents.flat(column.content)
    if held and all(isinstance(item, int | str) for item in held):
        return len(set(held))
    return len(occurring(column) or ())


class SparseV:
    """A matrix of SciPy: what it is as an array."""

    def __init__(self, rows: Tensor) -> None:
        self.rows = rows

    def attribute(self, m: Machine, name: str) -> Any:
        if name == "toarray":
            return BuiltinV("scipy.sparse.toarray", lambda c: self.rows)
        return self.rows.shape if name == "shape" else Unknown(f"{name} of a sparse matrix")

    def join_with(self, other: Any) -> Any:
        return Unknown("differs between paths")


@FRAMEWORK.on("sklearn.utils.class_weight.compute_sample_weight", "sklearn.utils.compute_sample_weight")
def sample_weight(c: Call) -> Any:
    """One weight a label (sklearn/utils/class_weight.py: compute_sample_weight)."""
    y = as_tensor(Given(c, method=False).get(1, "y"), "numpy")
    if not isinstance(y, Tensor) or not isinstance(y.shape, tuple) or not y.shape:
        return Unknown("weights of samples")
    return Tensor((y.shape[0],), "float64", "numpy", None, Step(c.span, (y,)), y.assumptions)


@FRAMEWORK.on(*_both("sklearn.decomposition.PCA"))
def components(c: Call) -> Any:
    """As many columns as n_components says (sklearn/decomposition/_pca.py)."""
    x, made = _array(c), plain(c.receiver)
    tell_of_unfitting(c, x)
    kwargs, args = getattr(made, "kwargs", {}), getattr(made, "args", ())
    count = plain(kwargs.get("n_components", args[0] if args else None))
    if not isinstance(x, Tensor) or not isinstance(x.shape, tuple) or len(x.shape) != 2:
        return Unknown("components")
    width: Dim = count if is_known(count) else Unknown("n_components")
    return x.with_(shape=(x.shape[0], width), kind="numpy", step=Step(c.span, (x,)),
                   dtype=x.dtype if x.dtype in FLOATS else Unknown("dtype of components"))
