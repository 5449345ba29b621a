"""Decides which versions the verdicts on a file are about, and says why.

Settings come first, then what a notebook itself installs, then the project's dependency files, then what the module's
comments ask for, then what its imports and names imply, then what the files around it do; what nothing says is assumed
to be the newest.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from cudnnlint.engine.requirements.dependencies import Pin, pins_around
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.stack import versions
from cudnnlint.engine.stack.clues import OF_2_2, Clues, read_clues, takes_tf_keras
from cudnnlint.engine.stack.eras import project_of_1
from cudnnlint.engine.stack.handed_on import legacy_of_project
from cudnnlint.engine.stack.started import legacy_where_started
from cudnnlint.source import Source
from cudnnlint.values import Stack
from cudnnlint.values.stack import Version, dotted

_RELEASES = {"tensorflow": versions.TENSORFLOW, "keras": versions.KERAS, "tf_keras": versions.TF_KERAS,
             "cudnn": versions.CUDNN_RELEASES, "torch": versions.TORCH}
_WITHOUT_GPU = r"(?i)tensorflow[-_.](?:cpu|intel)\b"


class _Known(NamedTuple):
    """A version and where it comes from; `exact` unless it is only the newest of those that are possible."""

    version: Version
    reason: str
    exact: bool = True


def infer_stack(settings: Settings, directory: Path | str, data: bytes = b"") -> Stack:
    """The stack of a module with these bytes in `directory`; `source` tells each version's origin."""
    clues = read_clues(data)
    if not clues.legacy and not clues.keras_3 and (handed_on := legacy_of_project(Path(directory), data)):
        clues = clues._replace(legacy=handed_on)
    required = (*clues.installs, *pins_around(Path(directory)))
    pins = (*required, *clues.noted)
    if _tells_nothing(settings, clues, pins, data):
        clues = clues._replace(tensorflow_1=project_of_1(Path(directory), data))
    tensorflow = _tensorflow(settings, clues, pins)
    if _may_be_legacy(settings, clues, tensorflow, data):
        clues = clues._replace(legacy=legacy_where_started(Path(directory)))
    keras = (_set_keras(settings, clues, tensorflow) or _of_tensorflow(clues, tensorflow)
             or _legacy(clues, pins, tensorflow) or _keras(clues, pins, tensorflow))
    if keras is not None and keras.version < (3,) and not clues.legacy and _is_too_new(tensorflow):
        tensorflow = _Known(versions.tensorflow_of(keras.version), "assumed: the newest for this Keras", exact=False)
    cudnn = _set(settings, "cudnn") or _pinned(pins, "cudnn")
    torch = _set(settings, "torch") or _pinned(pins, "torch")
    newest = versions.NEWEST
    open_ones = {"keras": not (tensorflow or keras or cudnn), "torch": not torch}
    if tensorflow is None and keras is None and cudnn is None and torch is None:
        return replace(newest, without_gpu=_without_gpu(required), before=versions.earlier(**open_ones))
    unknown = "assumed: the newest"
    tensorflow = tensorflow or _Known(newest.tensorflow, unknown, exact=False)
    keras = keras or _Known(newest.keras, unknown, exact=False)
    cudnn = cudnn or _Known(versions.cudnn_of(tensorflow.version), "what this TensorFlow was tested with")
    known = {"TensorFlow": tensorflow, "Keras": keras, "cuDNN": cudnn, **({"PyTorch": torch} if torch else {})}
    stack = Stack(keras.version, tensorflow.version, cudnn.version, torch.version if torch else newest.torch,
                  "; ".join(f"{name} {dotted(each.version)} ({each.reason})" for name, each in known.items()),
                  _without_gpu(required), _is_implied(settings, clues, pins, tensorflow, keras),
                  elsewhere=_runs_elsewhere(required, data))
    return replace(stack, before=versions.earlier(stack, **open_ones))


