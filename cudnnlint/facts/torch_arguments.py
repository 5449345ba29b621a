"""What PyTorch's optimizers and its DataLoader take, compared with it by tests/oracle/test_torch_signatures.py."""

from __future__ import annotations

EVERY = ("params", "lr", "weight_decay", "foreach", "maximize", "differentiable", "capturable")
MOMENTS = ("betas", "eps")
OPTIMIZERS: dict[str, frozenset[str]] = {name: frozenset((*EVERY, *own)) for name, own in {
    "Adam": (*MOMENTS, "amsgrad", "fused", "decoupled_weight_decay"), "AdamW": (*MOMENTS, "amsgrad", "fused"),
    "SGD": ("momentum", "dampening", "nesterov", "fused"), "RMSprop": ("alpha", "eps", "momentum", "centered"),
    "Adagrad": ("lr_decay", "initial_accumulator_value", "eps", "fused"), "Adadelta": ("rho", "eps"), "Adamax": MOMENTS,
    "NAdam": (*MOMENTS, "momentum_decay", "decoupled_weight_decay"), "RAdam": (*MOMENTS, "decoupled_weight_decay"),
    "ASGD": ("lambd", "alpha", "t0"), "Rprop": ("etas", "step_sizes"),
    "LBFGS": ("max_iter", "max_eval", "tolerance_grad", "tolerance_change", "history_size", "line_search_fn"),
}.items()}
"""Arguments of each, those of all among them though some lack one (torch/optim)."""
DATA_LOADER = ("dataset", "batch_size", "shuffle", "sampler", "batch_sampler", "num_workers", "collate_fn",
               "pin_memory", "drop_last", "timeout", "worker_init_fn", "multiprocessing_context", "generator",
               "prefetch_factor", "persistent_workers", "pin_memory_device", "in_order")
"""torch/utils/data/dataloader.py: DataLoader.__init__"""
SCHEDULERS: dict[str, tuple[str, ...]] = {name: ("optimizer", *own) for name, own in {
    "LambdaLR": ("lr_lambda",), "MultiplicativeLR": ("lr_lambda",), "StepLR": ("step_size",),
    "MultiStepLR": ("milestones",), "ExponentialLR": ("gamma",), "CosineAnnealingLR": ("T_max",),
    "CosineAnnealingWarmRestarts": ("T_0",), "CyclicLR": ("base_lr", "max_lr"), "OneCycleLR": ("max_lr",),
    "SequentialLR": ("schedulers", "milestones"), "LinearLR": (), "ConstantLR": (), "PolynomialLR": (),
}.items()}
"""What each needs, in this order (torch/optim/lr_scheduler.py)."""
