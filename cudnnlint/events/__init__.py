"""What happened while the program was followed: all that a rule ever sees.

What few programs do is loaded when it happens: `events.loops`, `events.devices`, `events.project`.
"""

from __future__ import annotations

from cudnnlint.events.base import Event
from cudnnlint.events.data import INFINITE, Data, DatasetBatched, DatasetBuffered, DatasetMade, Differing, SetFed
from cudnnlint.events.layers import (
    FunctionApplied,
    LayerApplied,
    LayerCreated,
    LayerFed,
    LayerInfo,
    Rejected,
    RejectedBefore,
)
from cudnnlint.events.models import LossInfo, ModelAsked, ModelBuilt, ModelCompiled, ModelMade, ModelRun, ModelView
from cudnnlint.events.tool import BoundHit, Crashed, ModuleFinished, SourceBroken
from cudnnlint.events.training import (
    LayerMadeInside,
    LossCalled,
    PolicyMisplaced,
    ScopesMixed,
    StepContinued,
    TrainingStarted,
)
from cudnnlint.values.tensor import first_tensor, tensors

__all__ = [
    "INFINITE",
    "BoundHit",
    "Crashed",
    "Data",
    "DatasetBatched",
    "DatasetBuffered",
    "DatasetMade",
    "Differing",
    "Event",
    "FunctionApplied",
    "LayerApplied",
    "LayerCreated",
    "LayerFed",
    "LayerInfo",
    "LayerMadeInside",
    "LossCalled",
    "LossInfo",
    "ModelAsked",
    "ModelBuilt",
    "ModelCompiled",
    "ModelMade",
    "ModelRun",
    "ModelView",
    "ModuleFinished",
    "PolicyMisplaced",
    "Rejected",
    "RejectedBefore",
    "ScopesMixed",
    "SetFed",
    "SourceBroken",
    "StepContinued", "TrainingStarted",
    "first_tensor",
    "tensors",
]
