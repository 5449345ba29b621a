"""No handler of paths, files and configuration objects raises, whatever it is given."""

from __future__ import annotations

import itertools

import pytest

from cudnnlint.engine import registry
from cudnnlint.interp.registry import CALLS
from tests.interpret import events_of

registry.load()
HEAD = """
import os, sys, json, yaml, toml, tomllib, tomli, importlib, io, codecs, pathlib
import addict, munch, attrdict, yacs.config, omegaconf, ml_collections, box, easydict, dotmap, prodict
from collections import namedtuple
from pathlib import Path
unknown = input()
pair = namedtuple("Pair", "a b")(1, 2)
config = easydict.EasyDict(a=1, b={"c": 2})
path = Path("a/b.c")
"""
VALUES = ["unknown", "None", "-1", "0", "1.5", "'text'", "'x\\0y'", "'a' * 5000", "b'x'", "True", "[]", "{}", "()",
          "[1, [2]]", "{'a': {'b': 1}}", "path", "open('x')", "print", "lambda *a: a", "config", "os.getcwd()"]
ROOTS = ("os.path.", "os.getcwd", "os.fspath", "pathlib.", "json.", "yaml.", "toml", "importlib.", "io.", "codecs.",
         "addict.", "easydict.", "munch.", "attrdict.", "yacs.", "omegaconf.", "ml_collections.", "box.",
         "collections.namedtuple.")
OWN = {"attrdict.AttrDict.": "config.", "pathlib.Path.": "path.", "collections.namedtuple.": "pair."}
PATHS = sorted(path for path in CALLS if path.startswith(ROOTS))


@pytest.mark.parametrize("name", [*PATHS, "open", "eval", "__import__", "str", "sys.path.append", "sys.path.insert",
                                  "sys.path.extend"])
def test_handlers_take_anything(name: str) -> None:
    for prefix, receiver in OWN.items():
        name = name.replace(prefix, receiver) if name.startswith(prefix) else name
    pairs = itertools.islice(itertools.permutations(VALUES, 2), 0, None, 11)
    lists = [(), *((value,) for value in VALUES), *pairs]
    calls = [f"{name}({', '.join(values)})" for values in lists]
    used = [f"for one in {name}({value}): pass\nmade = {name}({value}) / 'a'" for value in ("'text'", "path", "config")]
    events_of(HEAD + "\n".join([*calls, *used]))
