"""Files that programs read their numbers from: open, json, yaml, toml and configparser over files of the project.

Each value that is read rests on the file: `image_size = 224 (config.json, key model.image_size)`.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cudnnlint.facts.data_files import DEEPEST, locate, parse, read_file
from cudnnlint.frameworks.configs.texts import FileV
from cudnnlint.frameworks.python.paths import PathV, lost, text_of
from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.frameworks.python.written_files import WrittenV, text_written
from cudnnlint.interp.builtin.functions import BUILTINS
from cudnnlint.interp.heap import DictV, ListV, TableV
from cudnnlint.interp.machine import Machine, assume, plain
from cudnnlint.interp.objects import MISSING, BuiltinV, ClassV, External, FunctionV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Assumption, Unknown
from cudnnlint.values.assumption import NONE, Assumptions

UTF_8 = frozenset({"utf-8", "utf8", "utf-8-sig", "utf_8", "utf_8_sig", "ascii"})
RESOLVED = "yaml resolvers"
"""How YAML is read once the program has taught the loaders of PyYAML what plain texts mean."""
MOST = 20_000
"""Values of one file that become values of the program."""


def found_file(m: Machine, path: Any) -> FileV:
    """The file that a path means, unless the program writes it itself."""
    known = text_of(path)
    if known is None or m.project is None:
        return FileV(lost([path]))
    file = locate(known[0], m.project.bases(), m.project.within)
    if isinstance(file, str) and file in m.state.get("written", ()):
        file = Unknown(f"{os.path.basename(file)} is written by the program")
    return FileV(file, known[1])


def _written(m: Machine, path: Any, *, fresh: bool = False) -> WrittenV:
    file = found_file(m, path).file
    if isinstance(file, str):
        m.state["written"] = m.state.get("written", frozenset()) | {file}
    return WrittenV(m, path, fresh=fresh)


@FRAMEWORK.on("io.open", "codecs.open", "tensorflow.io.gfile.GFile", "tensorflow.gfile.GFile",
              "tensorflow.compat.v1.gfile.GFile", "tensorflow.gfile.Open")
def open_file(c: Call) -> Any:
    return _opened(c, c.get(0, "file", c.kwargs.get("name")), 1)


BUILTINS["open"] = BuiltinV("open", open_file)


@FRAMEWORK.on("pathlib.Path.open")
def open_path(c: Call) -> Any:
    return _opened(c, c.receiver, 0)


def _opened(c: Call, path: Any, position: int) -> Any:
    mode, encoding = plain(c.get(position, "mode", "r")), plain(c.kwargs.get("encoding"))
    if not isinstance(mode, str) or set(mode) & set("wax+"):
        return _written(c.machine, path, fresh=mode in ("w", "wt"))
    if (text := text_written(c.machine, path)) is not MISSING:
        return FileV(Unknown("a file that the program writes"), text=text)
    file = _decoded(found_file(c.machine, path), encoding)
    return file if "b" in mode else replace(file, taken=TableV())


def _decoded(file: FileV, encoding: Any) -> FileV:
    if encoding is None or (isinstance(encoding, str) and encoding.lower() in UTF_8):
        return file
    return FileV(Unknown(f"a file of encoding {encoding}"))


@FRAMEWORK.on("pathlib.Path.read_text")
def read_text(c: Call) -> Any:
    return replace(read_bytes(c), taken=TableV())


@FRAMEWORK.on("pathlib.Path.read_bytes")
def read_bytes(c: Call) -> FileV:
    found = _decoded(found_file(c.machine, c.receiver), plain(c.get(0, "encoding")))
    return FileV(found.file, found.rests, read=True)


@FRAMEWORK.on("pathlib.Path.write_text", "pathlib.Path.write_bytes")
def write_text(c: Call) -> Any:
    _written(c.machine, c.receiver)
    return Unknown("number of characters")


def loaded(m: Machine, source: Any, kind: str, *, by_path: bool = False, hook: Any = None, node: Any = None) -> Any:
    """The values in a file (or text, or with `by_path` the file that it names); Unknown with the reason."""
    held = plain(source)
    if by_path and isinstance(held, str | PathV):
        held = found_file(m, source)
    if isinstance(held, FileV):
        if isinstance(held.file, Unknown):
            return held.file
        data = read_file(held.file, kind)
        return Values(m, m.project.shown(held.file), held.rests, hook, node).of(data, "")
    if isinstance(held, str) and len(held) <= m.limits.text:
        found = text_of(source)
        return Values(m, "", found[1] if found else NONE, hook, node).of(parse(held, kind, "a text"), "")
    return held if isinstance(held, Unknown) else Unknown(f"{kind} of an unknown text")


class Values:
    """Plain data as values of the program; `file` is how the file is shown, `rests` what its path rests on."""

    def __init__(self, m: Machine, file: str, rests: Assumptions = NONE, hook: Any = None, node: Any = None) -> None:
        self.m, self.file, self.rests, self.hook, self.node = m, file, rests, hook, node
        self.left = MOST

    def of(self, data: Any, key: str, depth: int = 0) -> Any:
        self.left -= 1
        if depth > DEEPEST:
            return Unknown("nested too deeply")
        if self.left < 0:
            return Unknown(f"one of more than {MOST:,} values" + (f" of {self.file}" if self.file else ""))
        if isinstance(data, Unknown):
            return data
        if isinstance(data, dict):
            made = DictV({name: self.of(item, f"{key}.{name}".lstrip("."), depth + 1) for name, item in data.items()})
            return made if self.hook is None else self.m.call(self.hook, [made], {}, self.node)
        if isinstance(data, list | tuple):
            items = [self.of(item, f"{key}[{at}]", depth + 1) for at, item in enumerate(data)]
            return tuple(items) if isinstance(data, tuple) else ListV(items)
        if data is None or isinstance(data, bool | int | float | str):
            return self.leaf(data, key)
        return Unknown(f"a {type(data).__name__}" + (f" ({self.file}, key {key})" if self.file else ""))

    def leaf(self, data: Any, key: str) -> Any:
        if not self.file:
            return assume(data, self.rests)
        shown = repr(data) if len(repr(data)) <= 60 else repr(data)[:57] + "..."
        text = f"{key.rpartition('.')[2]} = {shown} ({self.file}, key {key})" if key else f"{shown} ({self.file})"
        return assume(data, self.rests | {Assumption(text)})


@FRAMEWORK.on("json.load", "json.loads")
def load_json(c: Call) -> Any:
    hook = c.kwargs.get("object_hook")
    if c.kwargs.keys() - {"object_hook", "object_pairs_hook", "encoding", "strict"} or len(c.args) > 1 \
            or plain(c.kwargs.get("object_pairs_hook")) not in (None, External("collections.OrderedDict")):
        return Unknown("JSON read by a decoder of its own")
    if hook is not None and not isinstance(plain(hook), FunctionV | ClassV | External | BuiltinV):
        return Unknown("JSON read by a hook that is not known")
    return loaded(c.machine, c.get(0, "fp", c.kwargs.get("s")), "JSON", hook=hook, node=c.node)


@FRAMEWORK.on("ast.literal_eval")
def literal_eval(c: Call) -> Any:
    return loaded(c.machine, c.get(0, "node_or_string"), "Python")


@FRAMEWORK.on("yaml.safe_load", "yaml.full_load", "yaml.unsafe_load", "yaml.load")
def load_yaml(c: Call) -> Any:
    loader = plain(c.get(1, "Loader"))
    if loader is not None and not (isinstance(loader, External) and loader.path.startswith("yaml.")):
        return Unknown("YAML read by a loader of its own")
    kind = c.machine.state.get(RESOLVED, "YAML")
    return loaded(c.machine, c.get(0, "stream"), kind) if kind else Unknown("YAML read by rules of its own")


@FRAMEWORK.on("yaml.add_implicit_resolver", *(f"yaml.{loader}.add_implicit_resolver" for loader in (
    "Loader", "SafeLoader", "FullLoader", "UnsafeLoader", "CSafeLoader", "CLoader")))
def add_implicit_resolver(c: Call) -> Any:
    """`yaml.SafeLoader.add_implicit_resolver("tag:yaml.org,2002:float", ...)`, as all who want `1e-3` read as a number
    copy it; of other patterns it is not known what they match."""
    floats = plain(c.get(0, "tag")) == "tag:yaml.org,2002:float"
    c.machine.state[RESOLVED] = "YAML 1.2" if floats else ""


def _toml(name: str, *, by_path: bool) -> Callable[[Call], Any]:
    return lambda c: loaded(c.machine, c.get(0, name), "TOML", by_path=by_path)


FRAMEWORK.on("toml.load")(_toml("f", by_path=True))
FRAMEWORK.on("tomllib.load", "tomli.load", "toml.loads", "tomllib.loads", "tomli.loads")(_toml("s", by_path=False))
