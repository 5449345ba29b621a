"""What the documentation says about supported layers and functions, taken from the registries."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

from cudnnlint.devtools.docs_parts import table
from cudnnlint.engine import registry
from cudnnlint.interp.registry import CALLS
from cudnnlint.ops.protocol import FUNCTIONS, LAYERS, Spelling
from cudnnlint.rules.wording import spoken

_OLD = re.compile(r"^tensorflow\.(compat|contrib|app|flags)\.")
MODELLED = ("keras", "tensorflow", "numpy", "torch")
"""Libraries whose calls are listed by name; the rest is the standard library and what stands around a program."""


def page() -> str:
    """Layers with what is inferred, functions and calls by where they live."""
    registry.load()
    return f"{_HEAD}\n{_layers()}\n{_FUNCTIONS}{_names(FUNCTIONS)}\n{_CALLS}{_names(_calls())}\n{_others()}"


_HEAD = """\
# What is followed

A layer, function or call that is not listed here gives a value that nothing is known about, and no finding rests on
it. `tf.keras`, `tensorflow.keras`, `tf_keras`, `keras.src` and every alias stand for `keras`; much of
`tensorflow.compat.v1` is followed too, and left out here.

## Layers

Shape, dtype, weights and parameter count are checked against real Keras 2 and Keras 3 by the test suite.
`B` or `N` is the batch, `C` the channels.
"""
_FUNCTIONS = """\
## Functions

Shape, dtype and, where it is small and known, content.
"""
_CALLS = """\
## Calls

Models, training, data pipelines and what else has an effect of its own.
"""


def _layers() -> str:
    """One row a builder: its names, where it exists, and its op's summary."""
    names: dict[Callable[..., Any], list[Spelling]] = defaultdict(list)
    for spelling in LAYERS.values():
        names[spelling.builder].append(spelling)
    torch = [builder for builder, spellings in names.items() if spellings[0].path.startswith("torch.")]
    rows = sorted(_row(spellings) for builder, spellings in names.items() if builder not in torch)
    modules = sorted(_short(spelling) for builder in torch for spelling in names[builder])
    return (table(("layer", "also spelled", "Keras", "what is inferred"), rows)
            + f"\n### torch.nn\n\n{_wrapped(modules)}\n")


def _row(spellings: list[Spelling]) -> tuple[str, ...]:
    first, *others = sorted(spellings, key=lambda spelling: spelling.path.count("."))
    clause = first.versions.get("", "")
    return (f"`{_short(first)}`", ", ".join(f"`{_short(other)}`" for other in others),
            spoken(clause) if clause else "2 and 3", _summary(first).replace("*", "\\*"))


def _short(spelling: Spelling) -> str:
    return spelling.path.removeprefix("keras.layers.").removeprefix("torch.nn.")


def _summary(spelling: Spelling) -> str:
    """First paragraph on the op that the builder returns."""
    builder = inspect.unwrap(spelling.builder)
    result = inspect.signature(builder).return_annotation
    made = getattr(builder, "__globals__", {}).get(result) if isinstance(result, str) else result
    text = vars(made).get("__doc__") if isinstance(made, type) else None
    if made is None or not text or text.startswith(f"{made.__name__}("):  # the one that dataclasses write
        return ""
    return " ".join(text.strip().split("\n\n")[0].split())


def _calls() -> list[str]:
    return [path for path in CALLS if path.partition(".")[0] in MODELLED and "__" not in path]


def _others() -> str:
    roots = sorted({path.partition(".")[0] for path in CALLS} - {*MODELLED})
    return "Calls of other libraries that are understood in part: " + ", ".join(f"`{root}`" for root in roots) + ".\n"


def _names(paths: Iterable[str]) -> str:
    """`### tensorflow.nn` and the names under it."""
    by_home: dict[str, set[str]] = defaultdict(set)
    for path in paths:
        home, _, name = path.rpartition(".")
        if not _OLD.search(path):
            by_home[home].add(name)
    return "".join(f"\n### {home}\n\n{_wrapped(sorted(names))}\n" for home, names in sorted(by_home.items()))


def _wrapped(names: list[str]) -> str:
    return textwrap.fill(", ".join(f"`{name}`" for name in names), 118, break_long_words=False, break_on_hyphens=False)
