"""Whether a program gives names to objects of its own, which Keras then finds by them."""

from __future__ import annotations

from cudnnlint.interp.machine import Machine
from cudnnlint.interp.objects import ModuleV
from cudnnlint.source.source import Source

NAMED = "objects of the program's own have names"
"""In the state of a machine: a module that was imported gave them."""
SIGNS = ("custom_object", "register_keras_serializable", "CustomObjectScope", "tensorflow_addons", "keras_contrib",
         "efficientnet")
"""What a file says that does so, and libraries that do it as they are imported."""


def names_its_own(m: Machine) -> bool:
    return NAMED in m.state or _gives_names(m.frames[0].module.source) or _gives_names(m.frames[-1].module.source)


def note_names(m: Machine, module: ModuleV) -> None:
    """The module is imported: the names that it gives hold for the whole program."""
    if NAMED in module.state or (module.source is not None and _gives_names(module.source)):
        m.state[NAMED] = True


def _gives_names(source: Source) -> bool:
    return any(source.says(sign) for sign in SIGNS)
