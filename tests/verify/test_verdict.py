"""Replies of a worker and what they say about a claim."""

from __future__ import annotations

from typing import Any

import pytest

from cudnnlint.finding import Claim
from cudnnlint.verify.verdict import judged

KERAS_3 = {"keras": "3.15.1", "tensorflow": "2.21.0"}
VALUE_ERROR = {"types": ["ValueError", "Exception"], "text": "The  size of `x`\nis 0."}


def claim(**facts: Any) -> Claim:
    told = {"expected": [{"error": "ValueError", "texts": ['size of "x" is 0']}], "stack": {"keras": [3, 15]}, **facts}
    return Claim("layer", tuple(told.items()))


def reply(outcome: str = "raised", **more: Any) -> dict[str, Any]:
    return {"outcome": outcome, "error": VALUE_ERROR, "stage": "call", "seconds": 0.2, "versions": KERAS_3,
            "device": "CPU", **more}


def test_the_predicted_failure_confirms() -> None:
    found = judged(claim(), reply())
    assert (found.verdict, found.backend, found.device) == ("confirmed", "Keras 3.15.1 on TensorFlow 2.21.0", "CPU")
    assert found.error == "ValueError: The size of `x` is 0." and found.seconds == 0.2


def test_a_run_refutes() -> None:
    found = judged(claim(), reply("ran", error=None))
    assert (found.verdict, found.error) == ("refuted", "")


@pytest.mark.parametrize("error", [{"types": ["TypeError"], "text": "The size of x is 0"},
                                   {"types": ["ValueError"], "text": "out of luck"}])
def test_another_failure_is_different_and_shown(error: dict[str, Any]) -> None:
    found = judged(claim(), reply(error=error))
    assert found.verdict == "different" and error["text"] in found.error


def test_either_of_several_texts_confirms() -> None:
    expected = [{"error": "KeyError", "texts": []}, {"error": "ValueError", "texts": ["no such", "size ... is 0"]}]
    assert judged(claim(expected=expected), reply()).verdict == "confirmed"


def test_a_claim_about_other_versions_is_not_judged_by_these() -> None:
    found = judged(claim(where={"keras": "<3.10"}, stack={"keras": [3, 9]}), reply("ran"))
    assert (found.verdict, found.note) == ("inconclusive", "it is about Keras 3.9, this is Keras 3.15.1")
    assert judged(claim(stack={"keras": [2, 15]}), reply("ran")).verdict == "inconclusive"


@pytest.mark.parametrize("more", [{"stage": "before"}, {"stage": "inputs"},
                                  {"error": {"types": ["MemoryError"], "text": ""}}])
def test_what_fails_before_the_claim_says_nothing_about_it(more: dict[str, Any]) -> None:
    assert judged(claim(), reply(**more)).verdict == "inconclusive"


def test_a_job_that_the_worker_does_not_take_is_not_verifiable() -> None:
    found = judged(claim(), reply("refused", error={"types": [], "text": "no layer x"}))
    assert (found.verdict, found.note) == ("not verifiable", "no layer x")


def test_stand_ins_are_told() -> None:
    assert judged(claim(notes=["batch 2"]), reply()).note == "with batch 2"


def test_an_error_is_shown_without_what_is_wrapped_around_it() -> None:
    text = ("in user code:\n\n    File x\n\n    ValueError: Exception encountered when calling Add.call().\n\n"
            "\x1b[1m{{function_node a}} the size of x is 0\x1b[0m\n\nArguments received by Add.call():")
    found = judged(claim(), reply(error={"types": ["ValueError"], "text": text}))
    assert (found.verdict, found.error) == ("confirmed", "ValueError: the size of x is 0")


NODES = "Graph execution error:\n\n" + "".join(
    f"Detected at node '{name}' defined at (most recent call last):\n  File \"train.py\"\nNode: '{name}'\n"
    for name in "ab")


@pytest.mark.parametrize("wrong", [
    "The size of x is 0\n\t [[{{node a}}]]",
    "2 root error(s) found.\n  (0) INVALID_ARGUMENT:  The size of x is 0\n\t [[{{node a}}]]\n  (1) CANCELLED: b",
])
def test_an_error_out_of_a_graph_is_shown_without_its_nodes(wrong: str) -> None:
    found = judged(claim(expected=[{"error": "InvalidArgumentError", "texts": ["size of x is 0"]}]),
                   reply(error={"types": ["InvalidArgumentError"], "text": NODES + wrong}))
    assert (found.verdict, found.error) == ("confirmed", "InvalidArgumentError: The size of x is 0")


def test_another_release_may_confirm_but_not_refute() -> None:
    older = claim(stack={"keras": [3, 12]})
    assert judged(older, reply()).verdict == "confirmed"
    found = judged(older, reply("ran", error=None))
    assert found.verdict == "inconclusive"
    assert found.note == "it is about Keras 3.12, this is Keras 3.15.1: --keras 3.15 judges for it"
