"""Words and numbers into indices: StringLookup, IntegerLookup and TextVectorization."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from cudnnlint.ops.arguments import show
from cudnnlint.ops.arith import as_dim, is_known
from cudnnlint.ops.elementwise import one_of
from cudnnlint.ops.encoding import encode, traced
from cudnnlint.ops.functions import contents
from cudnnlint.ops.preprocessing import agreed, preprocessing
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput
from cudnnlint.ops.words import learned, split
from cudnnlint.records import record
from cudnnlint.values import FREE, Dim, Mismatch, Problem, Shape, Stack, Tensor, Unknown, Where

MODES = ("int", "one_hot", "multi_hot", "count", "tf_idf", "tf-idf", "binary")
ADAPTED = Unknown("the vocabulary is known after adapt()")
OLD_NAMES = {"binary": "multi_hot", "tf-idf": "tf_idf"}


@record(frozen=True, slots=True)
class Vocabulary:
    """What decides the number of columns of an encoded look-up.

    keras/src/layers/preprocessing/index_lookup.py: set_vocabulary, vocabulary_size
    """

    words: Any = None
    max_tokens: Any = None
    oov_indices: Any = 1
    oov_token: Any = None
    padded: Any = False
    adapted: bool = False

    def learn(self, words: Iterable[Any] | None, mask: Any, *, mask_counts: bool) -> Vocabulary:
        """What adapt() makes of it, from the words of its data; what was given from the start is not learned anew.
        The mask is no word, and has an index where indices are asked for."""
        if self.words is not None and not self.adapted:
            return self
        limits = (None if self.max_tokens is None else as_dim(self.max_tokens), self.oov_indices)
        if words is None or any(limit is not None and not is_known(limit) for limit in limits) \
                or isinstance(mask, Unknown) or isinstance(self.oov_token, Unknown):
            return replace(self, words=None, adapted=True)
        special = self.oov_indices + (mask_counts and mask is not None)
        most = None if self.max_tokens is None else self.max_tokens - special
        return replace(self, words=learned(words, (mask, self.oov_token), most), adapted=True)

    def depth(self) -> Dim:
        if self.padded is True and self.max_tokens is not None:
            return as_dim(self.max_tokens)
        if self.padded not in (True, False) or not isinstance(self.words, (list, tuple)) or not is_known(
                self.oov_indices):
            return ADAPTED
        if any(isinstance(word, Unknown) for word in self.words):
            return Unknown("vocabulary")
        special = [self.oov_token] * self.oov_indices if self.oov_indices < 100 else []
        listed = list(self.words[: len(special)]) == special
        return len(self.words) + (0 if listed and special else self.oov_indices)

    def indices(self, first: int) -> tuple[int, int] | None:
        """Those of the first and of the last word, after `first` special ones and those of words that are not listed
        (keras/src/layers/preprocessing/index_lookup.py: _token_start_index)."""
        words = self.words if isinstance(self.words, list | tuple) else ()
        if not words or not is_known(self.oov_indices) or any(isinstance(word, Unknown) for word in words):
            return None
        if self.oov_token in words[:2] or "" in words[:1] or self.max_tokens is not None:
            return None  # the special ones are listed too
        return first + self.oov_indices, first + self.oov_indices + len(words) - 1

    def listed(self, mask: Any) -> tuple[Any, ...] | Unknown:
        """All words in the order of their indices, the special ones first: `mask`, if there is one, and those that
        stand for words that are not listed (keras/src/layers/preprocessing/index_lookup.py: set_vocabulary)."""
        if not isinstance(self.words, list | tuple) or not is_known(self.oov_indices):
            return ADAPTED
        if isinstance(mask, Unknown) or any(isinstance(word, Unknown) for word in self.words):
            return Unknown("vocabulary")
        special = (*(() if mask is None else (mask,)), *(self.oov_token,) * self.oov_indices)
        words = tuple(self.words)
        return words if special and words[:len(special)] == special else (*special, *words)

    def check(self) -> Iterator[Mismatch]:
        if is_known(self.max_tokens) and self.max_tokens <= 1:
            yield Mismatch(Problem.NON_POSITIVE, f"max_tokens is {self.max_tokens}", argument="max_tokens",
                           help="max_tokens must be greater than 1",
                           error='ValueError "If set, `max_tokens` must be greater than 1"')
        if self.padded is True and self.max_tokens is None:
            yield Mismatch(Problem.INVALID_ARGUMENT, "pad_to_max_tokens without max_tokens", argument="max_tokens",
                           error='ValueError "If pad_to_max_tokens is True, must set `max_tokens`"')
        if is_known(self.oov_indices) and self.oov_indices < 0:
            yield Mismatch(Problem.NON_POSITIVE, f"num_oov_indices is {self.oov_indices}", argument="num_oov_indices",
                           error='ValueError "`num_oov_indices` must be greater than or equal to 0"')
        words = self.words if isinstance(self.words, (list, tuple)) else ()
        plain = [word for word in words if isinstance(word, (str, int)) and not isinstance(word, bool)]
        if twice := next((word for at, word in enumerate(plain) if at < 1000 and word in plain[:at]), None):
            yield Mismatch(Problem.INVALID_ARGUMENT, f"vocabulary holds {show(twice)} twice", argument="vocabulary",
                           error='ValueError "The passed vocabulary has at least one repeated term"')


class _OfWords(SingleInput):
    """A list of strings, some of which are tensors, is one tensor to these layers
    (keras/src/utils/tf_utils.py: ensure_tensor)."""

    __slots__ = ()

    def infer(self, call: LayerCall) -> Outcome:
        given = call.inputs
        if isinstance(given, list | tuple) and given and all(
                isinstance(item, Tensor) and item.shape == () and item.kind != "keras" for item in given):
            return self.output(given[0].with_(shape=(len(given),)), call)
        return SingleInput.infer(self, call)


@record(frozen=True, slots=True)
class Lookup(_OfWords):
    """Indices of the input's shape, or encoded with a column for every word; inverted, words for indices."""

    mode: Any
    vocabulary: Vocabulary
    invert: Any = False
    inverted: str = "string"
    only_int64: bool = True
    mask: Any = None

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        yield from one_of("output_mode", self.mode, *MODES)
        yield from self.vocabulary.check()
        if self.invert is True and isinstance(self.mode, str) and self.mode != "int":
            yield Mismatch(Problem.INVALID_ARGUMENT, f'invert with output_mode "{self.mode}"', argument="invert",
                           error='ValueError "`output_mode` must be `\'int\'` when `invert` is true"')
        if not self.only_int64:
            yield Mismatch(Problem.INVALID_ARGUMENT, f"vocabulary_dtype is {show(self.inverted)}",
                           argument="vocabulary_dtype", where=Where(keras=">=3"),
                           error='ValueError "Only `vocabulary_dtype=\'int64\'` is supported at this time"')

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        newest = call.stack.keras >= (3,)
        if not isinstance(self.mode, str) or isinstance(self.invert, Unknown):
            return x.with_(shape=Unknown("output_mode"), dtype=Unknown("output_mode or invert"))
        if self.mode == "int":
            words = self.inverted if not newest or x.kind != "keras" or self.inverted == "int64" else Unknown("words")
            found = self._indices(x) if self.invert is False and x.kind != "keras" else None
            return x.with_(dtype=words if self.invert else "int64", content=found)
        if isinstance(x.shape, Unknown):
            return x.with_(shape=x.shape, dtype=_encoded_dtype(x, self.mode, call))
        mode = OLD_NAMES.get(self.mode, self.mode)
        depth = self.vocabulary.depth()
        return encode("Lookup", x, mode, depth, call, _encoded_dtype(x, mode, call))

    @property
    def listed(self) -> tuple[Any, ...] | Unknown:
        """What get_vocabulary() gives."""
        return self.vocabulary.listed(self.mask if self.mode == "int" else None)

    @property
    def indices(self) -> tuple[int, int] | None:
        """The least and the greatest index of a word that is listed."""
        plain = self.mode == "int" and self.invert is False and not isinstance(self.mask, Unknown)
        return self.vocabulary.indices(0 if self.mask is None else 1) if plain else None

    def _indices(self, x: Tensor) -> Any:
        """The mask's is 0, then come one for all words that are not known, and the words in their order
        (keras/src/layers/preprocessing/index_lookup.py: IndexLookup)."""
        words, items = self.vocabulary.words, contents.flat(x.content)
        if items is None or not isinstance(words, list | tuple) or self.vocabulary.oov_indices != 1 or not isinstance(
                x.shape, tuple) or any(isinstance(word, Unknown) for word in words) or isinstance(self.mask, Unknown):
            return None
        first = 0 if self.mask is None else 1
        if self.vocabulary.oov_token in words[:2] or (first and self.mask in words[:1]):
            return None  # the special ones are listed too
        places = {word: first + 1 + place for place, word in enumerate(words)}
        if first:
            places[self.mask] = 0
        return contents.nest(tuple(places.get(item, first) for item in items), tuple(map(int, x.shape)))  # type: ignore[arg-type]


