"""Processes that a program starts beside each other, each of which would take the whole GPU.

What their functions do is seen where they are followed; which of them take a GPU is told at the end.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from cudnnlint.frameworks.python.stdlib import FRAMEWORK
from cudnnlint.interp.devices import SHARERS, Worker
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import BoundV, External, FunctionV, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.values import Unknown

PROCESS = "multiprocessing.Process"
POOL = "multiprocessing.Pool"
EXECUTOR = "concurrent.futures.ProcessPoolExecutor"
JOBS = "joblib.Parallel"
DELAYED = "joblib.delayed"
STARTED = "processes started"
"""Key of the processes that were started and not waited for since: their functions."""
SHARED = re.compile(
    r"memory_growth|memory_limit|memory_fraction|allow_growth|ALLOW_GROWTH|CUDA_VISIBLE_DEVICES|visible_devices|"
    r"gpu_options|\bdevice\(|KERAS_BACKEND|XLA_FLAGS|XLA_PYTHON_CLIENT")
"""What a program says that gives each process its share, its own GPU or none."""
SEARCHES = ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV")
SCORES = ("cross_val_score", "cross_validate", "cross_val_predict")
WRAPPERS = tuple(f"{package}.{name}" for package in ("scikeras.wrappers", "keras.wrappers.scikit_learn")
                 for name in ("KerasClassifier", "KerasRegressor"))


def _several(count: Any) -> bool:
    """Whether that many workers are certainly more than one: None stands for one a core."""
    return count is None or (type(count) is int and (count > 1 or count < 0))


def _beside(m: Machine, function: Any, count: Any, call: Call, owner: str = "") -> None:
    """`function`, of the class `owner`, runs in `count` processes at a time."""
    held = plain(function)
    held = held.function if isinstance(held, BoundV) else held
    if isinstance(held, FunctionV) and held.node is not None and _several(count) and not _is_shared(m):
        _note(m, id(held.node), owner + held.name, count, call)


def _note(m: Machine, key: Any, name: str, count: Any, call: Call, *, started: bool = False) -> None:
    from cudnnlint.events.devices import ProcessesShareGpu

    if m.trying or m.recording is not None:
        return
    known: dict[Any, Worker] = m.notes.setdefault(SHARERS, {})
    if key not in known:
        known[key] = Worker(m.event(ProcessesShareGpu, call.span, name=name, count=count), started)
        m.endings[SHARERS] = partial(_told, m)


def _told(m: Machine) -> None:
    for worker in m.notes.get(SHARERS, {}).values():
        if worker.started:
            m.emit(worker.event)


def _is_shared(m: Machine) -> bool:
    return any(SHARED.search(frame.module.source.text) for frame in m.frames if frame.module.source is not None)


def _object(path: str) -> Callable[[Call], ObjectV]:
    def made(c: Call) -> ObjectV:
        """Each worker begins with the initializer of its pool."""
        pool = ObjectV(path, tuple(c.args), dict(c.kwargs), c.span)
        if path in (POOL, EXECUTOR) and (begins := c.kwargs.get("initializer")) is not None:
            _beside(c.machine, begins, _workers(pool), c)
        return pool

    return made


for _path, _names in {
        PROCESS: (PROCESS, "multiprocessing.context.Process"), POOL: (POOL, "multiprocessing.pool.Pool"),
        EXECUTOR: (EXECUTOR, "concurrent.futures.process.ProcessPoolExecutor"), JOBS: (JOBS,)}.items():
    FRAMEWORK.on(*_names)(_object(_path))
FRAMEWORK.on(*WRAPPERS)(_object(WRAPPERS[0]))
for _name in SEARCHES:
    FRAMEWORK.on(f"sklearn.model_selection.{_name}")(_object(f"sklearn.model_selection.{_name}"))


@FRAMEWORK.on("multiprocessing.get_context")
def context(c: Call) -> Any:
    """It has what the package has."""
    return External("multiprocessing")


@FRAMEWORK.on(*(f"{pool}.{name}" for pool in (POOL, EXECUTOR) for name in (
    "map", "imap", "imap_unordered", "starmap", "map_async", "starmap_async")))
def mapped(c: Call) -> Any:
    """`pool.map(function, items)`: one item is one worker's."""
    items = elements(c.machine, c.args[1]) if len(c.args) > 1 else Unknown()
    if isinstance(items, Unknown) or len(items) > 1:
        _beside(c.machine, c.get(0, "func"), _workers(c.receiver), c)
    return Unknown("what other processes give")


