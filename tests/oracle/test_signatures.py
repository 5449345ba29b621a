"""The keywords that are listed of functions and classes of TensorFlow, Keras and NumPy, against these."""

from __future__ import annotations

import pytest

from cudnnlint.devtools import signatures
from cudnnlint.facts.signatures import FILE, keywords

RELEASES = FILE.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ").split(", ")


@pytest.mark.parametrize(("library", "least"), [("keras", 500), ("tensorflow", 300), ("numpy", 300)])
def test_nothing_is_listed_without_a_keyword_that_is_taken(library: str, least: int) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed")
    if signatures.version(library) not in RELEASES:
        pytest.skip(f"another release is installed than of {', '.join(RELEASES)}")
    count = 0
    for path, found in signatures.paths([library]):
        if (known := keywords(path)) is not None:
            count += 1
            names, takes_any = signatures.of_callable(found)
            assert not takes_any, path
            assert {*names} - {"self", "cls"} <= {*known.now}, path
    assert count > least
