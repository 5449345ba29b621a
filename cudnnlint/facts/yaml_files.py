"""YAML as data: scalars, lists and mappings; tags that make objects, and aliases without end, are not followed."""

from __future__ import annotations

import re
from typing import Any

from cudnnlint.source import disk
from cudnnlint.values import Unknown

MOST = 100_000
"""Keys and elements, aliases counted as often as they are used in merges."""
PLAIN = frozenset(f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float", "str"))
EXPONENT = re.compile(r"[-+]?[0-9]+(?:_[0-9]+)*(?:\.[0-9_]*)?[eE][-+]?[0-9]+")
"""Numbers that PyYAML takes for texts, having no point or no sign of the exponent, and OmegaConf for numbers
(omegaconf/_yaml.py: get_yaml_loader)."""


def load(text: str, *, exponents: bool = False) -> Any:
    """The one document of a text; ImportError without PyYAML, which is not needed otherwise.

    exponents  whether `1e-3` is a number, as the loader of OmegaConf reads it, and those that programs are told so
    """
    loader = disk.library("yaml").SafeLoader(text)
    try:
        node = loader.get_single_node()
        return _Reader(loader, exponents=exponents).data(node) if node is not None else None
    finally:
        loader.dispose()


class _Reader:
    """Composed nodes as plain data: a node that is used twice gives the same object twice."""

    def __init__(self, loader: Any, *, exponents: bool) -> None:
        self.loader, self.exponents = loader, exponents
        self.left = MOST
        self.known: dict[int, Any] = {}

    def data(self, node: Any) -> Any:
        if id(node) not in self.known:
            self.known[id(node)] = Unknown("an alias of what it is in")
            self.known[id(node)] = self._made(node)
        return self.known[id(node)]

    def _made(self, node: Any) -> Any:
        if node.id == "scalar":
            if self.exponents and node.style is None and EXPONENT.fullmatch(node.value):
                return float(node.value)
            return self.loader.construct_object(node) if node.tag in PLAIN else Unknown(f"a value of {_tag(node.tag)}")
        if node.tag not in ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"):
            return Unknown(f"a value of {_tag(node.tag)}")
        if node.id == "sequence":
            self._count(len(node.value))
            return [self.data(item) for item in node.value]
        return self._mapping(node)

    def _mapping(self, node: Any) -> Any:
        merged: dict[Any, Any] = {}
        own: dict[Any, Any] = {}
        for key, value in node.value:
            self._count(1)
            if key.tag == "tag:yaml.org,2002:merge":
                self._merge(merged, self.data(value))
                continue
            name = self.data(key)
            own[name if isinstance(name, str | int | float | None) else str(name)] = self.data(value)
        return {**merged, **own}

    def _merge(self, into: dict[Any, Any], other: Any) -> None:
        """`<<: *base`, `<<: [*first, *second]`: the first that has a key wins."""
        for one in other if isinstance(other, list) else [other]:
            if isinstance(one, dict):
                self._count(len(one))
                into.update({key: value for key, value in one.items() if key not in into})

    def _count(self, more: int) -> None:
        self.left -= more
        if self.left < 0:
            raise ValueError("too many elements")


def _tag(tag: str) -> str:
    """
    >>> _tag("tag:yaml.org,2002:timestamp")
    'YAML type timestamp'
    """
    return f"YAML type {tag.rpartition(':')[2]}" if tag.startswith("tag:yaml.org") else f"tag {tag}"
