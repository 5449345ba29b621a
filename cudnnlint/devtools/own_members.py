"""Writes the names that each layer of Keras and PyTorch has beyond what all of them have, read off the sources.

    python -m cudnnlint.devtools.own_members

Needs torch, keras and tf_keras installed; none of them is imported. The two Keras are taken together, and names that
are set by their text count as well: `register_buffer("running_mean", ...)`.
"""

from __future__ import annotations

import ast
import importlib.metadata
from collections.abc import Iterator
from pathlib import Path

from cudnnlint.devtools.members import names
from cudnnlint.facts.members import OWN

ROOMS = {"torch.nn": {"torch": "nn/modules"}, "keras.layers": {"keras": "src/layers", "tf_keras": "src/layers"}}
"""A module -> the packages whose classes it has, and where they are."""
ROOTS = frozenset({"Module", "Layer", "object"})
"""What all layers derive from, whose names are listed elsewhere."""

SETTERS = frozenset({"register_buffer", "register_parameter", "register_module", "add_module", "setattr"})


class Classes:
    """The classes of a package's sources by name: what each defines, and its bases."""

    def __init__(self, folder: Path) -> None:
        self.own: dict[str, set[str]] = {}
        self.bases: dict[str, set[str]] = {}
        for path in sorted(folder.rglob("*.py")):
            if not path.stem.endswith("_test"):
                for node in ast.walk(ast.parse(path.read_bytes())):
                    if isinstance(node, ast.ClassDef):
                        self._read(node)

    def _read(self, node: ast.ClassDef) -> None:
        self.own.setdefault(node.name, set()).update(names(node), _texts(node))
        self.bases.setdefault(node.name, set()).update(_last(base) for base in node.bases)

    def lineage(self, name: str) -> set[str]:
        """A class and all that it derives from, the roots left out."""
        found: set[str] = set()
        waiting = [name]
        while waiting:
            one = waiting.pop()
            if one not in found and one not in ROOTS and one in self.own:
                found.add(one)
                waiting += self.bases[one]
        return found

    def is_layer(self, name: str) -> bool:
        return any(ROOTS & self.bases[one] for one in self.lineage(name))

    def names(self, name: str) -> set[str]:
        return {each for one in self.lineage(name) for each in self.own[one] if not each.startswith("_")}


def _texts(node: ast.ClassDef) -> Iterator[str]:
    """`register_buffer("running_mean", ...)`, `setattr(self, "weight", ...)`, `__constants__ = ["in_features"]`."""
    for one in ast.walk(node):
        if (isinstance(one, ast.Call) and _last(one.func) in SETTERS) or (
                isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "__constants__"):
            for text in ast.walk(one):
                if isinstance(text, ast.Constant) and isinstance(text.value, str) and text.value.isidentifier():
                    yield text.value


def _last(base: ast.expr) -> str:
    """
    >>> _last(ast.parse("base_layer.Layer", mode="eval").body)
    'Layer'
    """
    return ast.unparse(base).rpartition(".")[2]


def gathered() -> str:
    """The file's text: a line on where it is from, then a class and its names a line."""
    versions, lines = [], []
    for room, packages in ROOMS.items():
        found: dict[str, set[str]] = {}
        for package, folder in packages.items():
            installed = importlib.metadata.distribution(package)
            versions.append(f"{package} {installed.version}")
            classes = Classes(Path(str(installed.locate_file(f"{package}/{folder}"))))
            for name in filter(classes.is_layer, classes.own):
                found.setdefault(name, set()).update(classes.names(name))
        lines += [f"{room}.{name}: {' '.join(sorted(found[name]))}\n" for name in sorted(found) if name[0] != "_"]
    return f"# {', '.join(versions)}\n" + "".join(lines)


if __name__ == "__main__":
    OWN.write_text(gathered(), encoding="utf-8")