def _encoded_dtype(x: Tensor, mode: str, call: LayerCall) -> str:
    """Keras 3 labels a symbolic output float32 but counts in int64."""
    return "int64" if call.stack.keras >= (3,) and x.kind != "keras" and mode != "tf_idf" else call.policy.compute


@record(frozen=True, slots=True)
class TextVectorization(_OfWords):
    """A string in each row -> (B, output_sequence_length) indices, or (B, words) encoded; of a single string one row
    without its batch axis (keras/src/layers/preprocessing/text_vectorization.py: call)."""

    mode: Any
    vocabulary: Vocabulary
    length: Any = None
    split: Any = "whitespace"
    ragged: Any = False
    standardize: Any = "lower_and_strip_punctuation"
    ngrams: Any = None

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        yield from one_of("output_mode", self.mode, *MODES)
        yield from one_of("split", self.split, "whitespace", "character")
        if isinstance(self.mode, str) and self.mode in MODES and self.mode != "int" and is_known(self.length):
            yield Mismatch(Problem.INVALID_ARGUMENT, f'output_sequence_length with output_mode "{self.mode}"',
                           argument="output_sequence_length", help='leave it out, or output_mode="int"',
                           error='ValueError "`output_sequence_length` must not be set if `output_mode`"')
        yield from self.vocabulary.check()

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if not isinstance(self.mode, str) or isinstance(x.shape, Unknown) or self.ragged is not False:
            return x.with_(shape=Unknown("output_mode, ragged or input rank"),
                           dtype="int64" if self.mode == "int" else Unknown("output_mode"))
        later = call.stack.keras >= (3,) and x.kind == "keras"  # call() is not run as the model is built
        wrong = self._wrong_rank(x, x.shape, later)
        if isinstance(wrong, Mismatch) and later:
            return replace(wrong, otherwise=self._made(x, x.shape, call))
        return wrong or self._made(x, x.shape, call)

    def _made(self, x: Tensor, shape: Shape, call: LayerCall) -> Tensor:
        if self.mode == "int":
            return x.with_(shape=self._indices(x, shape), dtype="int64")
        mode, depth = OLD_NAMES.get(self.mode, self.mode), self.vocabulary.depth()
        if self.split is None or not shape:
            return x.with_(shape=Unknown("split"), dtype=_encoded_dtype(x, mode, call))
        run: Shape = (shape[0], depth)
        written = traced("Lookup", (*shape, FREE), mode, depth, call.stack.keras)
        return x.with_(shape=agreed(x, written, run, newest=call.stack.keras >= (3,)),
                       dtype=_encoded_dtype(x, mode, call))

    @property
    def listed(self) -> tuple[Any, ...] | Unknown:
        """What get_vocabulary() gives."""
        return self.vocabulary.listed("" if self.mode == "int" else None)

    @property
    def indices(self) -> tuple[int, int] | None:
        """The least and the greatest index of a word that is listed; "" is 0, what pads (text_vectorization.py)."""
        return self.vocabulary.indices(1) if self.mode == "int" else None

    def words_of(self, x: Tensor) -> list[tuple[str, ...]] | None:
        """Those of each text that is known."""
        texts = contents.flat(x.content)
        if texts is None or not all(isinstance(text, str) for text in texts):
            return None
        found = [split(text, self.standardize, self.split, self.ngrams) for text in texts]
        return None if None in found else found  # type: ignore[return-value]

    def _indices(self, x: Tensor, shape: Shape) -> Shape | Unknown:
        given = as_dim(self.length) if self.length is not None else FREE
        if self.length is None and x.kind != "keras" and (found := self.words_of(x)):
            given = max(map(len, found))
        length = Unknown("not a length") if isinstance(given, int) and given < 0 else given
        return (*shape[:1], Unknown("split") if self.split is None else length)

    def _wrong_rank(self, x: Tensor, shape: Shape, later: bool) -> Mismatch | Unknown | None:
        if self.split is None or isinstance(self.split, Unknown) or len(shape) < 2 or shape[-1] == 1:
            return Unknown("more than two axes") if len(shape) > 2 else None
        if not isinstance(shape[-1], int):
            return Unknown("more than one string in each row")
        return Mismatch(Problem.RANK, f"TextVectorization needs one string in each row, its input is {x}",
                        help="give an input of shape (B,) or (B, 1)",
                        error='ValueError "the input rank must be 1 or the last shape dimension must be 1"',
                        facts=(("expected", 1), ("actual", len(shape)),
                               *((("moment", "when the model is run"),) if later else ())))


