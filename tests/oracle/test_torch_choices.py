"""The texts that functions and classes of PyTorch take in places where they take one of a few, against these."""

from __future__ import annotations

from inspect import signature
from typing import Any

import pytest

from cudnnlint.facts.choices import CHOICES, NAMED

torch = pytest.importorskip("torch", reason="torch is not installed")
CASES = [(path, argument) for path, argument in CHOICES if path.startswith("torch.")]


def real(path: str) -> Any:
    held: Any = torch
    for part in path.split(".")[1:]:
        held = getattr(held, part)
    return held


def called(path: str, argument: str, text: str) -> None:
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.1)
    x, name = torch.zeros(1, 1, *(4,) * {"linear": 1, "trilinear": 3}.get(text, 2)), path.rpartition(".")[2]
    others: list[Any] = {
        "grid_sample": [x, torch.zeros(1, 2, 2, 2)], "RNN": [2, 2], "TransformerEncoderLayer": [4, 2],
        "TransformerDecoderLayer": [4, 2], "kaiming_normal_": [x], "kaiming_uniform_": [x],
        "ReduceLROnPlateau": [optimizer], "OneCycleLR": [optimizer, 0.1, 5], "gelu": [x], "interpolate": [x, None, 2],
        "upsample": [x, None, 2], "Upsample": [None, 2], "meshgrid": [torch.zeros(2), torch.zeros(3)]}.get(name, [])
    made = real(path)(*others, **{argument: text})
    if name in ("GELU", "Upsample"):
        made(x)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("path", "argument"), CASES)
def test_a_text_is_taken_or_refused_as_listed(path: str, argument: str) -> None:
    for text in CHOICES[path, argument].texts:
        called(path, argument, text)
    with pytest.raises(Exception, match=r"."):
        called(path, argument, "nonsense")


@pytest.mark.parametrize(("path", "argument"), CASES)
def test_arguments_lie_where_they_are_listed(path: str, argument: str) -> None:
    position = CHOICES[path, argument].position
    if path == "torch.nn.RNN":
        pytest.skip("it tells no parameters")
    assert position == NAMED or list(signature(real(path)).parameters)[position] == argument
