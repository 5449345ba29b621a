"""The library's side of the oracle: build the layer, call it, note what came of it."""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from functools import cache
from typing import Any

from cudnnlint.values import Stack
from cudnnlint.values.stack import parse_version
from tests.oracle.cases import Accepted, Case, Fn, Made, Refused, Spec, Sub, count, each


@cache
def library(name: str) -> Any:
    """`keras` or `tf_keras`, or None when it is not installed."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    try:
        importlib.import_module("tensorflow")
        return importlib.import_module(name)
    except ImportError:
        return None


def installed_stack(name: str) -> Stack:
    """The versions that a verdict is compared under."""
    tensorflow = importlib.import_module("tensorflow")
    return Stack(keras=parse_version(library(name).__version__), tensorflow=parse_version(tensorflow.__version__),
                 source="installed")


def real_class(name: str, path: str) -> Any:
    """The class that `path` (keras.layers.X) names in the library, or None; in tf_keras also what only TF 1 shows."""
    value = library(name)
    for part in path.split(".")[1:]:
        value = getattr(value, part, None)
    if value is None and name == "tf_keras" and path.startswith("keras.layers.CuDNN"):
        value = getattr(importlib.import_module("tf_keras.api._v1.keras.layers"), path.rpartition(".")[2], None)
    return value


def real(name: str, path: str, case: Case) -> Accepted | Refused:
    """What the library makes of `case`."""
    keras = library(name)
    stage = "constructor"

    def symbol(spec: Spec) -> Any:
        return keras.Input(batch_shape=spec.shape, dtype=spec.dtype)

    try:
        made = _real_layer(name, path, {**case.kwargs, **case.extra}, case.policy)
        stage = "call"
        out = made(each(case.inputs, symbol), **_call_arguments(case, symbol))
    except Exception as error:  # the library raises every kind
        return Refused(stage, f"{type(error).__name__}: {error}")
    shapes = [tuple(weight.shape) for weight in made.weights]
    trainable = sum(count(tuple(weight.shape)) for weight in made.trainable_weights)
    return Accepted(_observed(out), tuple(sorted(shapes)), sum(map(count, shapes)), trainable)


def _call_arguments(case: Case, leaf: Any) -> dict[str, Any]:
    """The keyword arguments of the call; specs and lists of specs as tensors."""
    return {key: each(value, leaf) if isinstance(value, (Spec, list)) else value for key, value in case.call.items()}


def run(name: str, path: str, case: Case) -> Accepted | Refused:
    """What the library makes of `case` on tensors of zeros, free extents being 2."""
    tensorflow = importlib.import_module("tensorflow")

    def zeros(spec: Spec) -> Any:
        return tensorflow.zeros([size or 2 for size in spec.shape], spec.dtype)

    try:
        made = _real_layer(name, path, {**case.kwargs, **case.extra}, case.policy)
        out = made(each(case.inputs, zeros), **_call_arguments(case, zeros))
    except Exception as error:
        return Refused("run", f"{type(error).__name__}: {error}")
    return Accepted(_observed(out), (), 0, 0)


def _real_layer(name: str, path: str, kwargs: Mapping[str, Any], policy: str | None = None) -> Any:
    arguments = {key: _real_value(name, value) for key, value in kwargs.items()}
    if policy:
        arguments["dtype"] = policy
    return real_class(name, path)(**arguments)


def _real_value(name: str, value: Any) -> Any:
    if isinstance(value, Sub):
        return _real_layer(name, value.path, value.kwargs)
    if isinstance(value, Fn):
        return value.real
    if isinstance(value, Made):
        return value.real()
    if isinstance(value, list) and any(isinstance(item, Sub | Made) for item in value):
        return [_real_value(name, item) for item in value]
    return value


def _observed(out: Any) -> Any:
    if isinstance(out, (list, tuple)):
        return [_observed(item) for item in out]
    if isinstance(out, dict):
        return {key: _observed(item) for key, item in out.items()}
    if out is None or not hasattr(out, "shape"):
        return out
    dtype = getattr(out.dtype, "name", out.dtype)
    try:
        return (tuple(out.shape), dtype)
    except ValueError:  # tf.TensorShape(None)
        return ("any rank", dtype)
