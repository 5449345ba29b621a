"""The real cuDNN, where one is installed beside a GPU."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from cudnnlint.verify.cudnn_found import cudnn_in
from tests.verify.cudnn_double import LRN, asked, question, verdicts

LIBRARY = cudnn_in(sys.path, os.environ, sys.prefix)
NORM = {"ask": "batch_norm", "x": [2, 8, 4, 4], "dtype": "float32", "format": "NHWC", "epsilon": 1e-3, "training": True}
SEQUENCES = {"ask": "sequences", "rows": 2, "steps": 65535, "features": 1, "lengths": None, "order": "time",
             "dtype": "float32"}
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not LIBRARY, reason="no cuDNN is installed in this environment"),
    pytest.mark.skipif(not Path("/dev/nvidiactl").exists(), reason="there is no GPU, which cuDNN is licensed for"),
]


@pytest.mark.parametrize(("job", "verdict"), [
    (LRN, "confirmed"), ({**LRN, "depth_radius": 5}, "refuted"), (SEQUENCES, "refuted"),
    ({**SEQUENCES, "steps": 65536}, "confirmed"), ({**SEQUENCES, "rows": 0}, "confirmed"),
    (NORM, "refuted"), ({**NORM, "epsilon": 0.0}, "refuted"), ({**NORM, "epsilon": -1e-5}, "confirmed"),
    ({**NORM, "training": False}, "refuted"), ({**NORM, "training": False, "x": [65536, 1, 1, 1]}, "confirmed"),
    ({"ask": "dropout", "rate": 0.5}, "refuted"), ({"ask": "dropout", "rate": 1.5}, "confirmed"),
    ({"ask": "tensor", "x": [2, 1, 32768, 32768], "dtype": "float32"}, "confirmed"),
])
def test_cudnn_answers_as_its_documentation_says(job: dict[str, Any], verdict: str) -> None:
    (found,) = asked(Path(LIBRARY), question(job, own=True))
    assert verdicts([found])[0][0] == verdict, verdicts([found])
    runs = job["ask"] in ("batch_norm", "dropout")
    assert found.verification is not None and (found.verification.device == "descriptors") is not runs