def _runs_elsewhere(required: Collection[Pin], data: bytes) -> bool:
    """Whether Keras runs on PyTorch, as far as the project's requirements tell."""
    asked = {pin.library for pin in required}
    return {"keras", "torch"} <= asked and not asked & {"tensorflow", "tf_keras"} and b"tensorflow" not in data


def _tells_nothing(settings: Settings, clues: Clues, pins: Iterable[Pin], data: bytes) -> bool:
    """Whether other files have to tell if a module is of TensorFlow 1, which nothing here excludes."""
    if settings.tensorflow or settings.keras or not (b"tensorflow" in data or b"keras" in data):
        return False
    if clues.tensorflow_1 or clues.legacy or clues.keras_3 or clues.keras_1 or clues.last:
        return False
    keras = _pinned(pins, "keras")
    return (keras is None or keras.version < (2, 4)) and not any(
        pin.library == "tf_keras" or (pin.library == "tensorflow" and not pin.allowed.contains("1.15")) for pin in pins)


def _may_be_legacy(settings: Settings, clues: Clues, tensorflow: _Known | None, data: bytes) -> bool:
    """Whether tf.keras is what TF_USE_LEGACY_KERAS makes of it, and nothing in the module tells."""
    if settings.keras or clues.legacy or clues.keras_3 or not takes_tf_keras(data):
        return False
    return tensorflow is None or tensorflow.version >= versions.KERAS_3_SINCE


def _is_implied(settings: Settings, clues: Clues, pins: Iterable[Pin], tensorflow: _Known, keras: _Known) -> bool:
    """Whether what the module uses decided for old versions, where whoever installs its requirements gets others."""
    if settings.tensorflow or settings.keras or clues.asked:
        return False
    if tensorflow.reason == clues.tensorflow_1 or (clues.last and clues.last[1] in tensorflow.reason):
        others = _pinned(pins, "tensorflow"), _pinned(pins, "keras")
        return all(pinned is None or pinned.version >= (new,) for pinned, new in zip(others, (2, 3), strict=True))
    return bool(clues.keras_1) and clues.keras_1 in keras.reason


def _without_gpu(pins: Iterable[Pin]) -> str:
    """A requirement of a build for CPUs only, if no file of the project asks for another one."""
    builds = [pin.text for pin in pins if pin.library == "tensorflow"]
    return builds[0] if builds and all(re.match(_WITHOUT_GPU, text) for text in builds) else ""


def _is_too_new(tensorflow: _Known | None) -> bool:
    """Whether a TensorFlow that nothing names is not one of Keras 2."""
    return tensorflow is None or (not tensorflow.exact and tensorflow.version >= versions.KERAS_3_SINCE)


def stack_of(source: Source, settings: Settings) -> Stack:
    """The same of a source that is already text."""
    return infer_stack(settings, os.path.dirname(source.path), source.text.encode("utf-8", "replace"))


def _set(settings: Settings, library: str) -> _Known | None:
    text: str = getattr(settings, library)
    return _Known(versions.completed(text, _RELEASES[library]), "settings") if text else None


def _set_keras(settings: Settings, clues: Clues, tensorflow: _Known | None) -> _Known | None:
    """`keras = "2"` is the Keras 2 that belongs to the TensorFlow, if one is known."""
    known = _set(settings, "keras")
    if known is None or "." in settings.keras:
        return known
    beside = tensorflow.version if tensorflow else versions.NEWEST.tensorflow
    fitting = [versions.keras_of(tensorflow.version)] if tensorflow else []
    if tensorflow or clues.legacy:
        fitting.append(versions.legacy_keras_of(beside))
    version = next((version for version in fitting if version[0] == known.version[0]), known.version)
    return _Known(version, "settings")


def _tensorflow(settings: Settings, clues: Clues, pins: Iterable[Pin]) -> _Known | None:
    """What only TensorFlow 1 has outweighs a lower bound, not a pin nor bounds on both sides."""
    pinned = _pinned(pins, "tensorflow")
    if known := _set(settings, "tensorflow"):
        return known
    if clues.tensorflow_1 and (pinned is None or not pinned.exact) and not any(map(_excludes_1, pins)):
        return _Known((1, 15), clues.tensorflow_1)
    if pinned is None and clues.last and not clues.legacy and not clues.keras_3:
        return _Known(clues.last[0], f"assumed: the newest, as {clues.last[1]}", exact=False)
    return pinned


