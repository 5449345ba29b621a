"""Pictures of which the program's text tells that they are of one size on disk, though nothing brings them to it."""

from __future__ import annotations

import re

from cudnnlint.interp.machine import Machine

SAYS = (r"(?i)[\"'][^\"'\n]*(?:celeb_?a|img_align|resized|cropped|aligned|same_size|(?<!\d)\d{2,4}x\d{2,4}(?!\d))"
        r"[^\"'\n]*[\"']")
"""Texts, names of directories mostly: the pictures of CelebA are 178x218 all (its img_align_celeba)."""


def told_of_one_size(m: Machine) -> bool:
    """Whether a module under way names such pictures."""
    sources = {frame.module.source for frame in m.frames} - {None}
    return any(re.search(SAYS, source.text) for source in sources)
