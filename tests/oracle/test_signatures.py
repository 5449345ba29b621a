"""The keywords that are listed of functions and classes of the libraries, against these."""

from __future__ import annotations

import pytest

from cudnnlint.devtools import signatures
from cudnnlint.facts.signatures import FILE, keywords

for _name in ("keras", "tf_keras", "tensorflow", "torch"):
    pytest.importorskip(_name, reason=f"{_name} is not installed")


def test_nothing_is_listed_without_a_keyword_that_is_taken() -> None:
    listed = FILE.read_text(encoding="utf-8").partition("\n")[0]
    if listed != signatures.versions():
        pytest.skip(f"other releases are installed than {listed}")
    count = 0
    for path, found in signatures.paths():
        known = keywords(path)
        if known is not None and not known.compiled:
            count += 1
            names, takes_any = signatures.of_callable(found)
            assert not takes_any, path
            assert {*names} - {"self", "cls"} <= {*known.now}, path
    assert count > 2_000


@pytest.mark.parametrize("call", [
    "torch.softmax(x, dim=1, dtype=torch.float64)", "torch.sum(x, axis=1, keepdims=True)", "x.mean(axis=0)",
    "torch.cat(tensors=[x, x], axis=1)", "x.permute(dims=(1, 0))", "torch.randn(size=(2, 2), generator=None)",
    "x.clamp(min=0, max=1)", "torch.arange(start=0, end=3, step=1)", "x.to(device='cpu', dtype=torch.float16)"])
def test_what_compiled_functions_take_is_listed(call: str) -> None:
    import ast

    import torch

    node = ast.parse(call).body[0].value  # type: ignore[attr-defined]
    path = ast.unparse(node.func).replace("x.", "torch.Tensor.")
    eval(call, {"torch": torch, "x": torch.zeros(2, 2)})
    known = keywords(path)
    assert known is not None and known.compiled
    assert all(word.arg in known for word in node.keywords)
