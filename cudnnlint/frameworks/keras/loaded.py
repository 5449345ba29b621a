"""Models that are loaded from a file that the same program saved: what load_model() has to know to make them again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cudnnlint.facts.project import package_root
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.frameworks.keras.remade import tell_of_remade
from cudnnlint.frameworks.training.model_views import holder_of
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.parts import walk_parts
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import BoundV, ClassV, FunctionV, InstanceV
from cudnnlint.interp.refusals import of_line, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.source import Span
from cudnnlint.values import EVERYWHERE, Mismatch, Problem, Unknown, Where
from cudnnlint.values.unknown import Ending

KEPT = "models saved"
OPEN = "objects registered"
"""Set once the program tells Keras of its classes and functions, or lets it run what is in a file."""
HDF5 = (".h5", ".hdf5")
NAMED = ("activation", "recurrent_activation", "kernel_initializer", "bias_initializer", "kernel_regularizer",
         "bias_regularizer", "activity_regularizer", "kernel_constraint", "embeddings_initializer")
SHORT = frozenset({"mse", "mae", "mape", "msle", "kld", "MSE", "MAE", "MAPE", "MSLE", "KLD"})
"""Names of losses that a legacy file keeps as they are written, and that Keras 3 looks for among its objects
(keras/src/legacy/saving/saving_utils.py: compile_args_from_training_config; run with 3.3, 3.9 and 3.15)."""
NOT_FOUND = ('ValueError "Unknown layer" or "Unknown loss function", TypeError "Could not locate class", "Could not '
             'locate function" or "could not be deserialized properly"')
ADVICE = "decorate it with @keras.saving.register_keras_serializable(), or hand it to load_model() in custom_objects{}"


KERAS = frozenset({"keras", "keras_hub", "keras_cv", "keras_nlp"})
"""Packages of which load_model() imports modules by itself (keras/src/saving/serialization_lib.py:
_retrieve_class_or_fn)."""


def saved(m: Machine, model: Any, path: Any) -> None:
    """A whole model is in a file now; the folders of Keras 2 hold the layers' code as well."""
    if name_of(path).endswith((".keras", *HDF5)):
        m.state.setdefault(KEPT, {})[_key(path)] = plain(model), getattr(holder_of(model), "compiled", None), path


def name_of(path: Any) -> str:
    """Of a file, or the end of it, if no more is known."""
    return path if isinstance(path, str) else path.end if type(path) is Ending else ""


def _key(path: Any) -> Any:
    """Text of which only the end is known is the same where it is the same object."""
    return path if isinstance(path, str) else id(path)


@FRAMEWORK.on("keras.config.enable_unsafe_deserialization", *(
    f"keras.{module}.{name}" for module in ("utils", "saving", "utils.generic_utils", "saving.object_registration")
    for name in ("get_custom_objects", "custom_object_scope", "CustomObjectScope")))
def opened(c: Call) -> Any:
    c.machine.state[OPEN] = True
    return Unknown("objects that Keras is told of")


def tell_of_loaded(c: Call) -> None:
    """What load_model() does not find of a saved model (keras/src/saving/saving_api.py: load_model)."""
    m, path = c.machine, plain(c.get(0, "filepath"))
    kept = m.state.get(KEPT, {}).get(_key(path)) if name_of(path) else None
    if kept is None or m.trying:
        return
    told = OPEN in m.state or "**" in c.kwargs or plain(c.get(1, "custom_objects")) is not None
    compiled = kept[1] if plain(c.get(2, "compile", True)) is True else None
    trusted = plain(c.get(3, "safe_mode", True)) is not True
    wrong = None if told else next(_unknown(c.span, kept[0], compiled, name_of(path), trusted), None)
    if wrong is not None:
        refuse(m, c.span, wrong, what="load_model", stage="load_model")
    else:
        tell_of_remade(m, kept[0], c.span)


def _unknown(span: Span, model: Any, compiled: dict[str, Any] | None, path: str, trusted: bool) -> Iterator[Mismatch]:
    """What the file names that Keras cannot find again."""
    for part in walk_parts(model, enters=lambda held: not isinstance(held, InstanceV)):  # which its class makes anew
        if isinstance(part, InstanceV) and _is_bare(part.cls):
            yield _not_found(f"the {'model' if part is model else 'layer'} {part.cls.name}")
        elif isinstance(part, LayerV) and part.path == "keras.layers.Lambda":
            if path.endswith(".keras") and not trusted and isinstance(plain(part.arguments.get("function")), FunctionV):
                yield Mismatch(
                    Problem.UNREGISTERED, f"the Lambda{of_line(span, part.span)} has a function, which is not run out "
                    "of a file", help="safe_mode=False, if the file is your own; or a registered layer in its place",
                    error='ValueError "Requested the deserialization of a `Lambda` layer"')
        elif isinstance(part, LayerV) and part.path.startswith("keras.layers."):
            for name in NAMED:
                if _is_bare(held := plain({**part.base, **part.arguments}.get(name))):
                    yield _not_found(f"the {name} {_name(held)} of {part.display}")
    yield from _of_compile(compiled or {}, path)


def _of_compile(compiled: dict[str, Any], path: str) -> Iterator[Mismatch]:
    for what in ("loss", "metrics", "weighted_metrics"):
        for held in map(plain, _leaves(strip(compiled.get(what)))):
            if _is_bare(held):
                yield _not_found(f"the {what.removesuffix('s') if what != 'loss' else what} {_name(held)}",
                                 "; compile=False leaves it out")
            elif what == "loss" and isinstance(held, str) and held in SHORT and path.endswith(HDF5):
                yield Mismatch(
                    Problem.UNREGISTERED, f"an HDF5 file keeps {held!r} as a name that Keras 3 does not find",
                    help="save it in a .keras file; or load_model(..., compile=False), and compile it again",
                    error=f'TypeError "Could not locate function \'{held}\'" or ValueError "Could not deserialize '
                          f'\'keras.metrics.{held}\'"', where=Where(keras=">=3"))


def _leaves(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [leaf for part in value for leaf in _leaves(part)]
    return [leaf for part in value.values() for leaf in _leaves(part)] if isinstance(value, dict) else [value]


def _is_bare(value: Any) -> bool:
    """Whether it is of the program's own, and no decorator may have registered it."""
    held = value.function if isinstance(value, BoundV) else value.cls if isinstance(value, InstanceV) else value
    node = held.node if isinstance(held, FunctionV | ClassV) else None
    if isinstance(held, ClassV) and not (held.external_base() or "").startswith("keras."):
        return False
    if node is not None and package_root(held.module.path)[1].partition(".")[0] in KERAS:
        return False
    return node is not None and not getattr(node, "decorator_list", None)


def _name(value: Any) -> str:
    return str(value.cls.name if isinstance(value, InstanceV) else getattr(value, "name", "") or "lambda")


def _not_found(what: str, more: str = "") -> Mismatch:
    return Mismatch(Problem.UNREGISTERED, f"{what} is not registered, and load_model() does not find it",
                    help=ADVICE.format(more), error=NOT_FOUND, where=EVERYWHERE)


__all__ = ["saved", "tell_of_loaded"]
