"""Libraries of configuration objects: easydict, addict, munch, box, ml_collections, yacs, OmegaConf."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.frameworks.configs.files import loaded
from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.attribute_dicts import AttrDictV, made, opened
from cudnnlint.interp.heap import DictV
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.machine import Machine, assumptions_of, plain
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown
from cudnnlint.values.assumption import Assumptions

CLASSES = ("easydict.EasyDict", "munch.Munch", "munch.DefaultMunch", "munch.munchify", "munch.Munch.fromDict",
           "attrdict.AttrDict", "attrdict.AttrMap", "box.Box", "dotmap.DotMap", "prodict.Prodict",
           "ml_collections.ConfigDict", "ml_collections.FrozenConfigDict", "ml_collections.config_dict.ConfigDict",
           "ml_collections.config_dict.create", "ml_collections.config_dict.FrozenConfigDict",
           "yacs.config.CfgNode")


@FRAMEWORK.on(*CLASSES)
def attribute_dict(c: Call) -> Any:
    if c.args and not isinstance(plain(c.args[0]), DictV | None):
        return Unknown("a configuration made of what is not known")
    return made(c, AttrDictV)


@FRAMEWORK.on("addict.Dict")
def growing_dict(c: Call) -> Any:
    return made(c, lambda items, unknown: AttrDictV(items, unknown, grows=True))


@FRAMEWORK.on(*(f"attrdict.AttrDict.{name}" for name in ("clone", "copy", "deepcopy", "copy_and_resolve_references")))
def clone(c: Call) -> Any:
    held = plain(c.receiver)
    return opened(held, held.like) if isinstance(held, AttrDictV) else Unknown("a copy")


@FRAMEWORK.on("attrdict.AttrDict.to_dict", "attrdict.AttrDict.toDict", "attrdict.AttrDict.as_dict",
              "omegaconf.OmegaConf.to_container")
def to_dict(c: Call) -> Any:
    held = plain(c.args[0] if c.receiver is None and c.args else c.receiver)
    return opened(held, DictV) if isinstance(held, DictV) else Unknown("a dict")


@FRAMEWORK.on(*(f"attrdict.AttrDict.{name}" for name in ("freeze", "defrost", "set_new_allowed")))
def nothing(c: Call) -> Any:
    """What only guards against changes."""
    return


@FRAMEWORK.on("attrdict.AttrDict.lock", "attrdict.AttrDict.unlock")
def itself(c: Call) -> Any:
    """ml_collections/config_dict/config_dict.py: ConfigDict.lock"""
    return c.receiver


@FRAMEWORK.on("attrdict.AttrDict.merge_from_file")
def merge_from_file(c: Call) -> Any:
    """yacs/config.py: CfgNode._decode_cfg_value, which has Python read the texts."""
    read = loaded(c.machine, c.get(0, "cfg_filename"), "YAML", by_path=True)
    _merge(c.machine, plain(c.receiver), _decoded(read))


def _decoded(value: Any) -> Any:
    held = plain(value)
    if isinstance(held, DictV):
        return DictV({key: _decoded(item) for key, item in held.items.items()}, held.unknown)
    return _read(value)


@FRAMEWORK.on("attrdict.AttrDict.merge_from_other_cfg", "attrdict.AttrDict.update_from_flattened_dict")
def merge_from_other(c: Call) -> Any:
    flat = c.path.endswith("dict")
    _merge(c.machine, plain(c.receiver), Unknown("flattened keys") if flat else c.get(0, "cfg_other"))


def _merge(m: Machine, into: Any, other: Any) -> None:
    """Key by key, dicts within likewise; with something unknown nothing is certain any more."""
    held = plain(other)
    if not isinstance(into, AttrDictV):
        return
    if not isinstance(held, DictV) or held.unknown:
        _forget(m, into, held)
        return
    for key, value in held.items.items():
        inner = plain(into.items.get(key))
        if isinstance(inner, AttrDictV) and isinstance(plain(value), DictV):
            _merge(m, inner, value)
        else:
            m.set_item(into, key, opened(value, into.like))


def _forget(m: Machine, into: AttrDictV, why: Any) -> None:
    m.heap.touch(into)
    into.unknown = Unknown(getattr(why, "why", "") or "merged with what is not known")
    for value in into.items.values():
        if isinstance(plain(value), AttrDictV):
            _forget(m, plain(value), why)


@FRAMEWORK.on("attrdict.AttrDict.merge_from_list")
def merge_from_list(c: Call) -> Any:
    """["MODEL.DEPTH", 5, ...]; texts are values as Python writes them."""
    held = plain(c.receiver)
    found = elements(c.machine, c.get(0, "cfg_list"))
    if not isinstance(held, AttrDictV):
        return
    if isinstance(found, Unknown):
        _forget(c.machine, held, found)
        return
    for key, value in zip(found[::2], found[1::2], strict=False):
        _set(c.machine, held, plain(key), _read(value))


def _read(value: Any) -> Any:
    text = plain(value)
    if not isinstance(text, str):
        return value
    try:
        read = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return value
    return _resting(read, assumptions_of(value))


def _resting(value: Any, assumptions: Assumptions) -> Any:
    from cudnnlint.interp.convert import wrap
    from cudnnlint.interp.machine import assume

    return assume(wrap(value), assumptions)


def _set(m: Machine, into: AttrDictV, key: Any, value: Any) -> None:
    *parents, last = key.split(".") if isinstance(key, str) else [None]
    for name in parents:
        inner = plain(into.items.get(name))
        if not isinstance(inner, AttrDictV):
            break
        into = inner
    else:
        if last is not None:
            m.set_item(into, last, value)
            return
    _forget(m, into, Unknown("a key that is not known"))
