"""What the functions of PyTorch call their arguments: those that are compiled take NumPy's names, too."""

from __future__ import annotations

from typing import Any

from cudnnlint.facts.signatures import NUMPY_NAMES
from cudnnlint.ops.protocol import Spelling

FUNCTIONAL = "torch.nn.functional."
COMPILED = frozenset({
    "gelu", "softplus", "logsigmoid", "scaled_dot_product_attention", "conv1d", "conv2d", "conv3d", "conv_transpose1d",
    "conv_transpose2d", "conv_transpose3d", "cosine_similarity", "pairwise_distance", "one_hot", "linear",
    "avg_pool1d", "adaptive_avg_pool1d", "avg_pool2d", "avg_pool3d", "pixel_shuffle", "pixel_unshuffle"})
"""Functions of torch.nn.functional that are no Python."""
PYTHON = frozenset({
    "torch.cdist", "torch.einsum", "torch.meshgrid", "torch.norm", "torch.split", "torch.stft", "torch.tensordot",
    "torch.unique", "torch.Tensor.split", "torch.nn.Transformer.generate_square_subsequent_mask",
    "torch.nn.utils.rnn.pack_padded_sequence", "torch.nn.utils.rnn.pack_sequence",
    "torch.nn.utils.rnn.pad_packed_sequence",
    "torch.nn.utils.rnn.pad_sequence"})
"""Functions outside of it that are (torch/functional.py)."""


def is_python(path: str) -> bool:
    """Whether Python binds the arguments of a function of PyTorch."""
    return path.removeprefix(FUNCTIONAL) not in COMPILED if path.startswith(FUNCTIONAL) else path in PYTHON


def by_torch_names(spelling: Spelling, named: dict[str, Any]) -> dict[str, Any]:
    """`torch.cat([x, y], axis=1)`"""
    parameters = spelling.builder.__code__.co_varnames
    if is_python(spelling.path) or all(name in parameters for name in named):
        return named
    return {NUMPY_NAMES[name] if name not in parameters and NUMPY_NAMES.get(name) in parameters
            and NUMPY_NAMES[name] not in named else name: value for name, value in named.items()}
