"""Pictures of which the program's text tells that they are of one size on disk, though nothing brings them to it."""

from __future__ import annotations

import ast
import re

from cudnnlint.interp.machine import Machine
from cudnnlint.interp.objects import ModuleV
from cudnnlint.source import Source
from cudnnlint.source.walk import walk

SAYS = re.compile(r"(?i)celeb_?a|img_align|resized|cropped|aligned|same_size|(?<!\d)\d{2,4}x\d{2,4}(?!\d)")
"""Texts, names of directories mostly: the pictures of CelebA are 178x218 all (its img_align_celeba)."""
SMALL = re.compile(r"(?i)mnist|cifar|svhn|omniglot|# *[^\n]*\((?:\d, *)?\d{2,4}, *\d{2,4}\b")
"""Sets of small pictures, wherever they are named, all of which are as large; or a comment that tells a size."""


def told_of_one_size(m: Machine, home: ModuleV | None = None) -> bool:
    """Whether a module under way names such pictures, or the module whose class reads them."""
    sources = {frame.module.source for frame in m.frames} | {home.source if home is not None else None}
    return any(SMALL.search(source.text) or (SAYS.search(source.text) and _says(source))
               for source in sources if source is not None)


def _says(source: Source) -> bool:
    """In a text that the program uses: a docstring tells of what functions do, as cropping."""
    told = {id(node.value) for node in walk(source.tree()) if isinstance(node, ast.Expr)}
    return any(isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told
               and SAYS.search(node.value) for node in walk(source.tree()))
