"""What happened while the program was followed: all that a rule ever sees."""

from __future__ import annotations

from cudnnlint.events.base import Event
from cudnnlint.events.data import INFINITE, Data, DatasetBatched, DatasetBuffered, DatasetMade, Differing
from cudnnlint.events.devices import DeviceConfigured, GrowthUneven
from cudnnlint.events.layers import FunctionApplied, LayerApplied, LayerCreated, LayerInfo, Rejected, RejectedBefore
from cudnnlint.events.loops import (
    FunctionTraced,
    GraphGrown,
    GraphKept,
    LoopInfo,
    LoopTaped,
    ModelRebuilt,
    PredictedInLoop,
    Repeated,
    TensorsKept,
)
from cudnnlint.events.models import LossInfo, ModelAsked, ModelBuilt, ModelCompiled, ModelMade, ModelView
from cudnnlint.events.project import ApiChanged, ApiOutlived, RequirementsClash
from cudnnlint.events.tool import BoundHit, Crashed, ModuleFinished, SourceBroken
from cudnnlint.events.training import LayerMadeInside, LossCalled, PolicyMisplaced, ScopesMixed, TrainingStarted
from cudnnlint.values.tensor import first_tensor, tensors

__all__ = [
    "INFINITE",
    "ApiChanged",
    "ApiOutlived",
    "BoundHit",
    "Crashed",
    "Data",
    "DatasetBatched",
    "DatasetBuffered",
    "DatasetMade",
    "DeviceConfigured",
    "Differing",
    "Event",
    "FunctionApplied",
    "FunctionTraced",
    "GraphGrown",
    "GraphKept",
    "GrowthUneven",
    "LayerApplied",
    "LayerCreated",
    "LayerInfo",
    "LayerMadeInside",
    "LoopInfo",
    "LoopTaped",
    "LossCalled",
    "LossInfo",
    "ModelAsked",
    "ModelBuilt",
    "ModelCompiled",
    "ModelMade",
    "ModelRebuilt",
    "ModelView",
    "ModuleFinished",
    "PolicyMisplaced",
    "PredictedInLoop",
    "Rejected",
    "RejectedBefore",
    "Repeated",
    "RequirementsClash",
    "ScopesMixed",
    "SourceBroken",
    "TensorsKept",
    "TrainingStarted",
    "first_tensor",
    "tensors",
]
