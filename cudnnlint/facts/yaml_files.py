"""YAML as data: scalars, lists and mappings; tags that make objects, and aliases without end, are not followed."""

from __future__ import annotations

from typing import Any

from cudnnlint.source import disk
from cudnnlint.values import Unknown

MOST = 100_000
"""Keys and elements, aliases counted as often as they are used in merges."""
PLAIN = frozenset(f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float", "str"))


def load(text: str) -> Any:
    """The one document of a text; ImportError without PyYAML, which is not needed otherwise."""
    loader = disk.library("yaml").SafeLoader(text)
    try:
        node = loader.get_single_node()
        return _Reader(loader).data(node) if node is not None else None
    finally:
        loader.dispose()


class _Reader:
    """Composed nodes as plain data: a node that is used twice gives the same object twice."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader
        self.left = MOST
        self.known: dict[int, Any] = {}

    def data(self, node: Any) -> Any:
        if id(node) not in self.known:
            self.known[id(node)] = Unknown("an alias of what it is in")
            self.known[id(node)] = self._made(node)
        return self.known[id(node)]

    def _made(self, node: Any) -> Any:
        if node.id == "scalar":
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
