"""Graphs of keras.applications as the compact text that cudnnlint.facts.applications reads."""

from __future__ import annotations

import json
import re
from typing import Any

from cudnnlint.devtools.zoo_graph import Graph
from cudnnlint.interp.keras.layers import snake

PLACEHOLDERS = {1007: "$classes", "tanh": "$activation", 0.4321: "$dropout"}
"""What stands in a graph for an argument of the call -> its placeholder."""
NUMBER = r"\d+[a-z]?(?=[_/]|$)"
"""The parts of a name that count: conv4_block6_2_bn, block6d_expand_conv."""


class Names:
    """Tells the names that Keras numbers, and those that begin with the model's, from the fixed ones."""

    def __init__(self, model: str, first: list[str], again: list[str]) -> None:
        self.model = model
        self.numbered = {one for one, other in zip(first, again, strict=True) if one != other}
        self.fixed = set(first) - self.numbered
        self.pads: dict[str, str] = {}

    def of(self, row: dict[str, Any]) -> dict[str, Any]:
        """The row with `*prefix` and a number, or "$" for the model's name."""
        name, number = row["name"], None
        if name in self.pads:
            row["arguments"] = {"padding": self.pads[name]}
        counted = name in self.numbered or \
            (name not in self.fixed and re.fullmatch(rf"{snake(row['class'])}(_\d+)?", name))
        if row["kind"] == "InputLayer":
            name, number = "*input", 0
        elif counted and (head := re.fullmatch(r"(\d+)(_?head_\w+)", name)):  # regnet.py: Head without a name
            name, number = f"*?{head[2]}", int(head[1]) - 1
        elif counted and (match := re.fullmatch(r"(.+?)(?:_(\d+))?", name)):
            name, number = f"*{match[1]}", int(match[2] or 0)
        else:
            name = self.own(name)
        if "layers" in row["arguments"]:
            row["arguments"] = {"layers": [[kind, self.own(inner), arguments]
                                           for kind, inner, arguments in row["arguments"]["layers"]]}
        return {**row, "name": name, "number": number}

    def own(self, name: str) -> str:
        return f"${name[len(self.model):]}" if re.match(rf"{re.escape(self.model)}(_|head)", name) else name


def marked(row: dict[str, Any]) -> dict[str, Any]:
    def mark(value: Any) -> Any:
        if isinstance(value, list):
            return [mark(item) for item in value]
        return PLACEHOLDERS.get(value, value) if isinstance(value, int | float | str) else value

    return {**row, "arguments": {key: mark(value) for key, value in row["arguments"].items()}}


class Packer:
    """Graphs as the text that cudnnlint.facts.applications reads; kinds of layers numbered as they come."""

    def __init__(self) -> None:
        self.kinds: dict[str, int] = {}

    def numbered(self, row: dict[str, Any], name: str, last: dict[int, str]) -> str:
        """The number of the kind, and the values in it where they are others than those of the kind's last layer."""
        values = {key: value for key, value in row["arguments"].items()
                  if key in VALUES and isinstance(value, int | float)}
        arguments = {key: "#" if key in values else value for key, value in row["arguments"].items()}
        kind = self.kinds.setdefault(json.dumps([row["kind"], name, arguments]), len(self.kinds))
        text = ",".join(map(json.dumps, values.values()))
        if text == last.get(kind, ""):
            return str(kind)
        last[kind] = text
        return f"{kind}={text}"

    def text(self, rows: Graph) -> str:
        words: list[str] = []
        last = ""
        values: dict[int, str] = {}
        for row in rows:
            name, numbers = row["name"], ""
            if row["number"] is not None:
                numbers = str(row["number"])
            else:
                numbers = ",".join(re.findall(NUMBER, name))
                name = re.sub(NUMBER, "#", name)
            kind = self.numbered(row, name, values)
            given = f":{numbers}" if numbers and numbers != last else ""
            last = numbers or last
            words.append(f"{kind}{given}" + ("" if row["inputs"] == [1] else "<" + ",".join(map(str, row["inputs"]))))
        return " ".join(words)

    def packed(self, found: dict[str, Any]) -> dict[str, Any]:
        return {**found, "body": self.text(found["body"]),
                "heads": {name: self.text(rows) for name, rows in found["heads"].items()},
                "stems": {name: [count, self.text(rows)] for name, (count, rows) in found["stems"].items()}}


VALUES = ("filters", "units", "groups", "rate", "projection_dim", "drop_path_rate")
"""Arguments that stand in the text: "#" in the kind."""
PARTS = ("body", "heads", "stems", "minimalistic")


def share(models: dict[str, Any]) -> dict[str, int]:
    """Write Keras 2's graphs as "=" where they are those of Keras 3 but for the kinds of some layers.

    What comes back is which kinds of Keras 2 stand for which of Keras 3.
    """
    swaps: dict[str, int] = {}
    for name, found in models.get("2", {}).items():
        for part in PARTS:
            other = models.get("3", {}).get(name, {}).get(part)
            if part in found and other is not None and (more := swapped(other, found[part], swaps)) is not None:
                swaps.update(more)
                found[part] = "="
    return swaps


def swapped(new: Any, old: Any, known: dict[str, int]) -> dict[str, int] | None:
    """The kinds by which two parts differ, consistent with those `known`; None if they differ otherwise."""
    if isinstance(new, dict) and isinstance(old, dict) and new.keys() == old.keys():
        return swapped([new[key] for key in new if key not in OF_EACH], [old[key] for key in new if key not in OF_EACH],
                       known)
    if isinstance(new, list) and isinstance(old, list) and len(new) == len(old):
        found: dict[str, int] | None = {}
        for one, other in zip(new, old, strict=True):
            found = None if found is None else _with(found, swapped(one, other, {**known, **found}))
        return found
    if not isinstance(new, str) or not isinstance(old, str):
        return {} if new == old else None
    return _words(new.split(), old.split(), known)


OF_EACH = ("name", "default", "min", "open", "signature")
"""What a record says besides graphs."""


def _with(found: dict[str, int], more: dict[str, int] | None) -> dict[str, int] | None:
    return None if more is None else {**found, **more}


def _words(new: list[str], old: list[str], known: dict[str, int]) -> dict[str, int] | None:
    found: dict[str, int] = {}
    if len(new) != len(old):
        return None
    for one, other in zip(new, old, strict=True):
        kind, theirs = re.match(r"\d+", one), re.match(r"\d+", other)
        if kind is None or theirs is None or one[kind.end():] != other[theirs.end():]:
            return None
        if {**known, **found}.get(kind[0], int(theirs[0])) != int(theirs[0]):
            return None
        found[kind[0]] = int(theirs[0])
    return found
