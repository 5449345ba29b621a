"""What `from keras.datasets import *` binds, against the libraries that are installed."""

from __future__ import annotations

import pytest

from cudnnlint.interp.modules import MODULES_BELOW
from tests.oracle.harness import library


@pytest.mark.parametrize("package", MODULES_BELOW)
@pytest.mark.parametrize("name", ["keras", "tf_keras"])
def test_a_star_binds_the_modules_below(name: str, package: str) -> None:
    if library(name) is None:
        pytest.skip(f"{name} is not installed")
    bound: dict[str, object] = {}
    exec(f"from {package.replace('keras', name, 1)} import *", bound)
    assert not [each for each in MODULES_BELOW[package].split() if each not in bound]
