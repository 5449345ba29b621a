"""The table of public names, against the libraries that are installed."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from cudnnlint.facts.public_names import MODULES, OTHERWISE, listed

SPELT = {"keras": ("keras", "keras._tf_keras.keras", "tf_keras"), "tensorflow": ("tensorflow",), "torch": ("torch",),
         "numpy": ("numpy",)}


def found(dotted: str) -> Any:
    """The module, as a program reaches it."""
    parts = dotted.split(".")
    module: Any = importlib.import_module(parts[0] if parts[1:2] != ["_tf_keras"] else "keras._tf_keras.keras")
    for part in parts[1:] if parts[1:2] != ["_tf_keras"] else parts[3:]:
        module = getattr(module, part, None)
    return module


@pytest.mark.parametrize("name", MODULES)
def test_no_name_of_a_module_is_missing(name: str) -> None:
    root, _, below = name.partition(".")
    pytest.importorskip(root)
    known = frozenset().union(*listed(name))
    for spelt in SPELT[root]:
        try:
            module = found(f"{spelt}.{below}".rstrip("."))
        except ImportError:
            continue
        names = {each for each in dir(module) if not each.startswith("_") and not each.startswith("@")}
        assert names - known == set(), f"run python -m cudnnlint.devtools.public_names: {spelt}.{below}"


@pytest.mark.parametrize("name", sorted(OTHERWISE))
def test_what_is_meant_is_there(name: str) -> None:
    pytest.importorskip(name.partition(".")[0])
    module = found(name)
    for given, meant in OTHERWISE[name].items():
        assert not hasattr(module, given), given
        root = next((root for root in ("torch", "keras") if meant.startswith(f"{root}.") and name != "tensorflow"), "")
        reached: Any = importlib.import_module(root) if root else module
        for part in meant.removeprefix(f"{root}.").split("."):
            reached = getattr(reached, part, None)
        assert reached is not None, meant
