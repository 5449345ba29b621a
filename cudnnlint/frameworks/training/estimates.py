"""Training calls as requests for an estimate of memory: what is trained on what, with which optimizer."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cudnnlint.events import Data, ModelView
from cudnnlint.frameworks.tensorflow.gpu_memory import device_memory
from cudnnlint.frameworks.training import bounds
from cudnnlint.frameworks.training.feeding import default_batch
from cudnnlint.frameworks.training.fixed_batches import divides_rows, fixes_batch
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.parts import layer_of, within
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.wanted import batch_of
from cudnnlint.source import Span
from cudnnlint.trace import assumption_texts
from cudnnlint.values import Tensor, Unknown
from cudnnlint.values.assumption import Assumptions
from cudnnlint.values.sizes import bytes_of
from cudnnlint.values.tensor import tensors

if TYPE_CHECKING:
    from cudnnlint.frameworks.gradients.stepped import Did, Trained
    from cudnnlint.memory.gpus import GPU
    from cudnnlint.memory.training import Descent

OF_ONE = ("GradientTape", "train_step")
"""Told of one replica."""
OPEN = ("an open extent", "layers that differ between paths")
"""Reasons why parts are not known that a batch of a known size, or being told of training, may do away with."""
BY_DEFAULT = {"fit": "steps_per_epoch", "evaluate": "steps"}
"""What takes labels beside arrays only -> what it counts them by instead of a batch size."""
UNSAID = 32
"""keras/src/trainers/data_adapters/array_data_adapter.py: ArrayDataAdapter.__init__."""


class Request:
    """Called with a batch size, or None for the program's own, and how many GPUs there are, it gives the estimate."""

    __slots__ = ("arguments", "assumptions", "calls", "data", "device", "losses", "machine", "made", "method", "model",
                 "moves", "node", "outputs", "source", "span", "steps", "view")

    def __init__(self, m: Machine, span: Span, method: str, model: Any, view: ModelView, data: Data,
                 arguments: Mapping[str, Any], steps: Did = (),
                 assumptions: Assumptions = frozenset(), node: ast.AST | None = None) -> None:
        self.machine, self.span, self.method, self.model, self.view = m, span, method, plain(model), view
        self.data, self.arguments, self.calls = data, arguments, tuple(m.calls)
        self.steps: tuple[Any, ...] = tuple(one for one in steps if hasattr(one, "asked"))
        self.moves: tuple[Any, ...] = tuple(one for one in steps if not hasattr(one, "asked"))
        self.assumptions, self.node = assumptions, node
        self.device, self.source = device_memory(m), m.frame.module.source
        self.made: dict[tuple[int | None, int, bool], Any] = {}

    def __call__(self, batch: int | None = None, gpus: int = 1, timeline: bool = False) -> Any:
        """The same while the event is told: a rule asks, and who puts its finding to the test."""
        key = (batch, gpus, timeline)
        if key not in self.made:
            self.made[key] = made = self._estimate(batch, gpus, timeline)
            if batch is None:
                bounds.told(self, made.least())
        return self.made[key]

    def _estimate(self, batch: int | None, gpus: int, timeline: bool) -> Any:
        from cudnnlint.memory.optimizers import optimizer_of
        from cudnnlint.memory.regimes import regime_of
        from cudnnlint.memory.step import Asked, estimate

        m, view, compiled = self.machine, self.view, self.view.compiled or {}
        known, numbers = self.batch(), first_extent(self.data.x)
        policy = policy_name(view.policy, self.model)
        regime, why = regime_of(self.model, compiled, self.method, view.replicas, m.stack, self.device)
        optimizer = optimizer_of(compiled.get("optimizer"), m.stack, policy == "mixed_float16")
        replicas = self.replicas(gpus)
        total = batch or known
        said = (*self.said(gpus, regime), *(() if batch else self.batch_said(known)), f"{regime}: {why}")
        share = replicas if self.method not in OF_ONE else 1
        fixed = fixes_batch(plain(self.arguments.get("x")))
        size = batch or (known and self._size())
        full = fixed or divides_rows(self.data, self.arguments.get("validation_split"), size)
        asked = Asked(
            self.span, self.method, self.model, view.name, view.outputs, view.losses, self.fed(), total,
            -(-(total or UNSAID) // share), numbers, optimizer, policy, regime, trains(self.method), m.stack,
            said, self.calls, share, timeline, self.device, replicas, self.descents(policy),
            compiled.get("metrics"), *self.own_losses(compiled, view.outputs), self.moves, self.added(view.outputs),
            full, fixed)
        made = estimate(asked)
        if (outputs := self.outputs_again(made.unknown)) is None:
            return made
        own, computed = self.own_losses(compiled, outputs)
        again = estimate(replace(asked, outputs=outputs, own=own, computed=computed, added=self.added(outputs)))
        return again if len(again.unknown) < len(made.unknown) else made

    def outputs_again(self, unknown: tuple[str, ...]) -> Any:
        """What the model gives for a batch that is a number, told whether it is trained: where extents are open without
        one, as of a batch that is folded into other axes, or paths differ."""
        from cudnnlint.frameworks.training.losses_kept import called_again

        if self.node is None or self.steps or not any(one.endswith(OPEN) for one in unknown):
            return None
        return called_again(self.machine, self.model, self.data.x, trains(self.method), self.node)

    def own_losses(self, compiled: Mapping[str, Any], outputs: Any) -> tuple[dict[int, Any], Any]:
        """What the program's own losses give for these outputs, and its compute_loss(), where fit() calls them."""
        from cudnnlint.frameworks.training.losses_kept import computed_loss, losses_of

        if self.node is None or self.steps or not trains(self.method):
            return {}, None
        at = (self.node, self.span)
        computed = computed_loss(self.machine, self.model, (self.data.x, self.data.y), outputs, *at)
        own = losses_of(self.machine, compiled.get("loss"), self.data.y, outputs, *at)
        return own if computed is None else {}, computed

    def added(self, outputs: Any) -> tuple[Tensor, ...]:
        """What fit() adds to the loss of these outputs."""
        from cudnnlint.frameworks.gradients.added_losses import with_added

        return with_added(self.machine, self.model, outputs) if trains(self.method) and not self.steps else ()

    def descents(self, policy: str) -> tuple[Descent, ...]:
        """What a step of the program's own trains."""
        from cudnnlint.memory.optimizers import optimizer_of
        from cudnnlint.memory.training import Descent

        scaled = policy == "mixed_float16" and self.method != "GradientTape"
        together: dict[tuple[int, int], list[Trained]] = {}
        for one in self.steps:  # the gradients of several models may be asked for at once
            together.setdefault((id(one.asked), id(one.optimizer)), []).append(one)
        return tuple(Descent(
            one.span, one.asked.loss, one.outputs, one.losses, tuple(each.owner for each in same),
            optimizer_of(one.optimizer, self.machine.stack, scaled), one.asked.tape.since, one.asked.tape.until,
            tuple(each.maker for each in one.asked.tape.applications))
            for *_, one in together.values() for same in (together[id(one.asked), id(one.optimizer)],))

    def exceeds(self, usable: int) -> bool:
        """Whether a step could take more than that: a quick upper bound, without recording it."""
        return bounds.exceeds(self, usable)

    def replicas(self, gpus: int) -> int:
        """Those of the strategy; as many as there are GPUs where it takes them all."""
        told = plain(self.view.replicas)
        return told if isinstance(told, int) and told > 0 else max(gpus, 1) * self.device.devices

    def on(self, gpu: GPU) -> GPU:
        """With the memory that the program lets TensorFlow take of it."""
        return self.device.on(gpu)

    def said(self, gpus: int, regime: str) -> tuple[str, ...]:
        """Defaults that the numbers rest on."""
        from cudnnlint.frameworks.gradients.added_losses import missed
        from cudnnlint.memory.estimate import OP_BY_OP
        from cudnnlint.memory.places import at

        rests_on = (self.data.x, self.data.y, self.view.inputs, self.view.outputs)
        texts = list(assumption_texts(rests_on, self.assumptions))
        if self.is_declared():
            texts.append("the data are not known: the batch is what the model declares that it takes")
        if isinstance(told := plain(self.view.replicas), Unknown):
            count = self.replicas(gpus)
            texts.append(f"{count} replica{'s' if count > 1 else ''}: the strategy takes all GPUs that are there")
        elif gpus > 1 and told == 1:
            texts.append(f"1 of {gpus} GPUs is used: there is no distribution strategy")
        if trains(self.method) and (count := self.replicas(gpus)) > 1:
            one = ", the batch is that of one" if self.method in OF_ONE else ""
            texts.append(f"each of {count} replicas has all weights and slots{one}; " + (
                "its gradients wait for each other in one buffer (all-reduce)" if regime == OP_BY_OP
                else "what the replicas exchange is not counted (all-reduce)"))
        texts += self.device.notes(self.source)
        for span, counted in missed(self.machine, self.model)[:1] if trains(self.method) else ():
            how = "is given on some paths only, and counted" if counted else "is not known, and not counted"
            texts.append(f"the loss of add_loss() ({at(span, self.source)}) {how}")
        return tuple(texts)

    def batch_said(self, known: int | None) -> tuple[str, ...]:
        """What is counted where the program's batch size is none, as 0 is to Keras too, which takes its default
        (keras/src/trainers/data_adapters/array_data_adapter.py: ArrayDataAdapter.__init__), or is not known."""
        given = plain(self.arguments.get("batch_size"))
        wrong = isinstance(given, str | float) or (isinstance(given, int) and given <= 0)
        if wrong and self.data.kind == "arrays":
            return (f"batch_size={given!r} is no batch size: {UNSAID} is counted",)
        if known:
            most = given if isinstance(given, int) and self.data.kind == "arrays" else known
            return (f"batch {known:,}: there are no more samples, of {most:,} asked for",) * (most > known)
        steps = self.arguments.get(BY_DEFAULT.get(self.method, ""))
        if self.method in BY_DEFAULT and given is None is steps and plain(self.arguments.get("y")) is not None:
            return (f"batch_size {UNSAID}: Keras' default for arrays, as x is since y is given",)
        return (f"batch_size {UNSAID}: the program's is not known",)

    def fed(self) -> tuple[Any, ...]:
        """What the batch is made of; what the model declares where the data are not known."""
        x = self.view.inputs if self.is_declared() or not tensors(self.data.x) else self.data.x
        y = self.data.y
        if self.steps and isinstance(y, Unknown):  # no loss is called on them
            from cudnnlint.memory.operands import fed_beside

            found = fed_beside([one.asked.loss for one in self.steps], x)
            y = y if found is None else found or None
        if trains(self.method) and bytes_of(y, 1) is None and not (y is None and (self.steps or tensors(self.data.x))):
            y = self.view.outputs
        return (x, y, self.data.weights)

    def is_declared(self) -> bool:
        """Whether what is fed is not known, but what the model takes is."""
        return bytes_of(self.data.x, 1) is None and bytes_of(self.view.inputs, 1) is not None

    def is_open(self) -> bool:
        """Whether only how many samples there are in a batch is not known of what is fed."""
        return any(isinstance(one.shape, tuple) and one.shape and isinstance(one.shape[0], Unknown)
                   for one in tensors(self.data.x))

    def batch(self) -> int | None:
        """Rows of a full batch."""
        if isinstance(size := first_extent(self.data.x), int):
            return int(size)  # True is 1
        given = batch_of(self.machine, plain(self.arguments.get("batch_size")))
        fed = plain(self.arguments.get("x"))
        if isinstance(size := plain(getattr(fed, "batch_size", None)), int) and size > 0:
            return size
        if self.data.kind == "sequence" and isinstance(self.data.full, int):
            return self.data.full
        if self.data.kind == "arrays" and (given is None or isinstance(given, int)):
            rows, size = self.data.rows, self._size()
            return int(min(size, rows) if isinstance(rows, int) and rows > 0 else size)
        return given if isinstance(given, int) and given > 0 else None

    def _size(self) -> int:
        """How many samples of arrays the program asks for; Keras' default where it names no size."""
        given = batch_of(self.machine, plain(self.arguments.get("batch_size")))
        if isinstance(given, int) and given > 0:
            return given
        steps = plain(self.arguments.get("steps_per_epoch" if self.method == "fit" else "steps"))
        size = default_batch(self.data.rows, steps)
        return size if isinstance(size, int) else UNSAID


def first_extent(structure: Any) -> int | None:
    found = tensors(strip(structure))
    shape = found[0].shape if found else ()
    return shape[0] if isinstance(shape, tuple) and shape and isinstance(shape[0], int) and shape[0] > 0 else None


def trains(method: str) -> bool:
    return method in ("fit", "train_on_batch", "GradientTape", "train_step")


def policy_name(policy: Any, model: Any) -> str:
    """As keras.mixed_precision spells it. Of a model with layers of several policies that which is mixed: the global
    one, to which some layers, as the last, are an exception."""
    if isinstance(policy, Unknown):
        layers = [layer.policy for held in within(model) if (layer := layer_of(held)) is not None]
        policy = next((one for one in layers if isinstance(one.compute, str) and one.compute != one.variable), policy)
    if isinstance(policy, Unknown) or isinstance(getattr(policy, "compute", None), Unknown):
        return "float32"
    compute, variable = policy.compute, policy.variable
    return str(compute) if compute == variable else f"mixed_{compute}"
