"""`cudnnlint doctor --watch`: prints samples of a process' memory as they come, and what they say in the end."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from cudnnlint.cli._ending import CLEAN, FINDINGS
from cudnnlint.cli._output import emit
from cudnnlint.engine.doctor.watch import RULES, Sample, Trend, samples, trend

if TYPE_CHECKING:
    from collections.abc import Mapping

MIB, GIB = 1024**2, 1024**3


def watch(pid: int, every: float, seconds: float, *, as_json: bool) -> int:
    """1 if memory grows. An interrupt ends the watching, not the answer."""
    taken: list[Sample] = []
    with contextlib.suppress(KeyboardInterrupt):
        for sample in samples(pid, every, seconds):
            taken.append(sample)
            if not as_json:
                emit(f"{sample.seconds:6.0f} s  host {_gib(sample.host)}"
                     + ("" if sample.gpu is None else f"  GPU {_gib(sample.gpu)}") + "\n")
    trends = judged(taken)
    emit(json.dumps(document(pid, taken, trends), indent=2) + "\n" if as_json
         else "".join(f"{line}\n" for line in told(trends)))
    return FINDINGS if any(each.grows for each in trends.values()) else CLEAN


def judged(taken: Sequence[Sample]) -> dict[str, Trend]:
    """Kind of memory -> trend."""
    found = {"host": trend([(sample.seconds, sample.host) for sample in taken])}
    on_gpu = [(sample.seconds, sample.gpu) for sample in taken if sample.gpu is not None]
    return {**found, "GPU": trend(on_gpu)} if on_gpu else found


def told(trends: Mapping[str, Trend]) -> Iterator[str]:
    for kind, each in trends.items():
        if each.grows is None:
            yield f"{kind} memory: too few samples to say"
        elif each.grows:
            yield (f"{kind} memory grows by {each.per_minute / MIB:.1f} MiB a minute "
                   f"({_gib(each.first)} -> {_gib(each.last)})")
            yield f"  = look at: {', '.join(rules_about(kind))}"
        else:
            yield f"{kind} memory is steady at {_gib(each.last)}"
    if "GPU" not in trends:
        yield "GPU memory: the driver lists none of this process (in a container it knows it by another number)"


def rules_about(kind: str) -> list[str]:
    """Names of the rules there are."""
    from cudnnlint.engine.registry import listed

    known = listed()
    return [name for name in RULES[kind] if name in known]


def document(pid: int, taken: Sequence[Sample], trends: Mapping[str, Trend]) -> dict[str, Any]:
    """What is printed for programs, as plain data."""
    return {
        "version": 1,
        "pid": pid,
        "samples": [{"seconds": round(sample.seconds, 3), "host": sample.host, "gpu": sample.gpu} for sample in taken],
        "trends": {kind: {"grows": each.grows, "bytes_per_minute": round(each.per_minute), "first": each.first,
                          "last": each.last, "rules": rules_about(kind) if each.grows else []}
                   for kind, each in trends.items()},
    }


def _gib(count: int) -> str:
    return f"{count / GIB:.2f} GiB"
