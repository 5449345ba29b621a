"""Every spelling's parameters are those of the library's class: names, order, defaults."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from cudnnlint.ops.protocol import BASE_ARGUMENTS, LAYERS, Spelling
from cudnnlint.values import Where
from tests.oracle.harness import installed_stack, library, load_ops, real_class
from tests.test_totality import SAMPLES

load_ops()
LIBRARIES = ("keras", "tf_keras")
REORDERED = {f"keras.layers.{name}" for name in (
    "Conv3DTranspose", "Convolution3DTranspose", "StringLookup", "experimental.preprocessing.StringLookup")}
"""Keras 3 moved a positional parameter; ours are in its order."""
FAR_BEHIND = 8
OPTIONAL_ONCE = {f"keras.layers.{name}{axes}": {"pool_size"} for name in ("AveragePooling", "AvgPool")
                 for axes in ("1D", "2D", "3D")}
"""Required by Keras 3, optional in Keras 2: a default in ours, and a MISSING_ARGUMENT from `check`."""
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


def sample(name: str, path: str) -> dict[str, Any]:
    """Required arguments of the library's class."""
    return {key: SAMPLES.get(key, 2) for key, parameter in constructor(name, path).items()
            if parameter.default is inspect.Parameter.empty}


def constructs(name: str, path: str, /, **more: Any) -> bool:
    try:
        real_class(name, path)(**{**sample(name, path), **more})
    except (TypeError, ValueError, ImportError):  # scipy, for one
        return False
    return True


def hidden(name: str, path: str, key: str, value: Any) -> bool:
    """Taken through **kwargs."""
    if constructs(name, path):
        return constructs(name, path, **{key: value})
    return f'kwargs.pop("{key}"' in inspect.getsource(real_class(name, path).__init__)


def positional(parameters: dict[str, inspect.Parameter]) -> list[str]:
    """Names in order, without the base layer's own at the end, where order does not matter."""
    names = [key for key, parameter in parameters.items() if parameter.kind is not inspect.Parameter.KEYWORD_ONLY]
    while names and names[-1] in BASE_ARGUMENTS:
        names.pop()
    return names


def keywords(parameters: dict[str, inspect.Parameter]) -> set[str]:
    return {key for key, parameter in parameters.items() if parameter.kind is inspect.Parameter.KEYWORD_ONLY}


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
    theirs = constructor(name, path)
    mine = {key: value for key, value in known(name, path).items()
            if key in theirs or not hidden(name, path, key, value.default)}
    return mine, theirs


def known(name: str, path: str) -> dict[str, inspect.Parameter]:
    """Our parameters for this library, those among them that it takes through **kwargs."""
    spelling = LAYERS[path]
    return {key: value.replace(kind=value.KEYWORD_ONLY) if by_name(spelling, key, name) else value
            for key, value in named(spelling.builder).items() if exists(spelling.versions.get(key, ""), name)}


def by_name(spelling: Spelling, key: str, name: str) -> bool:
    clause = spelling.versions.get(f"{key}=")
    return clause is not None and exists(clause, name)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", LIBRARIES)
def test_parameters_are_the_classes(name: str, path: str) -> None:
    mine, theirs = compared(name, path)
    given, wanted = positional(mine), positional(theirs)
    if name == "tf_keras" and path in REORDERED:
        assert sorted(given) == sorted(wanted)
    elif given != wanted:
        # what the two libraries order differently, far behind, may be by keyword only
        assert len(given) >= FAR_BEHIND and given == wanted[:len(given)]
        assert set(wanted[len(given):]) <= keywords(mine)
    assert keywords(theirs) - BASE_ARGUMENTS.keys() <= mine.keys()
    assert mine.keys() <= theirs.keys() | BASE_ARGUMENTS.keys()


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", LIBRARIES)
def test_required_parameters_are_the_classes(name: str, path: str) -> None:
    mine, theirs = compared(name, path)
    empty = inspect.Parameter.empty
    required = {key for key in positional(theirs) if theirs[key].default is empty} - OPTIONAL_ONCE.get(path, set())
    assert {key for key in positional(mine) if mine[key].default is empty} == required


@pytest.mark.parametrize("name", LIBRARIES)
def test_classes_of_several_names_have_their_own(name: str) -> None:
    if library(name) is None:
        pytest.skip(f"{name} with tensorflow is not installed")
    found = {path: real_class(name, path) for path in PATHS}
    names = {path: cls.__name__ for path, cls in found.items() if inspect.isclass(cls)}
    assert names == {path: LAYERS[path].own.rpartition(".")[2] for path in names}


@pytest.mark.parametrize("path", PATHS)
def test_defaults_are_the_newest_classes(path: str) -> None:
    name = "keras" if exists(LAYERS[path].versions.get("", ""), "keras") else "tf_keras"
    mine, theirs = compared(name, path)
    optional = [key for key in theirs if key in mine and theirs[key].default is not inspect.Parameter.empty]
    if exists("<3.0.5", name):  # AveragePooling2D's was "channels_last", not None
        optional = [key for key in optional if key != "data_format"]
    differing = {key: (mine[key].default, theirs[key].default) for key in optional
                 if plain(mine[key].default) != plain(theirs[key].default)}
    assert not differing, f"(ours, {name}'s)"


def test_versions_name_parameters() -> None:
    for path, spelling in LAYERS.items():
        strangers = {key.rstrip("=") for key in spelling.versions} - named(spelling.builder).keys() - {""}
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


INTERNAL = {"conv_op", "force_generator", "rng_type", "adjustment", "factor"}
"""Taken, but documented nowhere; `factor` of most image layers only as None."""
GAPS = {
}
"""What some layers still lack; an entry whose keyword has been added must go."""


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", LIBRARIES)
def test_no_keyword_is_taken_that_we_do_not_know(name: str, path: str) -> None:
    compared(name, path)
    if not constructs(name, path):
        pytest.skip(f"no sample arguments for {path}")
    bases = [base for base in real_class(name, path).__mro__[:-1] if inspect.isfunction(vars(base).get("__init__"))]
    ours = known(name, path).keys() | BASE_ARGUMENTS.keys() | INTERNAL
    passed_on = {key: parameter.default for base in bases for key, parameter in named(base.__init__).items()
                 if key not in ours and parameter.default is not inspect.Parameter.empty}
    missing = [key for key, default in passed_on.items() if constructs(name, path, **{key: default})]
    gaps = GAPS.get(path.rpartition(".")[2], [])
    assert missing == [key for key in gaps if key in passed_on]
