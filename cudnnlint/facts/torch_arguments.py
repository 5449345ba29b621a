"""PyTorch's optimizers, and what its schedulers need, compared with it by tests/oracle/test_torch_signatures.py."""

from __future__ import annotations

OPTIMIZERS = ("ASGD", "Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "LBFGS", "NAdam", "RAdam", "RMSprop", "Rprop",
              "SGD")
SCHEDULERS: dict[str, tuple[str, ...]] = {name: ("optimizer", *own) for name, own in {
    "LambdaLR": ("lr_lambda",), "MultiplicativeLR": ("lr_lambda",), "StepLR": ("step_size",),
    "MultiStepLR": ("milestones",), "ExponentialLR": ("gamma",), "CosineAnnealingLR": ("T_max",),
    "CosineAnnealingWarmRestarts": ("T_0",), "CyclicLR": ("base_lr", "max_lr"), "OneCycleLR": ("max_lr",),
    "SequentialLR": ("schedulers", "milestones"), "LinearLR": (), "ConstantLR": (), "PolynomialLR": (),
    "ReduceLROnPlateau": (),
}.items()}
"""What each needs, in this order (torch/optim/lr_scheduler.py)."""
