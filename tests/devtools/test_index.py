"""An index is not written without the modules that do not load."""

from __future__ import annotations

import pytest

from cudnnlint.ops import table
from cudnnlint.rules import listing


@pytest.mark.parametrize("room", [table, listing])
def test_a_module_that_does_not_load_stops_the_index(room: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "broken", ["cudnnlint.ops.dense does not load: SyntaxError: invalid syntax"])
    with pytest.raises(ImportError, match=r"ops\.dense does not load"):
        room.index()  # type: ignore[attr-defined]
