"""PyTorch's optimizers, and what its schedulers and the transforms of torchvision need, compared with them
by tests/oracle/test_torch_signatures.py and test_torch_ranges.py."""

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
SIZED = ("Resize", "CenterCrop", "RandomCrop", "RandomResizedCrop", "FiveCrop", "TenCrop")
LISTED = ("Compose", "RandomApply", "RandomChoice", "RandomOrder")
TRANSFORMS: dict[str, tuple[str, ...]] = {
    "Normalize": ("mean", "std"), "RandomAffine": ("degrees",), "RandomRotation": ("degrees",),
    "Pad": ("padding",), "GaussianBlur": ("kernel_size",), "Lambda": ("lambd",),
    "LinearTransformation": ("transformation_matrix", "mean_vector"),
    **dict.fromkeys(SIZED, ("size",)), **dict.fromkeys(LISTED, ("transforms",)),
}
"""What transforms have no default for (torchvision/transforms/transforms.py, and v2)."""
