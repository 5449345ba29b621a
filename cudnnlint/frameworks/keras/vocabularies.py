"""The words of StringLookup, IntegerLookup and TextVectorization: asked for, counted and set."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.events import tensors
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.machine import assume, plain
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.ops.functions import contents
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.lookup import Lookup, TextVectorization
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown

PATHS = [f"keras.layers.{room}{name}" for room in ("", "experimental.preprocessing.")
         for name in ("StringLookup", "IntegerLookup", "TextVectorization")]


def _listed(c: Call) -> Any:
    layer = plain(c.receiver)
    known = isinstance(layer, LayerV) and isinstance(layer.op, Lookup | TextVectorization)
    return layer.op.listed if known else Unknown("a vocabulary")


@FRAMEWORK.on(*(f"{path}.vocabulary_size" for path in PATHS))
def vocabulary_size(c: Call) -> Any:
    """With those of the mask and of words that are not listed."""
    words = _listed(c)
    return words if isinstance(words, Unknown) else assume(len(words), plain(c.receiver).assumptions)


@FRAMEWORK.on(*(f"{path}.get_vocabulary" for path in PATHS))
def get_vocabulary(c: Call) -> Any:
    words = _listed(c)
    if isinstance(words, Unknown) or plain(c.get(0, "include_special_tokens", True)) is not True:
        return words if isinstance(words, Unknown) else Unknown("the vocabulary without special tokens")
    return assume(wrap(list(words)), plain(c.receiver).assumptions)


@FRAMEWORK.on(*(f"{path}.adapt" for path in PATHS))
def adapt(c: Call) -> None:
    """The words of data that is known are learned."""
    layer = plain(c.receiver)
    if not isinstance(layer, LayerV) or not isinstance(layer.op, Lookup | TextVectorization):
        return
    op, words = layer.op, None
    _tell_of_pairs(c, plain(c.get(0, "data")), layer)
    data = as_tensor(strip(c.get(0, "data")), "tf")
    if isinstance(data, Tensor) and len(c.args) < 2 and c.kwargs.get("steps") is None:
        words = _words(op, data)
    mask = op.mask if isinstance(op, Lookup) else ""
    c.machine.heap.touch(layer)
    layer.become(replace(op, vocabulary=op.vocabulary.learn(words, mask, mask_counts=op.mode == "int")))


def _tell_of_pairs(c: Call, data: Any, layer: LayerV) -> None:
    """Each element of a dataset is made one tensor (keras/src/layers/preprocessing/index_lookup.py: adapt,
    text_vectorization.py: adapt; tf_keras/src/engine/base_preprocessing_layer.py: adapt_step)."""
    element = getattr(data, "element", None) if getattr(data, "path", "") == "tensorflow.data.Dataset" else None
    found = {part.dtype for part in tensors(element)}
    if isinstance(element, tuple) and len(found) > 1 and "string" in found \
            and all(isinstance(dtype, str) for dtype in found) and is_certain(c.machine):
        refuse(c.machine, c.span, Mismatch(
            Problem.UNEXPECTED, f"adapt() of {layer.display} gets tuples, not the texts alone",
            help="dataset.map(lambda text, label: text)" if len(element) == 2 else "dataset.map(...) of the texts",
            error='InvalidArgumentError "cannot compute Pack", or TypeError'),
            about=tensors(element), what=f"{layer.display}.adapt")


def _words(op: Lookup | TextVectorization, data: Tensor) -> list[Any] | None:
    if isinstance(op, TextVectorization):
        texts = op.words_of(data)
        return None if texts is None else [word for text in texts for word in text]
    items = contents.flat(data.content)
    kind = int if isinstance(op.vocabulary.oov_token, int) else str
    return None if items is None or not all(type(item) is kind for item in items) else [*items]


@FRAMEWORK.on(*(f"{path}.set_vocabulary" for path in PATHS))
def set_vocabulary(c: Call) -> None:
    """What was given before is replaced."""
    layer = plain(c.receiver)
    if isinstance(layer, LayerV) and isinstance(layer.op, Lookup | TextVectorization):
        words = strip(c.get(0, "vocabulary"))
        c.machine.heap.touch(layer)
        layer.become(replace(layer.op, vocabulary=replace(layer.op.vocabulary, words=words, adapted=False)))
