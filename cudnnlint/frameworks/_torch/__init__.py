"""PyTorch's handlers: imported when a program first imports torch."""

from cudnnlint.frameworks._torch import (
    containers,
    creation,
    data,
    grad,
    losses,
    methods,
    module_methods,
    modules,
    optimizers,
    vision,
)

__all__ = ["containers", "creation", "data", "grad", "losses", "methods", "module_methods", "modules", "optimizers",
           "vision"]
