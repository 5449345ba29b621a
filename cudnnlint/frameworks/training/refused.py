"""What training calls refuse beside shapes: structures, weights and metrics that do not go together."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import Data, ModelView
from cudnnlint.frameworks.training.hook_logs import check_hook_logs
from cudnnlint.frameworks.training.logged import check_monitors
from cudnnlint.frameworks.training.metrics import check_metrics
from cudnnlint.frameworks.training.output_structures import check_structures
from cudnnlint.frameworks.training.uncompiled import check_compiled
from cudnnlint.frameworks.training.untold import check_parts, check_told
from cudnnlint.frameworks.training.weights import check_weights
from cudnnlint.interp.registry import Call


def check_call(c: Call, method: str, seen: ModelView, data: Data, arguments: dict[str, Any]) -> None:
    check_compiled(c, method)
    check_structures(c, method, data, seen.outputs)
    check_weights(c, method, seen, data, arguments)
    check_metrics(c, method, seen, data)
    check_monitors(c, method, seen, arguments)
    check_hook_logs(c, method, seen, arguments)
    check_told(c, method)
    check_parts(c, method)


__all__ = ["check_call"]