@preprocessing("StringLookup", versions={"idf_weights": ">=2.7", "name": ">=3", "salt": ">=3.14",
                                         "oov_method": ">=3.14"})
def string_lookup(max_tokens: Any = None, num_oov_indices: Any = 1, mask_token: Any = None, oov_token: Any = "[UNK]",
                  vocabulary: Any = None, idf_weights: Any = None, invert: Any = False, output_mode: Any = "int",
                  pad_to_max_tokens: Any = False, sparse: Any = False, encoding: Any = "utf-8", name: Any = None,
                  salt: Any = None, *, oov_method: Any = "floormod") -> Lookup:
    words = Vocabulary(vocabulary, max_tokens, num_oov_indices, oov_token, pad_to_max_tokens)
    return Lookup(output_mode, words, invert, mask=mask_token)


@preprocessing("IntegerLookup", versions={"idf_weights": ">=2.7", "vocabulary_dtype": ">=2.8", "oov_method": ">=3.14",
                                          "salt": ">=3.14", "mask_value": "<3", "oov_value": "<3", "max_values": "<3"})
def integer_lookup(max_tokens: Any = None, num_oov_indices: Any = 1, mask_token: Any = None, oov_token: Any = -1,
                   vocabulary: Any = None, vocabulary_dtype: Any = "int64", idf_weights: Any = None,
                   invert: Any = False, output_mode: Any = "int", sparse: Any = False, pad_to_max_tokens: Any = False,
                   oov_method: Any = "floormod", salt: Any = None, *, mask_value: Any = None, oov_value: Any = None,
                   max_values: Any = None) -> Lookup:
    mask_token, oov_token, max_tokens = (
        new if old is None else old for new, old in (
            (mask_token, mask_value), (oov_token, oov_value), (max_tokens, max_values)))
    dtype = vocabulary_dtype if isinstance(vocabulary_dtype, str) else "int64"
    words = Vocabulary(vocabulary, max_tokens, num_oov_indices, oov_token, pad_to_max_tokens)
    return Lookup(output_mode, words, invert, dtype, dtype == "int64", mask_token)


@preprocessing("TextVectorization", versions={"idf_weights": ">=2.7", "sparse": ">=2.7", "ragged": ">=2.7",
                                              "encoding": ">=2.11"})
def text_vectorization(max_tokens: Any = None, standardize: Any = "lower_and_strip_punctuation",
                       split: Any = "whitespace", ngrams: Any = None, output_mode: Any = "int",
                       output_sequence_length: Any = None, pad_to_max_tokens: Any = False, vocabulary: Any = None,
                       idf_weights: Any = None, sparse: Any = False, ragged: Any = False,
                       encoding: Any = "utf-8") -> TextVectorization:
    return TextVectorization(output_mode, Vocabulary(vocabulary, max_tokens, 1, "[UNK]", pad_to_max_tokens),
                             output_sequence_length, split, ragged, standardize, ngrams)