def _excludes_1(pin: Pin) -> bool:
    """Whether a requirement is for some releases of TensorFlow 2, `>=2.10,<2.16`, with which the program is run."""
    return pin.library == "tensorflow" and any(clause.operator in ("<", "<=", "~=", "==") for clause in pin.allowed) \
        and not any(release < (2,) for release in versions.allowed_releases(pin.allowed, versions.TENSORFLOW))


def _pinned(pins: Iterable[Pin], library: str) -> _Known | None:
    """An exact version if any file has one, else the newest that the first bound allows."""
    ours = [pin for pin in pins if pin.library == library and len(pin.allowed)]
    for pin in ours:
        if (exact := pin.exact) is not None:
            return _Known(exact, f"{pin.origin}: {pin.text}")
    for pin in ours:
        allowed = versions.allowed_releases(pin.allowed, _RELEASES[library])
        if len(allowed) == 1:
            return _Known(allowed[0], f"{pin.origin}: {pin.text}")
        if allowed:
            return _Known(allowed[0], f"assumed: the newest that {pin.origin} allows, {pin.text}", exact=False)
    return None


def _outweighs(known: _Known | None) -> bool:
    """Whether what the module uses says more than this: no version, or the newest that a bound allows."""
    return known is None or (not known.exact and known.version[0] >= 2)


def _of_tensorflow(clues: Clues, tensorflow: _Known | None) -> _Known | None:
    """What stands in tensorflow.python.keras of every TensorFlow since 2.7 is the Keras of 2.6, which was copied out to
    a package of its own; parts of it are gone in later ones."""
    if not clues.of_tensorflow or (tensorflow and tensorflow.version < (2, 6)):
        return None
    return _Known((2, 6), "assumed: the last in tensorflow.python.keras, which is imported", exact=False)


def _legacy(clues: Clues, pins: Iterable[Pin], tensorflow: _Known | None) -> _Known | None:
    """Keras 2 beside a TensorFlow that has Keras 3. A project that requires tf-keras and no keras means it by tf.keras
    too: TF_USE_LEGACY_KERAS may be set by whoever runs it.
    """
    if not clues.legacy and (clues.uses_keras or clues.keras_3 or _pinned(pins, "keras")
                             or (tensorflow and tensorflow.version < versions.KERAS_3_SINCE)):
        return None
    if not clues.legacy:
        return _pinned(pins, "tf_keras")
    beside = tensorflow.version if tensorflow else versions.NEWEST.tensorflow
    return _pinned(pins, "tf_keras") or _Known(versions.legacy_keras_of(beside), clues.legacy)


def _keras(clues: Clues, pins: Iterable[Pin], tensorflow: _Known | None) -> _Known | None:
    """The `keras` package where the module imports it, or no Keras itself, or TensorFlow has none; else tf.keras.

    TensorFlow before 2.16 installs a Keras of its own number, so that a bound on keras says nothing beside it.
    """
    pinned = _pinned(pins, "keras")
    if clues.keras_1 and _outweighs(pinned) and _outweighs(tensorflow):
        newest = (2, 2) if clues.keras_1 == OF_2_2 else (2, 3)
        return _Known(newest, f"assumed: the newest, as {clues.keras_1}", exact=False)
    bundled = tensorflow is not None and tensorflow.version < versions.KERAS_3_SINCE
    if pinned and (not bundled or (pinned.exact and (clues.uses_keras or clues.names_none))):
        return pinned
    if clues.keras_3:
        return _Known(versions.NEWEST.keras, f"{clues.keras_3}; assumed: the newest Keras 3", exact=False)
    if tensorflow is not None and bundled:
        return _Known(versions.keras_of(tensorflow.version), "tf.keras of this TensorFlow")
    return None
