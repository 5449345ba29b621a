"""torch.utils.data's samplers, and what a DataLoader takes beside one."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import assumptions_of, plain
from cudnnlint.interp.objects import External, FunctionV, InstanceV, RangeV
from cudnnlint.interp.refusals import is_certain, is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Where

SAMPLERS = ("RandomSampler", "SequentialSampler", "SubsetRandomSampler", "WeightedRandomSampler", "BatchSampler",
            "distributed.DistributedSampler")
EXCLUDED = {"batch_size": (1, 1), "shuffle": (2, False), "sampler": (3, None), "drop_last": (8, False)}
"""What batch_sampler= stands in for: name -> place among the arguments, what it is when it is not given."""


@FRAMEWORK.on(*(f"torch.utils.data.{name}" for name in SAMPLERS), "torch.utils.data.DistributedSampler")
def sampler(c: Call) -> Any:
    callee = plain(c.callee)
    path = callee.path if isinstance(callee, External) else "torch.utils.data.Sampler"
    return ObjectV(path, tuple(c.args), dict(c.kwargs), c.span)


def tell_of_exclusive(c: Call) -> bool:
    """torch/utils/data/dataloader.py: DataLoader.__init__"""
    if "**" in c.kwargs or "*" in c.kwargs:
        return False
    if (wrong_one := _of_stream(c)) is not None:
        return wrong_one
    if _is_given(c.get(4, "batch_sampler")):
        wrong = [name for name, (place, default) in EXCLUDED.items()
                 if isinstance(held := plain(c.get(place, name, default)), (bool, int, ObjectV)) and held != default]
        return bool(wrong) and _refuse(
            c, f"batch_sampler beside {wrong[0]}", f"leave {wrong[0]} out: the batch_sampler decides it",
            "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last", wrong[0])
    if plain(c.get(2, "shuffle")) is True and _is_given(c.get(3, "sampler")):
        return _refuse(c, "shuffle=True beside a sampler", "leave shuffle out: the sampler decides the order",
                       "sampler option is mutually exclusive with shuffle", "shuffle")
    if plain(c.get(1, "batch_size", 1)) is None and plain(c.get(8, "drop_last")) is True:
        return _refuse(c, "drop_last=True and batch_size=None", "leave drop_last out: nothing is batched",
                       "batch_size=None option disables auto-batching and is mutually exclusive with drop_last",
                       "drop_last")
    return _of_workers(c)


def _of_workers(c: Call) -> bool:
    """What is for worker processes, where there are none; PyTorch 1 took a prefetch_factor of 2, its default."""
    if plain(c.get(5, "num_workers", 0)) != 0:
        return False
    if plain(c.kwargs.get("persistent_workers")) is True:
        return _refuse(c, "persistent_workers=True and no workers", "num_workers of 1 or more, or leave it out",
                       "persistent_workers option needs num_workers > 0", "persistent_workers")
    if type(ahead := plain(c.kwargs.get("prefetch_factor"))) is int:
        return _refuse(c, f"prefetch_factor={ahead} and no workers", "num_workers of 1 or more, or leave it out",
                       "prefetch_factor option could only be specified in multiprocessing", "prefetch_factor",
                       Where(torch=">=2"))
    return False


def _of_stream(c: Call) -> bool | None:
    """What decides the order of rows that come one after the other; None if the dataset is no IterableDataset."""
    held = plain(c.get(0, "dataset"))
    if not isinstance(held, InstanceV) or held.cls.external_base() != STREAM:
        return None
    given = "shuffle" if plain(c.get(2, "shuffle")) is True else \
        next((name for name, place in (("sampler", 3), ("batch_sampler", 4)) if _is_given(c.get(place, name))), "")
    return bool(given) and _refuse(
        c, f"{given} of {held.cls.name}, an IterableDataset, whose __iter__() decides the order",
        f"leave {given} out, and shuffle in __iter__()", "DataLoader with IterableDataset: expected unspecified "
        f"{given} option", given)


STREAM = "torch.utils.data.IterableDataset"


def tell_of_size(c: Call, size: Any) -> None:
    """torch/utils/data/sampler.py: BatchSampler.__init__, which asks for an int"""
    if isinstance(size, str | float) and is_meant(c.machine):
        _refuse(c, f"batch_size {size!r}, which is no int", "int(...) of it; of a command line, type=int",
                f"batch_size should be a positive integer value, but got batch_size={size}", "batch_size")


def tell_of_no_rows(c: Call, rows: Any) -> None:
    """torch/utils/data/sampler.py: RandomSampler.__init__; batches in order of no rows are none."""
    if rows == 0 and plain(c.get(2, "shuffle")) is True and is_certain(c.machine):
        dataset = plain(c.get(0, "dataset"))
        counts = dataset.cls.lookup("__len__") if isinstance(dataset, InstanceV) else None
        here = isinstance(counts, FunctionV) and counts.module is c.machine.frame.module
        refuse(c.machine, c.span, Mismatch(
            Problem.IDLE, "DataLoader with shuffle=True of a dataset that has no rows",
            help="look at what the dataset's __len__() gives for this part of the data",
            error='ValueError "num_samples should be a positive integer value, but got num_samples=0"',
            facts=(("moment", "when it is made"), *(
                [("elsewhere", (c.machine.span(counts.node), "gives 0"))] if here else []))),  # type: ignore[union-attr]
            what="DataLoader")


def _is_given(value: Any) -> bool:
    return isinstance(plain(value), (ObjectV, InstanceV, ListV, RangeV))


def _refuse(c: Call, message: str, help_: str, error: str, argument: str, where: Where = Where()) -> bool:
    return refuse(c.machine, c.span, Mismatch(
        Problem.INVALID_ARGUMENT, f"DataLoader with {message}", help=help_, argument=argument, where=where,
        error=f'ValueError "{error}"'), what="DataLoader", assumptions=assumptions_of(c.get(5, "num_workers")))
