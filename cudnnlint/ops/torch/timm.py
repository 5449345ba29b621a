"""timm.layers: the modules of it that models are written with which come without the rest."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.protocol import layer
from cudnnlint.ops.torch.linear import Same


@layer("torch.nn.DropPath")
def drop_path(drop_prob: Any = 0.0, scale_by_keep: Any = True) -> Same:
    """Whole samples are left out of a residual branch, in training (timm/layers/drop.py: DropPath)."""
    return Same()
