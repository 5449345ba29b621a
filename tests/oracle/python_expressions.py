"""Random expressions of plain Python values, over the names that a program has so far."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

TEXTS = ("a", "b", "c", "dd", "e_f")


class Expressions:
    """Texts of expressions; the same for the same seed.

    inside  they stand in a function, which calls no other
    """

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.numbers: list[str] = []
        self.lists: list[str] = []
        self.dicts: list[str] = []
        self.texts: list[str] = []
        self.objects: list[str] = []
        self.functions: list[tuple[str, int]] = []
        self.generators: list[str] = []
        self.inside = False

    def pick(self, options: Sequence[str]) -> str:
        return self.random.choice(options)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def number(self, depth: int = 0) -> str:
        """An expression that gives an int, or fails as a division by zero does."""
        if depth > 2 or self.chance(0.25):
            return self.pick([str(self.random.randint(-3, 9)), *self.numbers[-3:]])

        def inner() -> str:
            return self.number(depth + 1)

        options: list[Callable[[], str]] = [
            lambda: f"({inner()} {self.pick('+-*&|^')} {inner()})",
            lambda: f"({inner()} {self.pick(['//', '%'])} {inner()})",
            lambda: f"({inner()} if {self.condition(depth + 1)} else {inner()})", lambda: f"abs({inner()})",
            lambda: f"{self.pick(['min', 'max'])}({inner()}, {inner()})",
            lambda: f"next((q for q in {self.sequence(depth + 1)} if q > {inner()}), -1)"]
        if self.numbers:
            options += [lambda: self.pick(self.numbers)] * 4
        if self.lists:
            options += [lambda: f"len({self.pick(self.lists)})", lambda: f"sum({self.pick(self.lists)})",
                        lambda: f"({self.pick(self.lists)} or [7])[{self.pick(['0', '-1'])}]"]
        if self.dicts:
            options += [lambda: f"{self.pick(self.dicts)}.get({self.text(depth + 1)}, {inner()})",
                        lambda: f"len({self.pick(self.dicts)})"]
        if self.objects:
            options.append(lambda: f"{self.pick(self.objects)}.{self.pick(['a', 'total()', 'twice', 'k'])}")
        if self.functions and not self.inside:
            options.append(lambda: self.called(depth + 1))
        return self.random.choice(options)()

    def text(self, depth: int = 0) -> str:
        if depth > 2 or self.chance(0.4):
            return self.pick([*map(repr, TEXTS), *self.texts[-3:]])
        changed = self.pick(["upper()", "title()", "strip()", 'replace("a", "b")', 'split("_")[0]', "zfill(4)"])
        options: list[Callable[[], str]] = [
            lambda: f'f"{{{self.number(3)}}}_x"', lambda: f"({self.text(depth + 1)} + {self.text(depth + 1)})",
            lambda: f"{self.text(depth + 1)}.{changed}", lambda: f"str({self.number(depth + 1)})"]
        return self.random.choice(options)()

    def condition(self, depth: int = 0) -> str:
        if depth > 2 or self.chance(0.3):
            return "coin()"
        compared = self.pick(["<", ">", "==", "!=", "<=", ">="])
        options: list[Callable[[], str]] = [
            *[lambda: f"{self.number(depth + 1)} {compared} {self.number(depth + 1)}"] * 3,
            lambda: f"not {self.condition(depth + 1)}",
            lambda: f"any(v > {self.number(depth + 1)} for v in {self.sequence(depth + 1)})",
            lambda: f"({self.condition(depth + 1)} {self.pick(['and', 'or'])} {self.condition(depth + 1)})"]
        if self.dicts:
            options.append(lambda: f"{self.text(depth + 1)} in {self.pick(self.dicts)}")
        if self.lists:
            options += [lambda: f"{self.number(depth + 1)} {self.pick(['in', 'not in'])} {self.pick(self.lists)}",
                        lambda: self.pick(self.lists)]
        return self.random.choice(options)()

    def sequence(self, depth: int = 0) -> str:
        """An expression that gives a list of ints."""
        def inner() -> str:
            return self.sequence(depth + 1)

        options: list[Callable[[], str]] = [
            lambda: "[" + ", ".join(self.number(depth + 1) for _ in range(self.random.randint(0, 4))) + "]",
            lambda: f"list(range({self.random.randint(0, 6)}))"]
        if depth < 3:
            kept = self.pick(["", " if q > 2", " if coin()"])
            options += [lambda: f"[{self.pick(['q', 'q * 2', 'q + 1'])} for q in {inner()}{kept}]",
                        lambda: f"sorted({inner()}{self.pick(['', ', reverse=True', ', key=lambda q: -q'])})",
                        lambda: f"({inner()} + {inner()})",
                        lambda: f"{inner()}[{self.pick(['1:', '::-1', ':2', ':-1'])}]",
                        lambda: f"[p + q for p, q in zip({inner()}, {inner()})]"]
        if self.lists:
            options += [lambda: self.pick(self.lists)] * 2
        if self.dicts:
            options.append(lambda: f"list({self.pick(self.dicts)}.values())")
        if self.generators and not self.inside:
            options.append(lambda: f"list({self.pick(self.generators)}({self.number(depth + 1)}))")
        return self.random.choice(options)()

    def called(self, depth: int = 0) -> str:
        name, most = self.random.choice(self.functions)
        return f"{name}({', '.join(self.number(depth + 1) for _ in range(self.random.randint(1, most)))})"

    def mapping(self) -> str:
        shown = ", ".join(f"{self.text(2)}: {self.number(2)}" for _ in range(self.random.randint(0, 3)))
        return self.pick([f"{{{shown}}}", f"{{str(q): q for q in {self.sequence(1)}}}",
                          f"dict(zip('abc', {self.sequence(1)}))", f"dict(a={self.number()}, b={self.number()})"])
