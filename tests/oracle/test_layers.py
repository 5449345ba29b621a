"""Our ops against real Keras over generated configurations: shape, dtype, parameters, acceptance."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from cudnnlint.ops.protocol import LAYERS
from tests.oracle import configs
from tests.oracle.harness import as_case, disagreement, library, load_ops, real_class

load_ops()
LIBRARIES = ("keras", "tf_keras")


def discovered() -> dict[str, Any]:
    """Every CONFIGS table under tests/oracle/configs, by layer path."""
    found: dict[str, Any] = {}
    for module in pkgutil.iter_modules(configs.__path__):
        table = importlib.import_module(f"{configs.__name__}.{module.name}").CONFIGS
        twice = found.keys() & table.keys()
        assert not twice, f"{module.name}: configured twice: {twice}"
        found.update(table)
    return found


CONFIGS = discovered()


def explore(name: str, path: str, examples: int) -> None:
    if library(name) is None:
        pytest.skip(f"{name} with tensorflow is not installed")
    if real_class(name, path) is None:
        pytest.skip(f"{name} has no {path}")
    load_ops()

    @settings(max_examples=examples, derandomize=True, deadline=None, database=None, report_multiple_bugs=False,
              suppress_health_check=list(HealthCheck), phases=(Phase.explicit, Phase.generate, Phase.shrink))
    @given(drawn=CONFIGS[path])
    def agrees(drawn: Any) -> None:
        difference = disagreement(name, path, as_case(drawn))
        assert difference is None, difference

    try:
        agrees()
    finally:
        library(name).backend.clear_session()


@pytest.mark.parametrize("path", sorted(CONFIGS))
@pytest.mark.parametrize("name", LIBRARIES)
def test_op_agrees_with_keras(name: str, path: str) -> None:
    explore(name, path, examples=60)


@pytest.mark.long
@pytest.mark.parametrize("path", sorted(CONFIGS))
@pytest.mark.parametrize("name", LIBRARIES)
def test_op_agrees_with_keras_over_many(name: str, path: str) -> None:
    explore(name, path, examples=1000)


def test_every_builder_is_configured() -> None:
    configured = {LAYERS[path].builder for path in CONFIGS}
    missing = sorted(path for path, spelling in LAYERS.items() if spelling.builder not in configured
                     and path.startswith("keras."))
    assert not missing, f"no configurations under tests/oracle/configs for {missing}"
