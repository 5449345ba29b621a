"""Heads that a program gives to models of torchvision under a name that their forward() does not run."""

from __future__ import annotations

import ast
from typing import Any

from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.refusals import refuse
from cudnnlint.source import Source, Span
from cudnnlint.source.walk import walk
from cudnnlint.values import Mismatch, Problem

NAMES = frozenset({"fc", "classifier", "head", "heads"})
"""What the families of torchvision call their last part."""
LOOKING = frozenset({"parameters", "named_parameters", "state_dict", "weight", "bias", "in_features", "out_features",
                     "requires_grad_", "train", "eval", "to", "apply", "cuda"})
"""What is asked of a part without running it."""
OPENING = ("children(", "named_modules", ".modules(", "getattr", "_modules")
"""How a program comes by the parts of a model without naming them."""


def tell_of_unused(m: Machine, model: Any, name: str, module: Any) -> None:
    """`resnet18().classifier = nn.Linear(512, 10)`, once the model is run, if nothing reads the part to run it."""
    span = getattr(plain(module), "span", None)
    sources = {frame.module.source for frame in m.frames} - {None}
    told: dict[Any, bool] = m.notes.setdefault("unused heads", {})
    if not isinstance(span, Span) or m.uncertain or span.path not in {source.path for source in sources} \
            or told.setdefault(span, False):
        return
    told[span] = True
    if not any(_may_run(source, name) for source in sources):
        refuse(m, span, Mismatch(
            Problem.UNUSED, f"{model.name} does not run its {name}: the last part of {_article(model.class_name)} is "
            f"its {model.head}", help=f"set {model.head} instead of {name}"), what=model.name)


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


def _may_run(source: Source, name: str) -> bool:
    """Whether a file reads an attribute of this name otherwise than to look at it."""
    if any(map(source.says, OPENING)):
        return True
    nodes = walk(source.tree())
    looked = {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr in LOOKING}
    return any(isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load)
               and id(node) not in looked for node in nodes)
