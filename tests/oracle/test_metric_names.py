"""Metrics that are numbered, the second of them auc_1, against Keras' own constructors."""

from __future__ import annotations

from inspect import signature

import pytest

from cudnnlint.frameworks.training.logged import WITHOUT_NAME
from cudnnlint.ops.given_names import METRIC_CLASSES


@pytest.mark.parametrize("library", ["keras", "tf_keras"])
@pytest.mark.parametrize("name", METRIC_CLASSES)
def test_a_metric_without_a_name_is_numbered(library: str, name: str) -> None:
    keras = pytest.importorskip(library, reason=f"{library} is not installed")
    made = getattr(keras.metrics, name, None)
    if made is None or name == "MeanMetricWrapper":
        pytest.skip("not in this release, or made of a function")
    left_open = signature(made.__init__).parameters["name"].default is None
    assert left_open == (f"keras.metrics.{name}" in WITHOUT_NAME)
