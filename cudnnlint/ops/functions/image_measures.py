"""Numbers about images: psnr, ssim, total variation, gradients, and boxes on them."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import broadcast
from cudnnlint.ops.functions._core import rank_problem
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.image import image, loose
from cudnnlint.ops.functions.select import COUNT
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, Tensor, Unknown


def compared(a: Any, b: Any, name: str) -> Outcome:
    """psnr, ssim: one number per image of the batch."""
    x, y = as_tensor(a, "tf"), as_tensor(b, "tf")
    if isinstance(x, Unknown) or isinstance(y, Unknown):
        return Unknown("images")
    shape = broadcast(x.shape, y.shape)
    if shape is None or isinstance(shape, Unknown) or len(shape) < 3:
        return Unknown("images")
    return x.with_(shape=shape[:-3], dtype="float32")


@function("tensorflow.image.psnr")
def psnr(a: Any, b: Any, max_val: Any, name: Any = None) -> Outcome:
    return compared(a, b, "tf.image.psnr")


@function("tensorflow.image.ssim")
def ssim(img1: Any, img2: Any, max_val: Any, filter_size: Any = 11, filter_sigma: Any = 1.5, k1: Any = 0.01,
         k2: Any = 0.03, return_index_map: Any = False) -> Outcome:
    return compared(img1, img2, "tf.image.ssim") if return_index_map is False else Unknown("return_index_map")


@function("tensorflow.image.ssim_multiscale")
def ssim_multiscale(img1: Any, img2: Any, max_val: Any, power_factors: Any = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333),
                    filter_size: Any = 11, filter_sigma: Any = 1.5, k1: Any = 0.01, k2: Any = 0.03) -> Outcome:
    return compared(img1, img2, "tf.image.ssim_multiscale")


@function("tensorflow.image.total_variation")
def total_variation(images: Any, name: Any = None) -> Outcome:
    x = image(images, "tf.image.total_variation")
    return x.with_(shape=x.shape[:-3]) if isinstance(x, Tensor) and isinstance(x.shape, tuple) else x


@function("tensorflow.image.sobel_edges")
def sobel_edges(image: Any) -> Outcome:
    x = loose(image)
    return x.with_(shape=(*x.shape, 2)) if isinstance(x, Tensor) and isinstance(x.shape, tuple) else x


@function("tensorflow.image.image_gradients")
def image_gradients(image: Any) -> Outcome:
    x = loose(image)
    if isinstance(x, Tensor) and (wrong := rank_problem(x, (4,), "tf.image.image_gradients", "image")):
        return wrong
    return (x, x) if isinstance(x, Tensor) else x


@function("tensorflow.image.draw_bounding_boxes")
def draw_bounding_boxes(images: Any, boxes: Any, colors: Any, name: Any = None) -> Outcome:
    return loose(images)


@function("tensorflow.image.non_max_suppression")
def non_max_suppression(boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any = 0.5,
                        score_threshold: Any = float("-inf"), name: Any = None) -> Outcome:
    scored = isinstance(score_threshold, int | float) and score_threshold != float("-inf")
    count: Dim = Unknown(COUNT if scored else "boxes that are kept")  # without a threshold the best box is kept
    return Tensor((count,), "int32")
