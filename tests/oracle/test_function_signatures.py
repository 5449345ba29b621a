"""Every function's parameters are the library's: names, order, defaults; TensorFlow 1's where they differ."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from cudnnlint.ops.protocol import FUNCTIONS
from cudnnlint.values import Where
from cudnnlint.values.stack import parse_version
from tests.oracle.function_harness import libraries, load, real_function
from tests.oracle.harness import installed_stack

load()
OLDER = {
    "keras.activations.leaky_relu": {"alpha"}, "keras.activations.relu": {"alpha"}, "keras.ops.leaky_relu": {"alpha"},
    "keras.ops.nn.leaky_relu": {"alpha"}, "numpy.reshape": {"newshape"}, "numpy.percentile": {"interpolation"},
    "numpy.corrcoef": {"bias", "ddof"}, "numpy.quantile": {"interpolation"}, "numpy.nanpercentile": {"interpolation"},
    "numpy.nanquantile": {"interpolation"},
}
"""Parameters that older versions of the library have."""
NEWER = {"numpy.unique": {"sorted"}, "numpy.sort": {"descending"}, "numpy.argsort": {"descending"},
         "numpy.lib.stride_tricks.as_strided": {"check_bounds"}}
"""Parameters that older versions of NumPy lack."""
REORDERED = {"keras.ops.image.crop_images", "keras.ops.image.pad_images"}
"""Until Keras 3.3 the targets came before bottom and right; ours are in the order since."""
COMPLETE = {"keras": (3, 15), "numpy": (2, 4)}
"""Where defaults are compared: ours are the newest release's."""
CHANGED = {"numpy.reshape", "numpy.fromstring"}
"""Whose defaults differ from release to release: the shape was called newshape, and without `sep` texts were bytes."""
VARIED = {"numpy.random.rand", "numpy.random.randn", "numpy.random.ranf", "numpy.random.sample", "numpy.meshgrid",
          "numpy.einsum", "numpy.atleast_1d", "numpy.atleast_2d", "numpy.atleast_3d", "numpy.broadcast_arrays",
          "tensorflow.meshgrid", "tensorflow.einsum",
          "tensorflow.linalg.einsum", "keras.ops.einsum", "keras.ops.numpy.einsum", "keras.ops.meshgrid",
          "keras.ops.numpy.meshgrid", "numpy.arange", "keras.Variable", "tensorflow.Variable",
          "tensorflow.signal.stft", "tensorflow.signal.inverse_stft"}
"""Any number of arguments, which we list; or a class."""


def named(function: Any) -> dict[str, Any]:
    varied = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {name: parameter.default for name, parameter in inspect.signature(function).parameters.items()
            if parameter.kind not in varied}


def mine(path: str) -> dict[str, Any]:
    versions, keras = FUNCTIONS[path].versions, installed_stack("keras")
    return {name: default for name, default in named(FUNCTIONS[path].builder).items()
            if name not in OLDER.get(path, set()) | NEWER.get(path, set())
            and Where(keras=versions.get(name, "")).holds(keras)}


def plain(default: Any) -> Any:
    if type(default).__name__ == "_NoValueType":
        return None
    name = getattr(default, "name", None)
    return name if isinstance(name, str) else tuple(default) if isinstance(default, list) else default


def compared(path: str) -> tuple[dict[str, Any], dict[str, Any]]:
    if libraries() is None:
        pytest.skip("tensorflow, keras or numpy is not installed")
    function = real_function(path)
    if function is None or inspect.isclass(function) or path in VARIED or path.startswith("operator."):
        pytest.skip(f"the installed libraries have no function {path} with one signature")
    try:
        return mine(path), named(function)
    except ValueError:
        pytest.skip(f"{path} tells no signature")


PASSED_ON = {"keras.layers.dot": ("normalize",)}
"""What a function takes through **kwargs for the layer that it makes."""


@pytest.mark.parametrize("path", sorted(path for path in FUNCTIONS
                                        if ".v1." not in path and not path.startswith("torch.")))
def test_parameters_are_the_librarys(path: str) -> None:
    ours, theirs = compared(path)
    if path == "keras.utils.to_categorical":
        assert list(ours) == list(theirs)
        return
    theirs = {name: default for name, default in theirs.items()
              if name not in OLDER.get(path, set()) | NEWER.get(path, set())}
    arranged = sorted if path in REORDERED and installed_stack("keras").keras < (3, 4) else list
    assert arranged(ours) == arranged([*theirs, *PASSED_ON.get(path, ())])
    root = path.partition(".")[0]
    if parse_version(libraries()[root].__version__) < COMPLETE.get(root, ()):  # type: ignore[index]
        return
    different = {name: (plain(ours[name]), plain(theirs[name])) for name in theirs
                 if plain(ours[name]) != plain(theirs[name])}
    assert not different or path in CHANGED


@pytest.mark.parametrize("path", sorted(path for path in FUNCTIONS
                                        if path.startswith("tensorflow.") and ".v1." not in path))
def test_tensorflow_1_has_its_own_spelling_where_it_differs(path: str) -> None:
    older = f"tensorflow.compat.v1.{path.partition('.')[2]}"
    if libraries() is None:
        pytest.skip("tensorflow, keras or numpy is not installed")
    function = real_function(older)
    if function is None or inspect.isclass(function) or path in VARIED or older in FUNCTIONS:
        pytest.skip("the same in both, or spelled on its own")
    ours, theirs = list(named(FUNCTIONS[path].builder)), list(named(function))
    assert [name for name in ours if name in theirs] == theirs, f"{older} has other parameters"
