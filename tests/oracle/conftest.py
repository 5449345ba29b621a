"""Which Keras the ops are compared with: the newest releases; beside an older one only Keras 2 is."""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, version

import pytest

from cudnnlint.values.stack import parse_version

SINCE = (3, 14)
"""What older releases of Keras 3 did otherwise is not known well enough; the last one for Python 3.10 is 3.12."""
ANYWAY = "CUDNNLINT_ORACLE"
"""Set to anything, the comparison with an older Keras 3 runs all the same, to learn where it differs."""
ABOUT_THE_VERSION = ("test_layers.py", "test_signatures.py", "test_functions.py", "test_function_signatures.py")


def installed() -> tuple[int, ...] | None:
    """Keras' version, without importing it."""
    try:
        return parse_version(version("keras"))
    except PackageNotFoundError:
        return None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    found = installed()
    if found is None or found >= SINCE or os.environ.get(ANYWAY):
        return
    text = f"compared with Keras from {'.'.join(map(str, SINCE))} on, {'.'.join(map(str, found))} is installed"
    for item in items:
        if item.path.name in ABOUT_THE_VERSION and "tf_keras" not in item.name:
            item.add_marker(pytest.mark.skip(reason=text))
