"""What a worker's reply says about a claim."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from cudnnlint.finding import Claim, Verification
from cudnnlint.values import Stack, Where
from cudnnlint.values.stack import Version, dotted, parse_version
from cudnnlint.verify.interpreter import NAMES
from cudnnlint.verify.shown import of_memory, shown

CONFIRMED, REFUTED, DIFFERENT = "confirmed", "refuted", "different"
INCONCLUSIVE, NOT_VERIFIABLE = "inconclusive", "not verifiable"
OUT_OF_MEANS = frozenset({"MemoryError", "ResourceExhaustedError", "OutOfMemoryError", "ModuleNotFoundError"})
"""Exceptions that say something about the machine, not about the program."""
OF_TENSORFLOW = frozenset({"InvalidArgumentError", "InternalError", "UnknownError", "NotFoundError"})
_TENSORFLOW = re.compile(r"\btf\.|DataType|cuDNN|match type")
OUT_OF_MEMORY = frozenset({"ResourceExhaustedError", "OutOfMemoryError", "XlaRuntimeError", "JaxRuntimeError"})
MAX_ERROR = 300
_NOISE = re.compile(r"[\s`'\"]+|\(zero-based\)")
_LOCATED = re.compile(r"Graph execution error:"
                      r"(?:.*\nNode: [^\n]*\n|.*?\n\n(?=\S)(?!Detected at)(?:Stack trace[^\n]*\n)?)"
                      r"(?:\d+ root error[^\n]*\n\s*\(0\) \w+:\s*)?", re.DOTALL)
"""What TensorFlow writes before an error out of a graph: where its nodes were made, and that there are several errors
(tensorflow/python/framework/error_interpolation.py: interpolate_graph)."""
_KERNEL = re.compile(r"\n\t \[\[.*", re.DOTALL)
_TRACED, _TERMINAL = re.compile(r"\n\s*\w*Error: "), re.compile(r"\x1b\[\d*m")
_BOLD, _NODE = re.compile(r"\x1b\[1m(.+?)\x1b\[0m", re.DOTALL), re.compile(r"\{\{[^{}]*\}\}")
_DTYPES = ((re.compile(r"\bdouble\b"), "float64"), (re.compile(r"\bfloat\b"), "float32"),
           (re.compile(r"\bhalf\b"), "float16"))


def judged(claim: Claim, reply: Mapping[str, Any]) -> Verification:
    """The verdict, with who gave it."""
    facts, error = dict(claim.facts), reply.get("error") or {}
    verdict, note = _verdict(facts, reply, error)
    stand_ins = f"with {told}" if (told := ", ".join(facts.get("notes") or ())) else ""
    note = note if note and verdict in (INCONCLUSIVE, NOT_VERIFIABLE) else ", ".join(filter(None, (note, stand_ins)))
    told = ": ".join(filter(None, (next(iter(error.get("types") or ()), ""), _one_line(str(error.get("text", ""))))))
    versions = {str(name): str(version) for name, version in (reply.get("versions") or {}).items()}
    told = _fatal(str(error.get("text", ""))) if reply.get("crashed") else told
    return Verification(verdict, backend_name(versions), str(reply.get("device") or ""), tuple(versions.items()),
                        told if reply.get("outcome") == "raised" else "", reply.get("seconds"),
                        reply.get("peak_bytes"), note)


def _verdict(facts: Mapping[str, Any], reply: Mapping[str, Any], error: Mapping[str, Any]) -> tuple[str, str]:
    outcome, text = reply.get("outcome"), str(error.get("text", ""))
    if outcome == "refused":
        return NOT_VERIFIABLE, text
    if reply.get("crashed"):
        predicted = [{**one, "error": ""} for one in facts.get("expected") or () if one["texts"]]
        return (CONFIRMED, str(reply["crashed"])) if as_expected(predicted, [], text) else (
            INCONCLUSIVE, str(reply["crashed"]))
    if elsewhere := _other_versions(facts, reply):
        return INCONCLUSIVE, elsewhere
    if outcome == "ran":
        return _of_run(facts, reply)
    types = list(error.get("types") or ())
    if facts.get("memory") and OUT_OF_MEMORY.intersection(types):
        return CONFIRMED, ""
    if (OUT_OF_MEANS.intersection(types) and facts.get("name") is None) or "no network in" in text:
        return INCONCLUSIVE, "the machine could not run it"
    if reply.get("stage") in ("start", "before", "inputs"):
        return INCONCLUSIVE, "what leads to the failing call could not be made"
    if not facts.get("shows") and as_expected(facts.get("expected") or (), types, text):
        return CONFIRMED, ""
    return (INCONCLUSIVE, older) if (older := _other_release(facts, reply)) else (DIFFERENT, "")


def _of_run(facts: Mapping[str, Any], reply: Mapping[str, Any]) -> tuple[str, str]:
    """A run refutes that something is raised; else it is what it showed that counts."""
    measured = reply.get("measured") or {}
    verdict, note = REFUTED, ""
    if facts.get("shows"):
        verdict, note = shown(facts["shows"], measured)
    elif facts.get("memory"):
        verdict, note = of_memory(facts["memory"], measured)
    if verdict == REFUTED and (older := _other_release(facts, reply) or _other_backend(facts, reply)):
        return INCONCLUSIVE, older
    return verdict, note


def _other_backend(facts: Mapping[str, Any], reply: Mapping[str, Any]) -> str:
    """Why a run on another library than TensorFlow does not refute what TensorFlow says, or ""."""
    versions = {str(name): str(version) for name, version in (reply.get("versions") or {}).items()}
    ours = [one["error"] in OF_TENSORFLOW or any(map(_TENSORFLOW.search, one["texts"]))
            for one in facts.get("expected") or ()]
    if "tensorflow" in versions or "keras" not in versions or not ours or not all(ours):
        return ""
    return f"it is about TensorFlow, this is {backend_name(versions)}"


def _other_versions(facts: Mapping[str, Any], reply: Mapping[str, Any]) -> str:
    """Why the versions that ran say nothing about those that the claim is about, or ""."""
    ran, here = _ran(reply)
    where, exists = Where(**(facts.get("where") or {})), facts.get("exists")
    if not where.holds(here) or (exists and Where(**exists).holds(here)) or (ran and _about(facts, ran)[0] != ran[0]):
        return _told(facts, ran) if ran else "it is about other releases of PyTorch"
    return ""


def _other_release(facts: Mapping[str, Any], reply: Mapping[str, Any]) -> str:
    """The same for another release of the same Keras or of PyTorch, which may only confirm."""
    ran, here = _ran(reply)
    about = _about(facts, ran)
    if not ran and "torch" in (reply.get("versions") or {}):
        about, ran = tuple((facts.get("stack") or {}).get("torch") or here.torch), here.torch
        return "" if ran[:len(about)] == about else (f"it is about PyTorch {dotted(about)}, this is PyTorch "
                                                     f"{dotted(ran)}: --torch {dotted(ran[:2])} judges for it")
    if ran[:len(about)] == about:
        return ""
    return f"{_told(facts, ran)}: --keras {dotted(ran[:2])} judges for it"


def _ran(reply: Mapping[str, Any]) -> tuple[Version, Stack]:
    """The Keras that ran, () for none, and all that did."""
    versions = reply.get("versions") or {}
    keras = parse_version(versions.get("keras") or versions.get("tf_keras") or "")
    default = Stack()
    return keras, Stack(keras=keras or default.keras,
                        tensorflow=parse_version(versions.get("tensorflow") or "") or default.tensorflow,
                        torch=parse_version(versions.get("torch") or "") or default.torch)


def _about(facts: Mapping[str, Any], ran: Version) -> Version:
    return tuple((facts.get("stack") or {}).get("keras") or ran)


def _told(facts: Mapping[str, Any], ran: Version) -> str:
    return f"it is about Keras {dotted(_about(facts, ran))}, this is Keras {dotted(ran)}"


def as_expected(expected: Iterable[Mapping[str, Any]], types: list[str], text: str) -> bool:
    """Whether an exception is one of the predicted: of its class, and saying one of its texts.

    >>> as_expected([{"error": "ValueError", "texts": ["size ... is 0"]}], ["ValueError"], "the size of it is  `0`")
    True
    """
    return any((not one["error"] or one["error"] in types)
               and (not one["texts"] or any(_says(text, fragment) for fragment in one["texts"])) for one in expected)


def _says(text: str, fragment: str) -> bool:
    """Its parts, which `...` separates, in this order; quotes and blanks do not count."""
    text, at = _plain(text), 0
    for part in filter(None, map(_plain, fragment.split("..."))):
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def _plain(text: str) -> str:
    """Without quotes and blanks, with dtypes as NumPy names them: kernels say double."""
    for pattern, name in _DTYPES:
        text = pattern.sub(name, text)
    return _NOISE.sub("", text).lower().rstrip(".")


def _fatal(text: str) -> str:
    """The line with which a process ended."""
    lines = [line for line in text.splitlines() if "CUDNN_" in line or "Check failed" in line]
    return _one_line(lines[-1]) if lines else ""


def _one_line(text: str) -> str:
    """Without the frames of a traced function before it, names of graph nodes, and what Keras wraps around it.

    >>> _one_line("in user code:\\n\\n  File ...\\n\\n  TypeError: \\x1b[1mno\\x1b[0m")
    'no'
    """
    if text.lstrip().startswith("in user code:"):
        text = _TRACED.split(text)[-1]
    text = _KERNEL.sub("", _LOCATED.sub("", text, count=1))
    if bold := _BOLD.search(text):  # keras/src/utils/traceback_utils.py: inject_argument_info_in_traceback
        text = bold[1]
    text = " ".join(_NODE.sub("", _TERMINAL.sub("", text)).split())
    return text if len(text) <= MAX_ERROR else text[:MAX_ERROR - 3] + "..."


def backend_name(versions: Mapping[str, str]) -> str:
    """
    >>> backend_name({"keras": "3.15.1", "tensorflow": "2.21.0", "python": "3.11.7"})
    'Keras 3.15.1 on TensorFlow 2.21.0'
    """
    return " on ".join(f"{NAMES[name]} {version}" for name, version in versions.items() if name in NAMES)
