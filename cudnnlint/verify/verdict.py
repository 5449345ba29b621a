"""What a worker's reply says about a claim."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from cudnnlint.finding import Claim, Verification
from cudnnlint.values import Stack, Where
from cudnnlint.values.stack import dotted, parse_version
from cudnnlint.verify.interpreter import NAMES

CONFIRMED, REFUTED, DIFFERENT = "confirmed", "refuted", "different"
INCONCLUSIVE, NOT_VERIFIABLE = "inconclusive", "not verifiable"
OUT_OF_MEANS = frozenset({"MemoryError", "ResourceExhaustedError", "OutOfMemoryError", "ModuleNotFoundError"})
"""Exceptions that say something about the machine, not about the program."""
MAX_ERROR = 300
_NOISE = re.compile(r"[\s`'\"]+")


def judged(claim: Claim, reply: Mapping[str, Any]) -> Verification:
    """The verdict, with who gave it."""
    facts, error = dict(claim.facts), reply.get("error") or {}
    verdict, note = _verdict(facts, reply, error)
    stand_ins = ", ".join(facts.get("notes") or ())
    told = ": ".join(filter(None, (next(iter(error.get("types") or ()), ""), _one_line(str(error.get("text", ""))))))
    versions = {str(name): str(version) for name, version in (reply.get("versions") or {}).items()}
    return Verification(verdict, backend_name(versions), str(reply.get("device") or ""), tuple(versions.items()),
                        told if reply.get("outcome") == "raised" else "", reply.get("seconds"),
                        reply.get("peak_bytes"), note or (f"with {stand_ins}" if stand_ins else ""))


def _verdict(facts: Mapping[str, Any], reply: Mapping[str, Any], error: Mapping[str, Any]) -> tuple[str, str]:
    outcome, text = reply.get("outcome"), str(error.get("text", ""))
    if outcome == "refused":
        return NOT_VERIFIABLE, text
    if elsewhere := _other_versions(facts, reply):
        return INCONCLUSIVE, elsewhere
    if outcome == "ran":
        return REFUTED, ""
    types = list(error.get("types") or ())
    if OUT_OF_MEANS.intersection(types):
        return INCONCLUSIVE, "the machine could not run it"
    if reply.get("stage") in ("start", "before", "inputs"):
        return INCONCLUSIVE, "what leads to the failing call could not be made"
    expected = facts.get("expected") or {}
    return (CONFIRMED if as_expected(expected, types, text) else DIFFERENT), ""


def _other_versions(facts: Mapping[str, Any], reply: Mapping[str, Any]) -> str:
    """Why the versions that ran say nothing about those that the claim is about, or ""."""
    versions = reply.get("versions") or {}
    ran = parse_version(versions.get("keras") or versions.get("tf_keras") or "")
    if not ran:
        return ""
    tensorflow = parse_version(versions.get("tensorflow") or "")
    about = tuple((facts.get("stack") or {}).get("keras") or ran)
    where = Where(**(facts.get("where") or {}))
    if about[0] != ran[0] or not where.holds(Stack(keras=ran, tensorflow=tensorflow or Stack().tensorflow)):
        return f"it is about Keras {dotted(about)}, this is Keras {dotted(ran)}"
    return ""


def as_expected(expected: Mapping[str, Any], types: list[str], text: str) -> bool:
    """Whether an exception is the predicted one: of one of its classes, and saying one of its texts.

    >>> as_expected({"errors": ["ValueError"], "texts": ["size ... is 0"]}, ["ValueError"], "the size of it is  `0`")
    True
    """
    errors, texts = expected.get("errors") or (), expected.get("texts") or ()
    if errors and not set(errors) & set(types):
        return False
    return not texts or any(_says(text, fragment) for fragment in texts)


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
    return _NOISE.sub("", text).lower().rstrip(".")


def _one_line(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MAX_ERROR else text[:MAX_ERROR - 3] + "..."


def backend_name(versions: Mapping[str, str]) -> str:
    """
    >>> backend_name({"keras": "3.15.1", "tensorflow": "2.21.0", "python": "3.11.7"})
    'Keras 3.15.1 on TensorFlow 2.21.0'
    """
    return " on ".join(f"{NAMES[name]} {version}" for name, version in versions.items() if name in NAMES)
