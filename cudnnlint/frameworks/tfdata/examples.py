"""Records parsed: tf.io.parse_example and its kin, features as they were declared, and lines of CSV files."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.tensorflow.library import FRAMEWORK
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.ops.arith import as_shape
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import KNOWN, as_dtype
from cudnnlint.source import Span
from cudnnlint.values import FREE, Mismatch, Problem, Shape, Step, Tensor, Unknown

SPARSE = "tensorflow.SparseTensor"
STORED = frozenset({"float32", "int64", "string"})
WIDENED = {**dict.fromkeys(("int32", "int16", "int8", "uint8", "uint16", "bool"), "int64"),
           **dict.fromkeys(("float16", "float64", "bfloat16"), "float32")}
PLACES = {"FixedLenFeature": 1, "FixedLenSequenceFeature": 1, "VarLenFeature": 0}
"""Features, and where each takes its dtype."""
NO_DTYPE = Unknown("dtype of a feature")


def _names(*names: str) -> tuple[str, ...]:
    return tuple(f"tensorflow.{room}{name}" for room in ("", "io.", "compat.v1.", "compat.v1.io.") for name in names)


@FRAMEWORK.on(*_names("parse_single_example", "parse_example"))
def parse_example(c: Call) -> Any:
    """Each feature by name; of several records at once with their number in front
    (tensorflow/python/ops/parsing_ops.py: parse_example_v2, parse_single_example_v2)."""
    features = strip(c.get(1, "features"))
    if not isinstance(features, dict):
        return Unknown("features of a record")
    lead: Any = ()
    if plain(c.callee).path.endswith("parse_example"):
        records = as_tensor(strip(c.get(0, "serialized")), "tf")
        if not isinstance(records, Tensor) or not isinstance(records.shape, tuple):
            return Unknown("a number of records")
        lead = records.shape
    _tell_of_dtypes(c, features)
    return wrap({name: _feature(feature, lead, c.span) for name, feature in features.items()})


def _tell_of_dtypes(c: Call, features: dict[Any, Any]) -> None:
    """Records hold numbers of two kinds and bytes (tensorflow/core/example/feature.proto)."""
    for feature in features.values():
        kind = feature.path.rpartition(".")[2] if isinstance(feature, ObjectV) else ""
        place = PLACES.get(kind)
        dtype = as_dtype(_argument(feature, place, "dtype"), NO_DTYPE) if place is not None else "string"
        if isinstance(dtype, str) and dtype not in STORED and not (c.machine.trying or c.machine.handlers):
            refuse(c.machine, feature.span, Mismatch(
                Problem.DTYPE, f"{kind} of {dtype}: records hold float32, int64 and strings",
                help="tf.string, and tf.io.decode_raw() or tf.io.parse_tensor() of it" if dtype not in WIDENED else
                f"tf.{WIDENED[dtype]}, and tf.cast() after it", facts=(("elsewhere", (c.span, "parsed here")),),
                error="InvalidArgumentError \"Value for attr 'Tdense' is not in the list of allowed values: float, "
                      "int64, string\" or in a graph TypeError \"Value passed to parameter 'dense_defaults' has "
                      "DataType\""), what=f"tf.io.{kind}")
            return


def _feature(feature: Any, lead: Shape, span: Span) -> Any:
    if not isinstance(feature, ObjectV):
        return Unknown("a feature of a record")
    kind = feature.path.rpartition(".")[2]
    if kind == "VarLenFeature":
        return sparse((*lead, FREE), as_dtype(_argument(feature, 0, "dtype"), NO_DTYPE), span)
    shape = as_shape(_argument(feature, 0, "shape"))
    if kind not in ("FixedLenFeature", "FixedLenSequenceFeature") or isinstance(shape, Unknown):
        return Unknown("a feature of a record")
    rows: Shape = (FREE,) if kind == "FixedLenSequenceFeature" else ()
    dtype = as_dtype(_argument(feature, 1, "dtype"), NO_DTYPE)
    return Tensor((*lead, *rows, *shape), dtype, "tf", None, Step(span))


def _argument(value: ObjectV, position: int, name: str) -> Any:
    return strip(value.args[position] if position < len(value.args) else value.kwargs.get(name))


def sparse(shape: Shape, dtype: Any, span: Span) -> ObjectV:
    return ObjectV(SPARSE, (), {"shape": shape, "dtype": dtype}, span)


@FRAMEWORK.on("tensorflow.sparse.to_dense", "tensorflow.sparse_tensor_to_dense", "tensorflow.compat.v1.sparse.to_dense",
              "tensorflow.compat.v1.sparse_tensor_to_dense")
def to_dense(c: Call) -> Any:
    value = plain(c.get(0, "sp_input"))
    if not isinstance(value, ObjectV) or value.path != SPARSE or "shape" not in value.kwargs:
        return Unknown("a sparse tensor")
    return Tensor(value.kwargs["shape"], value.kwargs["dtype"], "tf", None, Step(c.span))


@FRAMEWORK.attribute(f"{SPARSE}.values")
def values(m: Machine, value: ObjectV) -> Any:
    if "shape" not in value.kwargs:
        return Unknown("values of a sparse tensor")
    return Tensor((FREE,), value.kwargs["dtype"], "tf", None, Step(value.span))


@FRAMEWORK.on(*_names("decode_csv"))
def decode_csv(c: Call) -> Any:
    """One tensor a column, each like `records` (tensorflow/python/ops/parsing_ops.py: decode_csv_v2)."""
    records, defaults = as_tensor(strip(c.get(0, "records")), "tf"), strip(c.get(1, "record_defaults"))
    if not isinstance(records, Tensor) or not isinstance(defaults, list | tuple):
        return Unknown("columns of a line")
    return wrap([Tensor(records.shape, _column(default), "tf", None, Step(c.span, (records,))) for default in defaults])


def _column(default: Any) -> Any:
    """The dtype of a column is that of its default, or named by it."""
    if isinstance(default, str):
        return default if default in KNOWN else "string"
    made = as_tensor(default[0] if isinstance(default, list) and default else default, "tf")
    return made.dtype if isinstance(made, Tensor) else NO_DTYPE


@FRAMEWORK.on(*_names("parse_tensor"))
def parse_tensor(c: Call) -> Any:
    return Tensor(Unknown("a tensor out of a file"), as_dtype(strip(c.get(1, "out_type")), Unknown("out_type")), "tf",
                  None, Step(c.span))
