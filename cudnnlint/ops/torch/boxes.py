"""Boxes of torchvision.ops: what is left of them, their areas, how far they overlap."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import is_known, may_equal
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown

CORNERS = 4
"""Numbers of a box: x1, y1, x2, y2."""


def _no_boxes(name: str, boxes: Any, ranks: tuple[int, ...], error: str) -> Mismatch | None:
    """What has no four numbers a row."""
    if not isinstance(boxes, Tensor) or not isinstance(boxes.shape, tuple):
        return None
    if len(boxes.shape) not in ranks:
        return Mismatch(Problem.RANK, f"{name} takes boxes (N, {CORNERS}), it is given {boxes}", argument="boxes",
                        help="one box is a row: boxes.unsqueeze(0)" if len(boxes.shape) == 1 else "", error=error,
                        facts=(("expected", ranks[0]), ("actual", len(boxes.shape))))
    if not may_equal(boxes.shape[-1], CORNERS):
        return Mismatch(Problem.CHANNELS, f"{name} takes boxes of {CORNERS} numbers, it is given {boxes.shape[-1]}: "
                        f"{boxes}", argument="boxes", help=f"boxes[:, :{CORNERS}]", error=error,
                        facts=(("expected", CORNERS), ("actual", boxes.shape[-1])))
    return None


def _scores(boxes: Any, scores: Any) -> Mismatch | None:
    """torchvision/csrc/ops/cpu/nms_kernel.cpp: nms_kernel"""
    if not isinstance(scores, Tensor) or not isinstance(scores.shape, tuple):
        return None
    if len(scores.shape) != 1:
        return Mismatch(Problem.RANK, f"nms takes one score a box, (N,), it is given {scores}", argument="scores",
                        help="scores.squeeze(1)" if scores.shape[-1:] == (1,) else "the scores of one class",
                        error=f'RuntimeError "scores should be a 1d tensor, got {len(scores.shape)}D"',
                        facts=(("expected", 1), ("actual", len(scores.shape))))
    rows = boxes.shape[0] if isinstance(boxes, Tensor) and isinstance(boxes.shape, tuple) and boxes.shape else None
    if rows is None or may_equal(rows, scores.shape[0]):
        return None
    return Mismatch(Problem.MERGE, f"nms of {rows} boxes and {scores.shape[0]} scores", argument="scores",
                    help="one score a box", error='RuntimeError "boxes and scores should have same number of elements '
                    f'in dimension 0, got {rows} and {scores.shape[0]}"')


@function("torchvision.ops.nms", "torchvision.ops.boxes.nms")
def nms(boxes: Any, scores: Any, iou_threshold: Any) -> Outcome:
    """(N, 4), (N,) -> (kept,) of int64 (torchvision/ops/boxes.py: nms)."""
    flat = 'RuntimeError "boxes should be a 2d tensor" or "boxes should have 4 elements in dimension 1"'
    return _no_boxes("nms", boxes, (2,), flat) or _scores(boxes, scores) or Tensor(
        (Unknown("boxes that are kept"),), "int64", "torch")


@function("torchvision.ops.batched_nms", "torchvision.ops.boxes.batched_nms")
def batched_nms(boxes: Any, scores: Any, idxs: Any, iou_threshold: Any) -> Outcome:
    """torchvision/ops/boxes.py: batched_nms, for the boxes of each class by itself."""
    return _scores(boxes, scores) or Tensor((Unknown("boxes that are kept"),), "int64", "torch")


@function("torchvision.ops.box_iou", "torchvision.ops.boxes.box_iou")
def box_iou(boxes1: Any, boxes2: Any, fmt: Any = "xyxy") -> Outcome:
    """torchvision/ops/boxes.py: box_iou"""
    return _overlap("box_iou", boxes1, boxes2)


@function("torchvision.ops.generalized_box_iou", "torchvision.ops.boxes.generalized_box_iou")
def generalized_box_iou(boxes1: Any, boxes2: Any) -> Outcome:
    """torchvision/ops/boxes.py: generalized_box_iou"""
    return _overlap("generalized_box_iou", boxes1, boxes2)


@function(*(f"torchvision.ops.{room}{kind}_box_iou" for room in ("", "boxes.") for kind in ("complete", "distance")))
def other_box_iou(boxes1: Any, boxes2: Any, eps: Any = 1e-7) -> Outcome:
    """torchvision/ops/boxes.py: complete_box_iou, distance_box_iou"""
    return _overlap("box_iou", boxes1, boxes2)


def _overlap(name: str, boxes1: Any, boxes2: Any) -> Outcome:
    """(N, 4), (M, 4) -> (N, M), of late also for (..., N, 4)."""
    wrong = 'IndexError "too many indices" or "out of bounds", RuntimeError "must match the size of tensor" or ' \
        'ValueError "not enough values to unpack"'
    for boxes in (boxes1, boxes2):
        if found := _no_boxes(name, boxes, (2, 3, 4, 5), wrong):
            return found
    if not isinstance(boxes1, Tensor) or not isinstance(boxes2, Tensor) or {boxes1.rank, boxes2.rank} != {2}:
        return Unknown("overlap of boxes")
    rows, columns = (each.shape[0] if isinstance(each.shape, tuple) else Unknown("boxes") for each in (boxes1, boxes2))
    return boxes1.with_(shape=(rows, columns), dtype=boxes1.dtype if boxes1.dtype == boxes2.dtype == "float32" else
                        Unknown("dtype of an overlap"), content=None)


@function("torchvision.ops.box_convert", "torchvision.ops.boxes.box_convert")
def box_convert(boxes: Any, in_fmt: Any, out_fmt: Any) -> Outcome:
    """torchvision/ops/boxes.py: box_convert"""
    for name, given in (("in_fmt", in_fmt), ("out_fmt", out_fmt)):
        if isinstance(given, str) and given not in ("xyxy", "xywh", "cxcywh", "xywhr", "cxcywhr", "xyxyxyxy"):
            return Mismatch(Problem.INVALID_ARGUMENT, f"{name} is {given!r}", argument=name,
                            help='"xyxy", "xywh" or "cxcywh"',
                            error='ValueError "Unsupported Bounding Box Conversions for given in_fmt"')
    rotated = any("r" in given or len(given) > len("cxcywh") for given in (in_fmt, out_fmt) if isinstance(given, str))
    same = isinstance(boxes, Tensor) and isinstance(in_fmt, str) and isinstance(out_fmt, str) and not rotated
    return boxes.with_(content=None) if same else Unknown("boxes")


@function("torchvision.ops.box_area", "torchvision.ops.boxes.box_area")
def box_area(boxes: Any, fmt: Any = "xyxy") -> Outcome:
    """(..., 4) -> (...)"""
    known = isinstance(boxes, Tensor) and isinstance(boxes.shape, tuple) and boxes.shape
    return boxes.with_(shape=boxes.shape[:-1], dtype=boxes.dtype if boxes.dtype in ("float32", "float64") else
                       Unknown("dtype of an area"), content=None) if known and is_known(boxes.shape[-1]) \
        else Unknown("areas of boxes")
