"""What is known of releases: which exist, and which cuDNN and Keras a TensorFlow comes with."""

from __future__ import annotations

import functools
from dataclasses import replace
from typing import TYPE_CHECKING

from cudnnlint.values import Stack
from cudnnlint.values.stack import Version, dotted, parse_version

if TYPE_CHECKING:
    from packaging.specifiers import SpecifierSet

NEWEST = Stack()

CUDNN: dict[Version, Version] = {
    (1, 0): (5, 1), (1, 1): (5, 1), (1, 2): (5, 1),
    (1, 3): (6, 0), (1, 4): (6, 0), (1, 5): (7, 0), (1, 6): (7, 0), (1, 7): (7, 0), (1, 8): (7, 0), (1, 9): (7, 0),
    (1, 10): (7, 0), (1, 11): (7, 0), (1, 12): (7, 0), (1, 13): (7, 4), (1, 14): (7, 4), (1, 15): (7, 4),
    (2, 0): (7, 4), (2, 1): (7, 6), (2, 2): (7, 6), (2, 3): (7, 6), (2, 4): (8, 0), (2, 5): (8, 1), (2, 6): (8, 1),
    (2, 7): (8, 1), (2, 8): (8, 1), (2, 9): (8, 1), (2, 10): (8, 1), (2, 11): (8, 1), (2, 12): (8, 6), (2, 13): (8, 6),
    (2, 14): (8, 7), (2, 15): (8, 9), (2, 16): (8, 9), (2, 17): (8, 9), (2, 18): (9, 3), (2, 19): (9, 3),
    (2, 20): (9, 3), (2, 21): (9, 3),
}
"""By TensorFlow release. tensorflow/docs, site/en/install/source.md: "Tested build configurations", Linux, GPU."""

TENSORFLOW = tuple(CUDNN)
CUDNN_RELEASES = tuple(sorted(set(CUDNN.values())))
KERAS = ((1, 2), (2, 0), (2, 1), (2, 2), (2, 3), (2, 4), *((2, minor) for minor in range(6, 16)),
         *((3, minor) for minor in range(NEWEST.keras[1] + 1)))
"""Minor releases of the `keras` package (pypi.org/project/keras/#history)."""
TF_KERAS = tuple((2, minor) for minor in range(15, NEWEST.tensorflow[1] + 1))
"""Minor releases of the `tf_keras` package (pypi.org/project/tf-keras/#history)."""
TORCH = ((0, 4), *((1, minor) for minor in range(14)), *((2, minor) for minor in range(NEWEST.torch[1] + 1)))
"""Minor releases of the `torch` package (pypi.org/project/torch/#history)."""
KERAS_3_SINCE = (2, 16)
"""tf.keras is Keras 3 since this TensorFlow (its release notes; `TF_USE_LEGACY_KERAS=1` asks for tf_keras)."""
_PATCHES = 21


def cudnn_of(tensorflow: Version) -> Version:
    """What a TensorFlow was tested with; the newest for one that is not in the table."""
    return CUDNN.get(tensorflow[:2], NEWEST.cudnn)


def keras_of(tensorflow: Version) -> Version:
    """`tf.keras` of a TensorFlow.

    Keras 2 is numbered by its TensorFlow, as its releases are since 2.6; TensorFlow 1 has the Keras 2 of 2.0
    (both call it 2.2.4-tf).
    """
    if tensorflow >= KERAS_3_SINCE:
        return NEWEST.keras
    return tensorflow[:2] if tensorflow >= (2,) else (2, 0)


def legacy_keras_of(tensorflow: Version) -> Version:
    """`tf_keras` beside a TensorFlow: the same number (tf_keras requires it)."""
    return tensorflow[:2] if tensorflow >= TF_KERAS[0] else keras_of(tensorflow)


def tensorflow_of(keras: Version) -> Version:
    """The newest TensorFlow that a Keras is for: Keras 2.6 to 2.15 have one each, older ones several."""
    if keras >= (3,):
        return NEWEST.tensorflow
    if keras >= (2, 6):
        return keras[:2]
    return (2, 4) if keras >= (2, 4) else (2, 0) if keras >= (2, 3) else (1, 15)


@functools.cache
def earlier(at: Stack = NEWEST, *, keras: bool, torch: bool) -> tuple[Stack, ...]:
    """Stacks before the one at hand, newest first: of Keras, TensorFlow and cuDNN, and of PyTorch, if asked for."""
    made = [replace(at, torch=release) for release in sorted(TORCH, reverse=True)[1:]] if torch else []
    if keras:
        made += [replace(at, keras=release) for release in sorted(KERAS, reverse=True)[1:] if release >= (3,)]
        made += [replace(at, keras=keras_of(release), tensorflow=release, cudnn=cudnn_of(release))
                 for release in sorted(TENSORFLOW, reverse=True) if release < KERAS_3_SINCE]
    return tuple(made)


def completed(text: str, releases: tuple[Version, ...]) -> Version:
    """A version as a person writes it: "3" is the newest Keras 3.

    >>> completed("3", ((2, 15), (3, 0), (3, 15)))
    (3, 15)
    """
    version = parse_version(text)
    if len(version) > 1:
        return version
    return max((release for release in releases if release[:1] == version), default=version)


@functools.lru_cache(maxsize=256)  # every file of a project asks the same
def allowed_releases(allowed: SpecifierSet, releases: tuple[Version, ...]) -> tuple[Version, ...]:
    """The known releases that a requirement allows, the newest first; if it allows none, the one that it names."""
    found = tuple(
        release for release in sorted(set(releases), reverse=True)
        if any(allowed.contains(f"{dotted(release[:2])}.{patch}", prereleases=True) for patch in range(_PATCHES)))
    if found:
        return found
    named = [parse_version(clause.version) for clause in allowed if clause.operator in ("==", "===", ">=", "~=", ">")]
    return (newest,) if (newest := max(named, default=())) else ()
