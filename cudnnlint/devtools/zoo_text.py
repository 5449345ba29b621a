"""Graphs of keras.applications as the compact text that cudnnlint.facts.applications reads."""

from __future__ import annotations

import json
import re
from typing import Any

from cudnnlint.devtools.zoo_graph import Graph
from cudnnlint.interp.layers import snake

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

    def text(self, rows: Graph) -> str:
        words: list[str] = []
        last = ""
        for row in rows:
            name, numbers = row["name"], ""
            if row["number"] is not None:
                numbers = str(row["number"])
            else:
                numbers = ",".join(re.findall(NUMBER, name))
                name = re.sub(NUMBER, "#", name)
            kind = self.kinds.setdefault(json.dumps([row["kind"], name, row["arguments"]]), len(self.kinds))
            given = f":{numbers}" if numbers and numbers != last else ""
            last = numbers or last
            words.append(f"{kind}{given}" + ("" if row["inputs"] == [1] else "<" + ",".join(map(str, row["inputs"]))))
        return " ".join(words)

    def packed(self, found: dict[str, Any]) -> dict[str, Any]:
        return {**found, "body": self.text(found["body"]),
                "heads": {name: self.text(rows) for name, rows in found["heads"].items()},
                "stems": {name: [count, self.text(rows)] for name, (count, rows) in found["stems"].items()}}


def share(models: dict[str, Any]) -> None:
    """Keras 2's graph is written "=" where it is that of Keras 3."""
    for name, found in models.get("2", {}).items():
        other = models.get("3", {}).get(name, {})
        for part in ("body", "heads", "stems", "minimalistic"):
            if part in found and found[part] == other.get(part):
                found[part] = "="


