"""Every spelling's parameters are those of the library's class: names, order, defaults."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from cudnnlint.ops.protocol import BASE_ARGUMENTS, LAYERS
from cudnnlint.values import Where
from tests.oracle.harness import installed_stack, library, load_ops, real_class

load_ops()
LIBRARIES = ("keras", "tf_keras")
PATHS = sorted(path for path in LAYERS if path.startswith("keras.layers."))


def exists(clause: str, name: str) -> bool:
    return Where(keras=clause).holds(installed_stack(name))


def named(function: Any) -> dict[str, inspect.Parameter]:
    """Parameters that can be passed by name, without self and *args, **kwargs."""
    varied = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return {name: parameter for name, parameter in inspect.signature(function).parameters.items()
            if name != "self" and parameter.kind not in varied}


def constructor(name: str, path: str) -> dict[str, inspect.Parameter]:
    found = real_class(name, path)
    return named(found.__init__ if inspect.isclass(found) else found)


def positional(parameters: dict[str, inspect.Parameter]) -> list[str]:
    """Names in order, without the base layer's own at the end, where order does not matter."""
    names = list(parameters)
    while names and names[-1] in BASE_ARGUMENTS:
        names.pop()
    return names


def plain(default: Any) -> Any:
    """`(1, 1)` and `1` are the same default."""
    if isinstance(default, (tuple, list)) and default and len(set(map(str, default))) == 1:
        return plain(default[0])
    return tuple(default) if isinstance(default, list) else default


def compared(name: str, path: str) -> tuple[dict[str, inspect.Parameter], dict[str, inspect.Parameter]]:
    """(ours, theirs), or skip where the library or the class does not exist."""
    if library(name) is None:
        pytest.skip(f"{name} with tensorflow is not installed")
    spelling = LAYERS[path]
    expected = exists(spelling.versions.get("", ""), name)
    assert (real_class(name, path) is not None) == expected, f"{path} in {name}: versions say {expected}"
    if not expected:
        pytest.skip(f"{name} has no {path}")
    mine = {key: value for key, value in named(spelling.builder).items()
            if exists(spelling.versions.get(key, ""), name)}
    return mine, constructor(name, path)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", LIBRARIES)
def test_parameters_are_the_classes(name: str, path: str) -> None:
    mine, theirs = compared(name, path)
    assert positional(mine) == positional(theirs)
    empty = inspect.Parameter.empty
    required = [key for key in positional(theirs) if theirs[key].default is empty]
    assert [key for key in positional(mine) if mine[key].default is empty] == required


@pytest.mark.parametrize("path", PATHS)
def test_defaults_are_the_newest_classes(path: str) -> None:
    name = "keras" if exists(LAYERS[path].versions.get("", ""), "keras") else "tf_keras"
    mine, theirs = compared(name, path)
    differing = {key: (mine[key].default, theirs[key].default) for key in positional(theirs)
                 if key in mine and plain(mine[key].default) != plain(theirs[key].default)}
    assert not differing, f"(ours, {name}'s)"


def test_versions_name_parameters() -> None:
    for path, spelling in LAYERS.items():
        strangers = spelling.versions.keys() - named(spelling.builder).keys() - {""}
        assert not strangers, f"{path}: versions of {strangers}, which the spelling does not take"


@pytest.mark.parametrize("argument", BASE_ARGUMENTS)
@pytest.mark.parametrize("name", LIBRARIES)
def test_base_arguments_are_those_of_layer(name: str, argument: str) -> None:
    if library(name) is None:
        pytest.skip(f"{name} with tensorflow is not installed")
    value = {"input_shape": (4,), "batch_input_shape": (2, 4), "input_dim": 4, "dtype": "float32", "name": "x",
             "trainable": True, "dynamic": False}.get(argument)
    try:
        library(name).layers.Layer(**{argument: value})
        accepted = True
    except (TypeError, ValueError):
        accepted = False
    assert accepted == exists(BASE_ARGUMENTS[argument], name)


@pytest.mark.parametrize("name", LIBRARIES)
def test_no_base_argument_is_forgotten(name: str) -> None:
    if library(name) is None:
        pytest.skip(f"{name} with tensorflow is not installed")
    assert constructor(name, "keras.layers.Layer").keys() <= BASE_ARGUMENTS.keys()
