"""What each training of a running program is given: the first batch, how many there are, and which optimizer."""

from __future__ import annotations

import contextlib
import functools
import importlib
import inspect
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

from recorder_sites import Place, _dtype, _named, _place, _tensors  # type: ignore[import-not-found]

METHODS = {"fit": "steps_per_epoch", "evaluate": "steps", "predict": "steps", "train_on_batch": "",
           "test_on_batch": "", "predict_on_batch": ""}
"""Of a model, with the argument that says how many batches are taken."""
Row = dict[str, Any]


class Fits:
    """The user's calls that train, and each thing that was seen at them.

    A row: {"method", "batch", "steps", "shapes", "dtypes", "optimizer"}. `batch` is a number, or a list of them for a
    loop of the user's own: what models were called on for the step. `shapes` and `dtypes` are those of the batch's
    arrays, x before y before weights; None for a loop.
    """

    def __init__(self, sites: Any) -> None:
        self.sites = sites
        self.start()

    def start(self) -> None:
        self.found: dict[Place, dict[str, Row]] = {}
        self.current: Row | None = None
        self.met = False
        self.taken: set[int] = set()
        self.applied = False

    def report(self) -> list[Row]:
        return [{**_named(place), "seen": list(seen.values())} for place, seen in self.found.items()]

    @contextlib.contextmanager
    def under(self, frame: Any, method: str, model: Any, steps: Any) -> Iterator[None]:
        """The call of a method; kept if it returns."""
        before = self.current
        mine = before is None and self.sites.is_users(frame.f_code.co_filename)
        place = _place(frame) if mine else None
        if mine:
            self.met = False
            self.current = {"method": method, "batch": None, "steps": steps, "shapes": None, "dtypes": None}
        try:
            yield
            if mine and self.current is not None and self.current["shapes"] is not None:
                trains = method in ("fit", "train_on_batch")
                self._keep(place, {**self.current, "optimizer": _optimizer(model.optimizer) if trains else None})
        finally:
            self.current = before

    def _keep(self, place: Place, row: Row) -> None:
        self.found.setdefault(place, {}).setdefault(json.dumps(row), row)

    def adapted(self, batches: Any) -> None:
        """The first data that the call under way makes batches of is what it is given."""
        if self.current is not None and not self.met:
            self.met = True
            if self.current["steps"] is None and isinstance(batches, int) and batches > 0:
                self.current["steps"] = batches

    def fed(self, batch: Any) -> None:
        """A step of the call under way, on this batch."""
        if self.current is not None and self.current["shapes"] is None:
            arrays = _tensors(_ordered(batch))
            shapes = [list(map(int, array.shape)) for array in arrays]
            self.current.update(shapes=shapes, dtypes=list(map(_dtype, arrays)),
                                batch=shapes[0][0] if shapes and shapes[0] else None)

    def called(self, inputs: Any) -> None:
        """A layer, not within another, on data."""
        if self.applied:
            self.taken, self.applied = set(), False
        shapes = [array.shape for array in _tensors(inputs)[:1] if getattr(array.shape, "rank", 0) is not None]
        self.taken |= {int(shape[0]) for shape in shapes if len(shape) and shape[0] is not None}

    def stepped(self, frame: Any, optimizer: Any) -> None:
        """apply_gradients() by the user."""
        self.applied = True
        if self.current is None and self.sites.is_users(frame.f_code.co_filename):
            self._keep(_place(frame), {"method": "GradientTape", "batch": sorted(self.taken), "steps": None,
                                       "shapes": None, "dtypes": None, "optimizer": _optimizer(optimizer)})


def _ordered(value: Any) -> Any:
    """Dicts by their keys, as Keras flattens them."""
    if isinstance(value, dict):
        return [_ordered(value[key]) for key in sorted(value, key=str)]
    return [_ordered(item) for item in value] if isinstance(value, (list, tuple)) else value


def _optimizer(value: Any) -> str | None:
    inner = getattr(value, "inner_optimizer", value)
    return None if inner is None else type(inner).__name__


def watch_fits(fits: Fits) -> None:
    """Models and optimizers tell of what they train on; to be called after `cheap`."""
    keras = fits.sites.keras
    for name, steps in METHODS.items():
        setattr(keras.Model, name, _told(fits, getattr(keras.Model, name), name, steps))
    run = importlib.import_module("tensorflow.python.distribute.distribute_lib").StrategyBase

    def fed(self: Any, fn: Any, args: Any = (), kwargs: Any = None, options: Any = None, *, own: Any = run.run) -> Any:
        fits.fed(args[0] if args else None)
        return own(self, fn, args, kwargs, options)

    run.run = fed
    if hasattr(keras, "ops"):
        epochs = importlib.import_module("keras.src.trainers.epoch_iterator").EpochIterator
        _after(epochs, "__init__", lambda it: fits.adapted(it.data_adapter.num_batches))
    else:
        handler = importlib.import_module("tf_keras.src.engine.data_adapter").DataHandler
        _after(handler, "__init__", lambda it: fits.adapted(it._adapter.get_size()))
    for base in [base for kind in _optimizers(keras) for base in kind.__mro__]:
        own = vars(base).get("apply_gradients")
        if inspect.isfunction(own) and not hasattr(own, "__wrapped__"):
            base.apply_gradients = _stepping(fits, own)


def _optimizers(keras: Any) -> list[Any]:
    listed = [keras.optimizers, getattr(keras.optimizers, "legacy", None), getattr(keras, "mixed_precision", None)]
    return [value for module in listed if module for value in vars(module).values() if inspect.isclass(value)]


def _told(fits: Fits, function: Callable[..., Any], name: str, steps: str) -> Callable[..., Any]:
    signature = inspect.signature(function)

    @functools.wraps(function)
    def told(self: Any, *args: Any, **kwargs: Any) -> Any:
        given = signature.bind_partial(self, *args, **kwargs).arguments.get(steps)
        with fits.under(sys._getframe(1), name, self, given):
            if not steps:  # of one batch, which no strategy is always asked to run
                fits.fed([value for value in (*args, *kwargs.values()) if value is not None])
            return function(self, *args, **kwargs)

    return told


def _after(owner: Any, name: str, tell: Callable[[Any], None]) -> None:
    function = getattr(owner, name)

    @functools.wraps(function)
    def both(self: Any, *args: Any, **kwargs: Any) -> None:
        function(self, *args, **kwargs)
        tell(self)

    setattr(owner, name, both)


def _stepping(fits: Fits, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def step(self: Any, *args: Any, **kwargs: Any) -> Any:
        fits.stepped(sys._getframe(1), self)
        return function(self, *args, **kwargs)

    return step
