"""What the models of keras.applications are made of, as recorded from real Keras by `cudnnlint.devtools.zoo`.

One JSON file a module of keras.applications, read when one of its models is first called. A file holds a table of
kinds of layers, `[class, name, arguments]`, and each graph as text: one word a layer, in Keras' own order.

    12=256:4,6,1<1,10    kind 12, "conv#_block#_#_conv" with 4, 6 and 1, {"filters": "#"} with 256, made from the layers
                         1 and 10 places before

What a word leaves out is as in the word before (the numbers), in the last word of its kind (the arguments), or the
layer before (the inputs). A name that starts with `*` is one that Keras numbers itself; its number counts those of one
model, from 0. "$" stands for the model's name, and the arguments "$classes", "$activation", "$dropout" for those of the
call. A graph of Keras 2 that is "=" is that of Keras 3 with some kinds replaced by those that "swaps" names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from cudnnlint.records import record

FOLDER = Path(__file__).parent


@record(frozen=True, slots=True)
class Row:
    """One layer of a graph.

    kind     class name in keras.layers; "+" and "*" for arithmetic of tensors
    name     "" where Keras gives it a name: then `prefix` and `number` make it
    inputs   how many rows before this one its inputs stand
    """

    kind: str
    name: str
    number: int
    arguments: Mapping[str, Any]
    inputs: tuple[int, ...]

    @property
    def is_numbered(self) -> bool:
        return self.number >= 0


@record(frozen=True, slots=True)
class Family:
    """The models of one module and one generation of Keras.

    shared  (model, part) whose graphs are those of Keras 3, to be read with `swapped` instead of `kinds`
    """

    version: str
    kinds: Sequence[Any]
    swapped: Sequence[Any]
    models: Mapping[str, Mapping[str, Any]]
    shared: frozenset[tuple[str, str]]

    def rows(self, model: str, part: str, text: str) -> tuple[Row, ...]:
        """The graph that `text` stands for, found in this part ("body", "heads" ...) of the model's record."""
        return tuple(_rows(self.swapped if (model, part) in self.shared else self.kinds, text.split()))


@lru_cache(maxsize=8)
def family(module: str, generation: int) -> Family | None:
    """The recorded models of keras.applications.<module>, None if there are none."""
    path = FOLDER / f"{module}.json"
    if not path.is_file():
        return None
    data = json.loads(path.read_text(encoding="utf-8"))
    models, newer = data["models"].get(str(generation)), data["models"].get("3", {})
    if models is None:
        return None
    kinds = data["kinds"]
    swapped = [kinds[data["swaps"].get(str(place), place)] for place in range(len(kinds))]
    shared = frozenset((name, part) for name, found in models.items() for part, text in found.items() if text == "=")
    whole = {name: {part: newer[name][part] if text == "=" else text for part, text in found.items()}
             for name, found in models.items()}
    return Family(data["keras"][str(generation)], kinds, swapped, whole, shared)


def _rows(kinds: Sequence[Any], words: Sequence[str]) -> Iterator[Row]:
    numbers: tuple[str, ...] = ()
    values: dict[str, list[Any]] = {}
    for word in words:
        head, mark, inputs = word.partition("<")
        head, _, given = head.partition(":")
        kind, _, own = head.partition("=")
        if own:
            values[kind] = json.loads(f"[{own}]")
        numbers = tuple(given.split(",")) if given else numbers
        label, name, listed = kinds[int(kind)]
        arguments = _filled(listed, values.get(kind, []))
        back = tuple(map(int, inputs.split(","))) if inputs else () if mark else (1,)
        if name.startswith("*"):
            yield Row(label, name[1:], int(numbers[0]), arguments, back)
        else:
            parts = name.split("#")
            filled = parts[0] + "".join(number + part for number, part in zip(numbers, parts[1:], strict=False))
            yield Row(label, filled, -1, arguments, back)


def _filled(arguments: Mapping[str, Any], values: Sequence[Any]) -> dict[str, Any]:
    left = iter(values)
    return {key: next(left) if value == "#" else tupled(value) for key, value in arguments.items()}


def tupled(value: Any) -> Any:
    """JSON's lists as the tuples that they were."""
    if isinstance(value, list):
        return tuple(tupled(item) for item in value)
    if isinstance(value, dict):
        return {key: tupled(item) for key, item in value.items()}
    return value