@FRAMEWORK.on(f"{EXECUTOR}.submit", f"{POOL}.apply_async")
def submitted(c: Call) -> Any:
    """One task, of several where it stands in a loop."""
    if c.machine.loops:
        _beside(c.machine, c.get(0, "func"), _workers(c.receiver), c)
    return Unknown("what another process gives")


def _workers(receiver: Any) -> Any:
    """How many processes a pool has."""
    held = plain(receiver)
    if not isinstance(held, ObjectV):
        return Unknown("a pool")
    return plain(held.args[0] if held.args else held.kwargs.get("processes", held.kwargs.get("max_workers")))


@FRAMEWORK.on(f"{PROCESS}.start")
def start(c: Call) -> None:
    """A second one, while the first was not waited for."""
    m, process = c.machine, plain(c.receiver)
    if not isinstance(process, ObjectV | InstanceV) or m.uncertain:
        return
    running: tuple[ObjectV | InstanceV, ...] = m.state.get(STARTED, ())
    m.state[STARTED] = (*running, process)[-MOST:]
    target = _target(process)
    if any(_target(one) == target for one in running if one is not process):
        owner = f"{process.cls.name}." if isinstance(process, InstanceV) else ""
        _beside(m, target, None, Call(m, c.callee, [], {}, c.node), owner)


def _target(process: ObjectV | InstanceV) -> Any:
    """What a process runs: the function that it was given, or run() of a class of the program."""
    return process.cls.lookup("run") if isinstance(process, InstanceV) else plain(process.kwargs.get("target"))


MOST = 64


@FRAMEWORK.on(f"{PROCESS}.join", f"{PROCESS}.terminate", f"{PROCESS}.kill")
def joined(c: Call) -> None:
    m, process = c.machine, plain(c.receiver)
    m.state[STARTED] = tuple(one for one in m.state.get(STARTED, ()) if one is not process)


@FRAMEWORK.on(DELAYED)
def delayed(c: Call) -> ObjectV:
    return ObjectV(DELAYED, tuple(c.args), {}, c.span)


@FRAMEWORK.on(f"{DELAYED}.__call__")
def postponed(c: Call) -> Any:
    """What joblib calls in another process; the program itself calls nothing."""
    return plain(c.receiver)


@FRAMEWORK.on(f"{JOBS}.__call__")
def parallel(c: Call) -> Any:
    """`Parallel(n_jobs=4)(delayed(f)(x) for x in xs)`, by processes unless it asks for threads."""
    jobs = plain(c.receiver)
    items = elements(c.machine, c.args[0]) if c.args else Unknown()
    given = plain(c.args[0]) if c.args else None
    found = list(items) if not isinstance(items, Unknown) else given.items if isinstance(given, ListV) else []
    if isinstance(jobs, ObjectV) and not {"backend", "prefer", "require"} & jobs.kwargs.keys():
        count = plain(jobs.args[0] if jobs.args else jobs.kwargs.get("n_jobs", 1))
        for one in found[:1] if len(found) != 1 or isinstance(items, Unknown) else ():
            held = plain(one)
            if isinstance(held, ObjectV) and held.path == DELAYED and held.args and count is not None:
                _beside(c.machine, held.args[0], count, c)
    return Unknown("what other processes give")


@FRAMEWORK.on(*(f"sklearn.model_selection.{name}.fit" for name in SEARCHES))
def searched(c: Call) -> Any:
    """sklearn/model_selection/_search.py: BaseSearchCV.fit; a None of n_jobs is 1."""
    search = plain(c.receiver)
    if isinstance(search, ObjectV):
        _estimated(c, search.args[0] if search.args else search.kwargs.get("estimator"), search.kwargs.get("n_jobs"))
    return c.receiver


@FRAMEWORK.on(*(f"sklearn.model_selection.{name}" for name in SCORES))
def scored(c: Call) -> Any:
    _estimated(c, c.get(0, "estimator"), c.kwargs.get("n_jobs"))
    return Unknown("scores")


def _estimated(c: Call, estimator: Any, jobs: Any) -> None:
    held, count = plain(estimator), plain(jobs)
    if isinstance(held, ObjectV) and held.path == WRAPPERS[0] and count is not None and _several(count) \
            and not _is_shared(c.machine):
        _note(c.machine, c.span, "fit", count, c, started=True)
