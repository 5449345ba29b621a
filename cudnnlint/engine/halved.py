"""What training calls that do not fit would take in mixed precision: their programs followed once more under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cudnnlint.engine.memory import Asked, Fit, fits
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.memory.gpus import GPU

POLICY = "mixed_float16"


def with_halves(told: Sequence[Fit], settings: Settings, asked: Asked, gpu: GPU) -> list[Fit]:
    """Those that train in float32 and do not fit, with the estimate under the policy, where it takes it."""
    wanted = [fit for fit in told if _may_gain(fit, gpu)]
    if not wanted:
        return list(told)
    again = replace(asked, policy=POLICY, timeline=False)
    found = {_key(fit): fit.estimate for fit in fits(list(dict.fromkeys(fit.path for fit in wanted)), settings, again)
             if fit.estimate.policy == POLICY}
    return [replace(fit, mixed=found.get(_key(fit))) if fit in wanted else fit for fit in told]


def _may_gain(fit: Fit, gpu: GPU) -> bool:
    made = fit.estimate
    return made.training and made.policy == "float32" and made.needs() > made.on(gpu).usable


def _key(fit: Fit) -> object:
    return fit.place, fit.model, fit.estimate.method, fit.estimate.counted
