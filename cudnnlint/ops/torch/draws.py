"""Numbers of categories that PyTorch draws: multinomial."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.functions._core import flag
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.ops.torch._core import not_whole, whole
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown


@function("torch.multinomial")
def multinomial(input: Any, num_samples: Any, replacement: Any = False, *, generator: Any = None,
                out: Any = None) -> Outcome:
    """(categories) -> (samples), (rows, categories) -> (rows, samples) (aten/src/ATen/native/Distributions.cpp)."""
    if not isinstance(input, Tensor):
        return Unknown("what multinomial() draws from")
    if wrong := not_whole("num_samples", num_samples):
        return wrong
    drawn = whole(num_samples)
    if isinstance(input.shape, Unknown):
        return input.with_(dtype="int64")
    if len(input.shape) not in (1, 2):
        if input.shape and isinstance(input.shape[0], Unknown):
            return Unknown("what may have no batch")  # of a module that takes batches and single samples
        return Mismatch(Problem.RANK, f"multinomial() takes 1 or 2 axes, its input has {len(input.shape)}: {input}",
                        help="of the last step: probabilities[:, -1]" if len(input.shape) == 3 else "",
                        error='RuntimeError "prob_dist must be 1 or 2 dim"',
                        facts=(("expected", 2), ("actual", len(input.shape))))
    categories = input.shape[-1]
    if flag(replacement) is False and isinstance(drawn, int) and isinstance(categories, int) and drawn > categories:
        return Mismatch(Problem.INVALID_ARGUMENT, f"multinomial() draws {drawn} of {categories} categories, each once",
                        argument="num_samples", help="replacement=True",
                        error='RuntimeError "cannot sample n_sample > prob_dist.size(-1) samples without replacement"')
    return input.with_(shape=(*input.shape[:-1], drawn), dtype="int64")
