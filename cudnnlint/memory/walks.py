"""What comes and goes in a step, operation by operation, told by the layers that run and that own it."""

from __future__ import annotations

from collections.abc import Iterable

from cudnnlint.memory.estimate import Terms
from cudnnlint.memory.record import Recorder
from cudnnlint.memory.simulate import Buffer, Simulation
from cudnnlint.memory.timeline import Band, Change, Timeline, timeline
from cudnnlint.memory.xla.alive import compiled_changes
from cudnnlint.ops.kernels.tape import FORWARD, Tape


def over_time(recorder: Recorder, batch: int, is_compiled: bool, terms: Terms) -> Timeline:
    """The step with what is alive all the time, layer by layer."""
    layers = [Band(place.label, place.span) for place in recorder.places]
    base = [("weights", terms.weights), ("optimizer", terms.optimizer), ("input", terms.input)]
    return timeline((compiled if is_compiled else executed)(recorder.tape, batch), layers, base)


def single(alive: Iterable[Buffer]) -> float:
    """Of what grows with the batch the share in elements of four bytes."""
    sizes = {True: 0, False: 0}
    for one in alive:
        sizes[one.kernel.output.size.item >= 4] += one.each
    return sizes[True] / max(1, sum(sizes.values()))


def executed(tape: Tape, batch: int) -> list[Change]:
    """Op by op."""
    simulation = Simulation(tape)
    simulation.run()
    log = list(simulation.changes())
    found: list[Change] = []
    kernels = tape.kernels
    last = max((number for number, (place, _, _) in enumerate(log) if kernels[place].phase == FORWARD), default=-1)
    for number, (place, index, sign) in enumerate(log):
        kernel, (fixed, each) = kernels[place], simulation.bytes[index]
        phase, runs = kernel.phase, kernel.layer
        if number < last and phase != FORWARD:  # constants of the way back, which wait for nothing
            phase, runs = FORWARD, found[-1].runs if found else runs
        found.append(Change(phase, runs, kernels[tape.values[index].made].layer, sign * (fixed + each * batch)))
    return found


def compiled(tape: Tape, batch: int) -> list[Change]:
    """By XLA."""
    return [Change(phase, kernel.layer, owner.layer, fixed + each * batch)
            for phase, kernel, owner, fixed, each in compiled_changes(tape, batch)]
