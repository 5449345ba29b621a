"""Whether a program gives names to objects of its own, which Keras then finds by them."""

from __future__ import annotations

from cudnnlint.interp.machine import Machine

SIGNS = ("custom_object", "register_keras_serializable", "CustomObjectScope", "tensorflow_addons", "keras_contrib",
         "efficientnet")
"""What a file says that does so, and libraries that do it as they are imported."""


def names_its_own(m: Machine) -> bool:
    return any(sign in frame.module.source.text for frame in (m.frames[0], m.frames[-1]) for sign in SIGNS)
