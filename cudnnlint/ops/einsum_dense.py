"""EinsumDense: a dense layer whose contraction is an einsum equation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from cudnnlint.ops.arguments import show
from cudnnlint.ops.arith import as_dim, as_shape
from cudnnlint.ops.elementwise import refused
from cudnnlint.ops.kernels.activations import activated
from cudnnlint.ops.kernels.maths import contract
from cudnnlint.ops.kernels.products import multiplied
from cudnnlint.ops.kernels.site import Site, biased
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, Weight, layer
from cudnnlint.records import record
from cudnnlint.values import Dim, Mismatch, Problem, Shape, Stack, Symbol, Tensor, Unknown
from cudnnlint.values.mismatch import LATE

FORMS = (("([a-zA-Z]+),([a-zA-Z]+)->([a-zA-Z]+)", False), ("0([a-zA-Z]+),([a-zA-Z]+)->0([a-zA-Z]+)", True),
         ("([a-zA-Z]{2,})0,([a-zA-Z]+)->([a-zA-Z]+)0", False))
"""Equations that are understood, `...` written 0, and whether the dots stand left (_analyze_einsum_string)."""


@record(frozen=True, slots=True)
class Parsed:
    """The letters of input, kernel and output; `left`: the elided axes come first."""

    source: str
    kernel: str
    target: str
    left: bool


@record(frozen=True, slots=True)
class Plan:
    """What an equation makes of one input shape."""

    output: Shape
    kernel: Shape
    bias: Shape | None


@record(frozen=True, slots=True)
class EinsumDense(SingleInput):
    """(N, ...) -> (N, *output_shape) by `equation`; a None in output_shape is taken from the input.

    keras/src/layers/core/einsum_dense.py: _analyze_split_string
    """

    equation: Any
    partial: Shape | Unknown
    bias_axes: Any = None
    lora_rank: Any = None

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        if isinstance(self.equation, str) and parse(self.equation) is None:
            yield Mismatch(Problem.INVALID_ARGUMENT, f'equation "{self.equation}" is not of the form "ab,bc->ac"',
                           help='write "[X],[Y]->[Z]", "...[X],[Y]->...[Z]" or "[X]...,[Y]->[Z]..." without spaces',
                           error=f'ValueError "Invalid einsum equation \'{self.equation}\'"', argument="equation")

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        declared = call.stack.keras >= (3,) and x.kind == "keras" and not call.traced
        plan = self._plan(x, newest=declared)
        if isinstance(plan, Mismatch):
            late = declared and plan.problem is Problem.RANK  # no rank is looked at for the declared shape
            return replace(plan, facts=(*plan.facts, *LATE)) if late else plan
        if isinstance(plan, Unknown):
            return x.with_(shape=plan, dtype=call.policy.compute)
        free = next((place for place, size in enumerate(plan.kernel) if isinstance(size, Symbol)), None)
        if free is not None:
            return Mismatch(Problem.FEATURE_UNKNOWN, f'EinsumDense "{self.equation}" needs axis {free} of its kernel, '
                                                     f"which is None for {x}",
                            help="give the full input shape", error='ValueError "Cannot convert \'None\' to a shape"')
        wrong = refused(x, call, "EinsumDense")
        return wrong or x.with_(shape=tuple(map(_extent, plan.output)), dtype=call.policy.compute)

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        plan = self._plan(x, newest=call.stack.keras >= (3,))
        if not isinstance(plan, Plan):
            return Unknown("equation")
        if isinstance(self.lora_rank, Unknown):
            return self.lora_rank
        out = [Weight("kernel", plan.kernel, trainable=not self.lora_rank)]
        out += [Weight("bias", plan.bias)] if plan.bias is not None else []
        if self.lora_rank:
            rank = as_dim(self.lora_rank)
            out += [Weight("lora_kernel_a", (*plan.kernel[:-1], rank)),
                    Weight("lora_kernel_b", (rank, plan.kernel[-1]))]
        return tuple(out)

    def _plan(self, x: Tensor, *, newest: bool) -> Plan | Unknown | Mismatch:
        """Keras 3 takes an extent from output_shape first, a None in it too, until it runs; Keras 2 from the input."""
        parsed = parse(self.equation) if isinstance(self.equation, str) else None
        if parsed is None or isinstance(x.shape, Unknown) or isinstance(self.partial, Unknown) or not x.shape:
            return Unknown("equation, output_shape or input rank")
        shape, elided = x.shape, len(x.shape) - len(parsed.source)
        if elided < 0 or (elided > 0 and not parsed.left and "..." not in self.equation):
            return self._wrong_rank(x, parsed)
        output = list(shape[:1]) + (list(shape[1:elided]) if parsed.left else []) + list(self.partial)
        output += list(shape[len(shape) - elided:]) if elided and not parsed.left else []
        lead = elided if parsed.left else 0
        if len(output) > len(parsed.target) + elided:
            return Unknown("output_shape has too many extents")
        if len(output) < len(parsed.target) + elided:
            return self._wrong_output(parsed)
        sizes = dict(zip(parsed.source, shape[lead:], strict=False))
        results = dict(zip(parsed.target, output[lead:], strict=False))
        clash = self._clash(x, sizes, results)
        if clash is not None:
            return clash
        both = {**sizes, **results} if newest else {**results, **sizes}
        unknown = [letter for letter in (*parsed.kernel, *parsed.target) if letter not in both]
        if unknown or not set(parsed.target) <= set(parsed.source + parsed.kernel):
            return self._unmatched()
        head = _swapped(shape[:lead]) if newest else shape[:lead]
        full = (*head, *(both[letter] for letter in parsed.target), *output[lead + len(parsed.target):])
        return self._with_bias(full, tuple(both[letter] for letter in parsed.kernel), parsed, both, elided)

    def _with_bias(self, full: Shape, kernel: Shape, parsed: Parsed, both: dict[str, Dim],
                   elided: int) -> Plan | Unknown | Mismatch:
        if self.bias_axes is None:
            return Plan(full, kernel, None)
        if not isinstance(self.bias_axes, str):
            return Unknown("bias_axes")
        if not set(self.bias_axes) <= set(parsed.target) or not self.bias_axes:
            return Mismatch(Problem.INVALID_ARGUMENT, f'bias_axes "{self.bias_axes}" is not part of the output '
                                                      f'"{parsed.target}"', argument="bias_axes",
                            error='ValueError "Bias dimension was requested, but is not part of the output spec"')
        start = min(map(parsed.target.find, self.bias_axes))
        bias: Shape = tuple(both[letter] if letter in self.bias_axes else 1 for letter in parsed.target[start:])
        return Plan(full, kernel, bias if parsed.left else (*bias, *(1,) * elided))

    def _clash(self, x: Tensor, sizes: dict[str, Dim], results: dict[str, Dim]) -> Mismatch | None:
        for letter, size in sizes.items():
            wanted = results.get(letter, size)
            if isinstance(size, int | Symbol) and isinstance(wanted, int) and wanted != size:
                return Mismatch(Problem.CHANNELS, f'"{letter}" of "{self.equation}" is {size} in {x} and {wanted} in '
                                                  f"output_shape {self._shown()}", argument="output_shape",
                                help=f"write {size} or None in output_shape",
                                error=f'ValueError "Input shape and output shape do not match at shared dimension '
                                      f"'{letter}'\"", facts=(("expected", wanted), ("actual", size)))
        return None

    def _wrong_rank(self, x: Tensor, parsed: Parsed) -> Mismatch:
        return Mismatch(Problem.RANK, f'EinsumDense "{self.equation}" needs {len(parsed.source)} axes, its input has '
                                      f"{x.rank}: {x}", argument="equation",
                        error="InvalidArgumentError, IndexError or ValueError",
                        help='"..." stands for any number of axes',
                        facts=(("expected", len(parsed.source)), ("actual", x.rank)))

    def _wrong_output(self, parsed: Parsed) -> Mismatch:
        return Mismatch(Problem.INVALID_ARGUMENT, f'output_shape {self._shown()} does not have an extent for each of '
                                                  f'"{parsed.target}" but the first', argument="output_shape",
                        help="output_shape leaves out the batch axis and the axes that ... stands for",
                        error="IndexError or ValueError")

    def _unmatched(self) -> Mismatch:
        return Mismatch(Problem.INVALID_ARGUMENT, f'equation "{self.equation}" has a letter without an extent',
                        help="each letter of the kernel must be in the input or the output, each of the output in the "
                             "input or the kernel",
                        error='ValueError "Weight dimension did not have a match in either the input spec or the '
                              'output spec"', argument="equation")

    def _shown(self) -> str:
        return show(self.partial) if isinstance(self.partial, tuple) else "?"

    def lower(self, at: Site) -> Value:
        made = contract(at.tape, at.x, multiplied(at, at.weight("kernel"), str(self.equation)), at.size())
        return activated(at.tape, biased(at, made), at.given("activation"))


def parse(equation: str) -> Parsed | None:
    """
    >>> parse("...x,xy->...y")
    Parsed(source='x', kernel='xy', target='y', left=True)
    """
    text = equation.replace("...", "0")
    for form, left in FORMS:
        if found := re.match(form, text):
            return Parsed(found[1], found[2], found[3], left)
    return None


def _swapped(lead: Shape) -> Shape:
    """Keras 3 reports the axes that ... stands for in reverse order, the layer computes them in order."""
    rest = tuple(a if a == b else Unknown("...") for a, b in zip(lead[1:], reversed(lead[1:]), strict=True))
    return (*lead[:1], *rest)


def _extent(dim: Dim) -> Dim:
    return Unknown("not an extent") if isinstance(dim, int) and dim < 0 else dim


VERSIONS = {"activity_regularizer": "<3", "lora_rank": ">=3.0.3", "lora_alpha": ">=3.10",
            "gptq_unpacked_column_size": ">=3.12", "quantization_config": ">=3.13"}


@layer("keras.layers.experimental.EinsumDense", versions={"": "<3", **VERSIONS})
@layer("keras.layers.EinsumDense", versions=VERSIONS)
def einsum_dense(equation: Any, output_shape: Any, activation: Any = None, bias_axes: Any = None,
                 kernel_initializer: Any = "glorot_uniform", bias_initializer: Any = "zeros",
                 kernel_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
                 kernel_constraint: Any = None, bias_constraint: Any = None, lora_rank: Any = None,
                 lora_alpha: Any = None, gptq_unpacked_column_size: Any = None,
                 quantization_config: Any = None) -> EinsumDense:
    return EinsumDense(equation, as_shape(output_shape), bias_axes, lora_rank)
