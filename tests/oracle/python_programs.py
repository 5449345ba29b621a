"""Random programs of plain Python values, whose every run tells what the interpreter may claim of them.

Numbers, texts, lists, dicts and objects of small classes, changed through aliases, in branches on `coin()`, which
nobody knows, in loops that are left early, in functions, generators and closures, and where exceptions are handled.
"""

from __future__ import annotations

import re

from tests.oracle.python_expressions import Expressions

HEAD = '''\
from random import random
def coin():
    return random() < 0.5
def through(f):
    def g(*args, **kwargs):
        return f(*args, **kwargs)
    return g
'''
DEEPEST, LOOPS = 3, 2
"""How deep blocks nest, and loops in each other."""


class Program(Expressions):
    """One program; the same for the same seed."""

    def __init__(self, seed: int, statements: int = 14) -> None:
        super().__init__(seed)
        self.lines: list[str] = []
        self.classes: list[str] = []
        self.named = self.depth = self.loops = 0
        for _ in range(statements):
            self.statement()

    def __str__(self) -> str:
        return HEAD + "\n".join(self.lines) + "\n"

    def put(self, *lines: str) -> None:
        self.lines += ["    " * self.depth + line for line in lines]

    def name(self, kind: str) -> str:
        self.named += 1
        return f"{kind}{self.named}"

    def block(self, count: int = 0) -> None:
        """Statements of their own; what is bound in them need not be there afterwards."""
        held = (self.numbers, self.lists, self.dicts, self.texts, self.objects)
        marks = [len(names) for names in held]
        before = len(self.lines)
        self.depth += 1
        for _ in range(count or self.random.randint(1, 3)):
            self.statement()
        if len(self.lines) == before:
            self.put("pass")
        self.depth -= 1
        for names, mark in zip(held, marks, strict=True):
            del names[mark:]

    def statement(self) -> None:
        simple = [self.assign, self.assign, self.change_list, self.change_list, self.change_dict, self.alias]
        if self.classes:
            simple.append(self.change_object)
        if self.depth < DEEPEST:
            simple += [self.branch, self.branch, self.attempt]
            if self.loops < LOOPS:
                simple += [self.loop, self.turns]
        if self.depth == 0 and not self.inside:
            simple += [self.function, self.define_class]
        self.random.choice(simple)()

    def assign(self) -> None:
        if self.numbers and self.chance(0.2):
            self.put(f"{self.pick(self.numbers)} {self.pick(['=', '+=', '-='])} {self.number()}")
            return
        kinds = [(self.lists, "l", self.sequence), (self.texts, "s", self.text), (self.dicts, "d", self.mapping),
                 *[(self.numbers, "i", self.number)] * 3]
        names, letter, value = self.random.choice(kinds)
        made = self.name(letter)
        self.put(f"{made} = {value()}")
        names.append(made)

    def change_list(self) -> None:
        if self.lists:
            held, other = self.pick(self.lists), self.pick(self.lists)
            self.put(self.pick([
                f"{held}.append({self.number()})", f"{held}.extend({self.sequence()})",
                f"{held}.insert(0, {self.number()})",
                f"{held} += {self.sequence()}", f"{held}[:1] = {self.sequence()}", f"{held}.reverse()",
                f"{held}[:] = [q for q in {held} if q != {self.number(2)}]", f"{held}.clear()", f"del {held}[1:2]",
                f"{held}.pop() if {held} else None", f"({held} if coin() else {other}).append({self.number()})",
                f"{held} *= 2" if not self.loops else f"{held}.sort()"]))

    def change_dict(self) -> None:
        if self.dicts:
            held, other = self.pick(self.dicts), self.pick(self.dicts)
            self.put(self.pick([
                f"{held}[{self.text()}] = {self.number()}", f"{held}.update(a={self.number()})",
                f"{held}.pop({self.text()}, None)", f"{held}.setdefault({self.text()}, {self.number()})",
                f"{held} = {{**{held}, {self.text()}: {self.number()}}}", f"{held}.update({other})",
                f"({held} if coin() else {other})[{self.text(3)}] = {self.number()}"]))

    def alias(self) -> None:
        names, letter = self.random.choice([(self.lists, "l"), (self.dicts, "d")])
        if names:
            made = self.name(letter)
            self.put(f"{made} = {self.pick(names)}")
            names.append(made)

    def change_object(self) -> None:
        if not self.objects or self.chance(0.4):
            made = self.name("o")
            self.put(f"{made} = {self.pick(self.classes)}({self.number()})")
            self.objects.append(made)
            return
        held = self.pick(self.objects)
        self.put(self.pick([f"{held}.add({self.number()})", f"{held}.a = {self.number()}",
                            f"{held}.a += {self.number()}",
                            f"{held}.items.append({self.number()})", f"{held}.shared.append({self.number()})"]))

    def branch(self) -> None:
        self.put(f"if {self.condition()}:")
        self.block()
        if self.chance(0.3):
            self.put(f"elif {self.condition()}:")
            self.block()
        if self.chance(0.5):
            self.put("else:")
            self.block()

    def loop(self) -> None:
        """Over what the loop does not change."""
        self.loops += 1
        turn = self.name("v")
        over = self.pick([f"range({self.random.randint(0, 5)})", f"list({self.sequence(1)})",
                          f"range({self.number(2)} % 4)", f"reversed({self.sequence(1)}[:])"])
        if self.dicts and self.chance(0.2):
            self.put(f"for {self.name('k')}, {turn} in list({self.pick(self.dicts)}.items()):")
        else:
            self.put(f"for {turn} in {over}:")
        self.numbers.append(turn)
        if self.chance(0.3):
            self.put(f"    if {self.condition()}:", f"        {self.pick(['break', 'continue'])}")
        self.block()
        self.numbers.remove(turn)
        if self.chance(0.2):
            self.put("else:")
            self.block(1)
        self.loops -= 1

    def turns(self) -> None:
        """While a number is small."""
        self.loops += 1
        turn = self.name("w")
        more = self.pick(["", " and coin()", " and not coin()"])
        self.put(f"{turn} = 0", f"while {turn} < {self.random.randint(1, 5)}{more}:",
                 f"    {turn} += {self.pick('12')}")
        self.block()
        self.loops -= 1
        self.numbers.append(turn)

    def attempt(self) -> None:
        self.put("try:")
        self.depth += 1
        self.risk()
        self.depth -= 1
        self.block()
        self.put(self.pick(["except (KeyError, IndexError):", "except ValueError:", "except ZeroDivisionError:",
                            "except LookupError:"]))
        self.block()
        self.put("except Exception as error:")
        self.block(1)
        for last in ("else:", "finally:"):
            if self.chance(0.3):
                self.put(last)
                self.block(1)

    def risk(self) -> None:
        made = self.name("x")
        raised = self.pick(["ValueError(3)", "KeyError(3)", "IndexError"])
        self.put(self.pick([f"{made} = {self.sequence(1)}[{self.number(2)}]", f"{made} = {{'a': 1}}[{self.text(2)}]",
                            f"{made} = int({self.text(1)})", f"{made} = 10 // {self.number()}",
                            f"assert {self.condition()}, 'no'", f"if {self.condition()}: raise {raised}"]))

    def function(self) -> None:
        """A function, or a generator, of numbers; it may change a list and a number of the program."""
        made, count, yields = self.name("f"), self.random.randint(1, 3), self.chance(0.25)
        parameters = [f"p{i}" for i in range(count)]
        kept = self.numbers, self.lists, self.dicts, self.texts, self.objects, self.loops
        shared = [self.pick(names) for names in (self.lists, self.dicts) if names and self.chance(0.4)]
        if self.chance(0.2) and not yields:
            self.put("@through")
        defaults = [f"{each}={i}" for i, each in enumerate(parameters[1:])]
        self.put(f"def {made}({', '.join([parameters[0], *defaults])}):")
        self.depth, self.inside, start = self.depth + 1, True, len(self.lines)
        self.numbers, self.texts, self.objects, self.loops = list(parameters), [], [], 0
        self.lists = [each for each in shared if each in kept[1]]
        self.dicts = [each for each in shared if each in kept[2]]
        for _ in range(self.random.randint(1, 4)):
            self.statement()
            if self.chance(0.3):
                self.put(f"if {self.condition()}:", "    return" + ("" if yields else f" {self.number()}"))
            if yields and self.chance(0.6):
                self.put(f"yield {self.number()}")
        self.put(f"{'yield' if yields else 'return'} {self.number()}")
        for each in shared:
            if any(re.match(rf"\s*{each} ([+*])?= ", line) for line in self.lines[start:]):
                self.lines.insert(start, f"{'    ' * self.depth}global {each}")
        self.depth, self.inside = self.depth - 1, False
        self.numbers, self.lists, self.dicts, self.texts, self.objects, self.loops = kept
        if yields:
            self.generators.append(made)
        else:
            self.functions.append((made, count))

    def define_class(self) -> None:
        made, base = self.name("C"), self.pick(self.classes) if self.classes and self.chance(0.5) else ""
        self.put(f"class {made}{f'({base})' if base else ''}:", f"    k = {self.random.randint(1, 5)}",
                 "    def __init__(self, a):")
        if base:
            self.put(f"        super().__init__(a{self.pick([' + 1', ' * 2', ''])})", "        self.items.append(a)")
        else:
            self.put("        self.a = a", "        self.items = [a]")
        if self.chance(0.4):
            self.put("        if coin():", f"            self.a = {self.random.randint(0, 9)}")
        if not base or self.chance(0.5):
            added = self.pick(["self.items.append(x)", "self.a += x", "self.k = x", "type(self).k = x",
                               "self.shared.append(x)"])
            self.put("    def add(self, x):", f"        {added}", "        return self", "    def total(self):",
                     f"        return {self.pick(['sum(self.items)', 'self.a + self.k', 'len(self.shared)'])}")
        if not base:
            self.put("    shared = []", "    @property", "    def twice(self):", "        return self.a * 2")
        self.classes.append(made)
