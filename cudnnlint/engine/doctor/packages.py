"""Whether the installed packages go together, by what each requires."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from cudnnlint.engine.doctor.describe import Environment
from cudnnlint.engine.doctor.problem import Problem
from cudnnlint.finding import Level

if TYPE_CHECKING:
    from packaging.requirements import Requirement

FRAMEWORKS = ("tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-macos", "tensorflow-intel", "keras",
              "tf-keras", "torch", "jax", "jaxlib")
BUILDS = ("tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-rocm", "tf-nightly")
"""Distributions with the same files in them."""
LEGACY = ("true", "True", "1")
"""What TF_USE_LEGACY_KERAS counts as (tensorflow/python/util/lazy_loader.py: KerasLazyLoader)."""
BACKENDS = {"tensorflow": "tensorflow", "jax": "jax", "torch": "torch", "numpy": "", "openvino": ""}
"""KERAS_BACKEND -> package, "" for one that is not looked at (keras/src/backend/__init__.py)."""


def package_problems(environment: Environment) -> Iterator[Problem]:
    """In the order in which a program would meet them."""
    installed = environment.packages
    if not any(name in installed for name in FRAMEWORKS):
        yield Problem("no-framework", Level.ERROR, "neither TensorFlow, Keras, PyTorch nor JAX is installed",
                      "ModuleNotFoundError", "--python names the interpreter or environment to look at")
        return
    yield from _copies(environment)
    for name in FRAMEWORKS:
        if name in installed:
            for text in installed[name].requires:
                yield from _unmet(environment, name, text)
    yield from _keras(environment)


def _copies(environment: Environment) -> Iterator[Problem]:
    builds = [f"{name} {environment.packages[name].version}" for name in BUILDS if name in environment.packages]
    if len(builds) > 1:
        yield Problem("two-builds", Level.WARNING, f"{' and '.join(builds)} are installed over each other",
                      help="uninstall both, and install one again")
    for name in FRAMEWORKS:
        package = environment.packages.get(name)
        if package is not None and package.copies > 1:
            yield Problem("installed-twice", Level.WARNING,
                          f"{name} is installed {package.copies} times; {package.version} in {package.path} is found",
                          help=f"pip uninstall {name} until none is left, and install it again")


def requirement(environment: Environment, text: str, extra: str = "") -> Requirement | None:
    """A requirement, if it holds in this environment."""
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        found = Requirement(text)
    except InvalidRequirement:
        return None
    minor = ".".join(environment.python.split(".")[:2])
    here = {"python_version": minor, "python_full_version": environment.python, "sys_platform": environment.platform,
            "platform_system": environment.system, "platform_machine": environment.machine, "extra": extra,
            "os_name": "nt" if environment.platform == "win32" else "posix"}
    return found if found.marker is None or found.marker.evaluate(here) else None


def _unmet(environment: Environment, name: str, text: str) -> Iterator[Problem]:
    """What a framework requires, of the packages that were looked at, in a version that is not the installed one."""
    from packaging.utils import canonicalize_name

    wanted = requirement(environment, text)
    if wanted is None or not str(wanted.specifier):
        return
    package = environment.packages.get(canonicalize_name(wanted.name))
    if package is not None and not wanted.specifier.contains(package.version, prereleases=True):
        yield Problem(
            "unmet-requirement", Level.ERROR,
            f"{name} {environment.packages[name].version} requires {wanted.name}{wanted.specifier}, "
            f"not the {package.version} that is installed", help=f'pip install "{wanted.name}{wanted.specifier}"')
    elif package is None and canonicalize_name(wanted.name) in FRAMEWORKS:
        yield Problem("missing-requirement", Level.ERROR,
                      f"{name} {environment.packages[name].version} requires {wanted.name}, which is not installed",
                      f"ModuleNotFoundError: No module named '{wanted.name.replace('-', '_')}'",
                      f'pip install "{wanted.name}{wanted.specifier}"')


def _keras(environment: Environment) -> Iterator[Problem]:
    installed, variables = environment.packages, environment.variables
    tensorflow = next((installed[name] for name in BUILDS if name in installed), None)
    if variables.get("TF_USE_LEGACY_KERAS") in LEGACY and tensorflow is not None and "tf-keras" not in installed \
            and _at_least(tensorflow.version, "2.16"):
        minor = ".".join(tensorflow.version.split(".")[:2])
        yield Problem("no-legacy-keras", Level.ERROR, "TF_USE_LEGACY_KERAS is set, and tf_keras is not installed",
                      "ImportError: Keras cannot be imported. Check that it is installed",
                      f"pip install tf_keras~={minor}.0")
    if "keras" in installed and _at_least(installed["keras"].version, "3"):
        yield from _backend(environment, variables.get("KERAS_BACKEND", ""), tensorflow is not None)


def _backend(environment: Environment, named: str, has_tensorflow: bool) -> Iterator[Problem]:
    """What KERAS_BACKEND asks for, by default TensorFlow."""
    backend = BACKENDS.get(named or "tensorflow")
    if backend is None:
        yield Problem("unknown-backend", Level.ERROR, f'KERAS_BACKEND="{named}" is no backend of Keras',
                      f"ValueError: Unable to import backend : {named}", f"one of {', '.join(BACKENDS)}")
    elif named and backend and backend not in environment.packages and not (backend == "tensorflow" and has_tensorflow):
        yield Problem("no-backend", Level.ERROR, f"KERAS_BACKEND is {backend}, which is not installed",
                      f"ModuleNotFoundError: No module named '{backend}'", f"pip install {backend}")


def _at_least(version: str, least: str) -> bool:
    from packaging.version import InvalidVersion, Version

    try:
        return Version(version) >= Version(least)
    except InvalidVersion:
        return False
