"""keras.preprocessing.text.Tokenizer: what it makes of texts, as far as shapes go."""

from __future__ import annotations

from typing import Any, ClassVar

from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.convert import wrap
from cudnnlint.interp.functions import apply_function
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.iterate import elements, sample
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.registry import Call
from cudnnlint.records import record
from cudnnlint.values import Dim, Step, Tensor, Unknown
from cudnnlint.values.dim import is_known
from cudnnlint.values.unknown import WordCount

PATH = "keras.preprocessing.text.Tokenizer"
WORDS = frozenset({"word_index", "index_word"})


@record(frozen=True, slots=True)
class IndicesV:
    """A list of numbers, as many as a text has words."""

    display: ClassVar[str] = "list of numbers"
    is_data: ClassVar[bool] = True

    @property
    def as_array(self) -> Tensor:
        return Tensor((Unknown("number of words"),), "int64", "numpy")

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        return self if isinstance(plain(key), slice) else self.sample(m)

    def sample(self, m: Machine) -> Any:
        return Unknown("an index of a word", number=True)

    def length(self, m: Machine) -> Any:
        return Unknown("number of words", number=True)

    def attribute(self, m: Machine, name: str) -> Any:
        return Unknown(f"attribute {name} of a list")

    def combined(self, m: Machine, symbol: str, other: Any) -> Any:
        return self if symbol == "+" and isinstance(other, IndicesV) else Unknown("a list of numbers and others")

    def join_with(self, other: Any) -> Any:
        return self if isinstance(other, IndicesV) else Unknown("differs between paths")


@record(frozen=True, slots=True)
class SequencesV:
    """A list of lists of numbers, of different lengths."""

    count: Any
    always_true: ClassVar[bool] = True
    ragged: ClassVar[bool] = True

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        return Unknown("some of the texts") if isinstance(plain(key), slice) else IndicesV()

    def sample(self, m: Machine) -> Any:
        return IndicesV()

    def length(self, m: Machine) -> Any:
        return self.count

    def attribute(self, m: Machine, name: str) -> Any:
        return Unknown(f"attribute {name} of a list")


OTHERS = Unknown("the words of a Tokenizer and others", number=True)
COUNTED_DOWN = ("-= 1", "- 1")
"""How a program says that its indices are not those of the Tokenizer."""


@record(frozen=True, slots=True)
class WordsV:
    """The dict of a Tokenizer's words and their indices."""

    count: Unknown
    owner: Any = None
    always_true: ClassVar[bool] = True

    def item(self, m: Machine, key: Any, node: Any) -> Any:
        return Unknown("an index of a word")

    def sample(self, m: Machine) -> Any:
        return Unknown("a word")

    def length(self, m: Machine) -> Any:
        return self.count

    def attribute(self, m: Machine, name: str) -> Any:
        return Unknown(f"attribute {name} of a vocabulary")

    def stored(self) -> WordsV:
        """With another key: `word_index["<PAD>"] = 0`."""
        return WordsV(OTHERS)

    def set_item(self, m: Machine, key: Any, value: Any) -> None:
        """`tokenizer.word_index["<PAD>"] = 0`."""
        if self.owner is not None:
            self.owner.set_attribute(m, "word_index", self)


@FRAMEWORK.attribute(*(f"{PATH}.{name}" for name in sorted(WORDS)))
def words(m: Machine, receiver: Any) -> Any:
    """All words, whatever num_words says, which bounds the indices that sequences get."""
    held = plain(receiver)
    if not isinstance(held, ObjectV) or plain(held.args[0] if held.args else held.kwargs.get("num_words")) is not None:
        return WordsV(Unknown("the words of a Tokenizer", number=True))
    if WORDS & held.assigned or any(map(m.frame.module.source.says, COUNTED_DOWN)):
        return WordsV(OTHERS)
    return WordsV(WordCount("the words of a Tokenizer", number=True), held)


def _count(c: Call, name: str) -> Dim:
    value = plain(c.get(0, name))
    if isinstance(value, Tensor):
        return value.shape[0] if isinstance(value.shape, tuple) and value.shape else Unknown("number of texts")
    found = elements(c.machine, value)
    return Unknown("number of texts") if isinstance(found, Unknown) else len(found)


@FRAMEWORK.on(f"{PATH}.texts_to_sequences")
def texts_to_sequences(c: Call) -> Any:
    return SequencesV(_count(c, "texts"))


@FRAMEWORK.on(f"{PATH}.texts_to_matrix")
def texts_to_matrix(c: Call) -> Any:
    """(texts, num_words), or as wide as the vocabulary (keras/src/legacy/preprocessing/text.py)."""
    held = plain(c.receiver)
    words = plain(held.args[0] if held.args else held.kwargs.get("num_words")) if isinstance(held, ObjectV) else None
    width: Any = words if is_known(words) else Unknown("the vocabulary")
    return wrap(Tensor((_count(c, "texts"), width), "float64", "numpy", None, Step(c.span)))


@FRAMEWORK.on(f"{PATH}.fit_on_texts", f"{PATH}.fit_on_sequences")
def fit(c: Call) -> None:
    return None


@FRAMEWORK.on("keras.preprocessing.text.one_hot", "keras.preprocessing.text.hashing_trick")
def hashed(c: Call) -> Any:
    """A number for each word (keras/src/legacy/preprocessing/text.py: hashing_trick)."""
    return IndicesV()


def _of_lists(m: Machine, value: Any) -> Dim | None:
    """How many there are in a list of nothing but such lists."""
    if not isinstance(value, ListV) or not isinstance(plain(sample(m, value)), IndicesV):
        return None
    return len(value.items) if value.unknown is None else Unknown("number of texts")


@FRAMEWORK.on("keras.utils.pad_sequences", "keras.preprocessing.sequence.pad_sequences")
def pad_sequences(c: Call) -> Any:
    """Padded, they are an array: an array of lists is what the function knows."""
    name = "sequences"
    given = plain(c.get(0, name))
    args, kwargs = list(c.args), dict(c.kwargs)
    count = given.count if isinstance(given, SequencesV) else _of_lists(c.machine, given)
    if count is not None:
        lists = Tensor((count,), Unknown("lists of numbers"), "numpy", None, Step(c.span))
        if args:
            args[0] = lists
        else:
            kwargs[name] = lists
    return apply_function(c.machine, plain(c.callee).path, args, kwargs, c.node)


@FRAMEWORK.on("keras.utils.to_categorical", "keras.utils.np_utils.to_categorical")
def to_categorical(c: Call) -> Any:
    """Of an array, of NumPy's own floats from Keras 3 on, where no dtype can be asked for."""
    made = apply_function(c.machine, plain(c.callee).path, c.args, c.kwargs, c.node)
    if isinstance(made, Tensor) and isinstance(made.dtype, Unknown):
        return made.with_(dtype="float64" if c.machine.stack.keras >= (3,) else "float32")
    return made
