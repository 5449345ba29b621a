"""Bytes of a training step as measured by tests/oracle/memory_step.py: TensorFlow 2.21, Keras 3.15.1, on a CPU."""

from __future__ import annotations

from collections.abc import Mapping

MEASURED: Mapping[str, tuple[tuple[int, str, int], ...]] = {
    "dense": ((4, "adam", 20_641_612), (4, "rmsprop", 20_636_360), (4, "sgd", 19_979_676), (16, "adam", 79_771_516)),
    "excited": (
        (4, "adam", 16_359_996), (4, "rmsprop", 16_271_256), (4, "sgd", 15_890_972), (16, "adam",
        63_356_268)),
    "lstm": ((8, "adam", 7_270_088), (8, "rmsprop", 6_494_975), (8, "sgd", 3_571_323), (64, "adam", 19_546_495)),
    "mlp": (
        (16, "adam", 34_092_276), (16, "rmsprop", 37_242_064), (16, "sgd", 14_984_332), (256, "adam",
        35_828_912)),
    "mobilenet": (
        (4, "adam", 12_416_160), (4, "rmsprop", 12_410_328), (4, "sgd", 12_107_388), (16, "adam",
        48_248_016)),
    "normed": (
        (16, "adam", 22_241_532), (16, "rmsprop", 22_236_296), (16, "sgd", 21_473_072), (64, "adam",
        85_500_348)),
    "plain": (
        (16, "adam", 18_725_132), (16, "rmsprop", 18_727_684), (16, "sgd", 13_648_792), (64, "adam",
        52_053_756)),
    "resnet": ((4, "adam", 12_949_456), (4, "rmsprop", 12_943_096), (4, "sgd", 6_756_060), (16, "adam", 22_977_292)),
    "transformer": (
        (4, "adam", 18_254_156), (4, "rmsprop", 18_251_896), (4, "sgd", 9_828_032), (16, "adam", 34_352_504)),
    "unet": ((2, "adam", 12_338_236), (2, "rmsprop", 12_338_084), (2, "sgd", 8_481_828), (8, "adam", 31_999_036)),
    "vgg": ((4, "adam", 99_791_572), (4, "rmsprop", 98_827_448), (4, "sgd", 44_435_260), (16, "adam", 127_749_444)),
    "volumes": ((4, "adam", 7_726_516), (4, "rmsprop", 7_659_320), (4, "sgd", 7_589_212), (16, "adam", 30_285_796)),
}
"""Program (tests/oracle/memory_models.py) -> (batch size, optimizer, bytes)."""
KERAS_2: tuple[tuple[str, int, str, int], ...] = (
    ("mobilenet", 4, "rmsprop", 12_113_012),
    ("normed", 16, "adam", 21_061_484),
    ("plain", 16, "adam", 18_725_116),
    ("plain", 16, "sgd", 17_083_828),
    ("resnet", 16, "adam", 23_566_140),
    ("unet", 2, "adam", 12_338_232),
    ("vgg", 4, "adam", 99_791_528),
    ("volumes", 4, "adam", 7_837_120),
)
"""(program, batch size, optimizer, bytes) with tf_keras 2.21."""
