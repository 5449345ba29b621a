"""keras.datasets: the arrays that `load_data()` gives, as the library's sources and docstrings state them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cudnnlint.frameworks.data.images import image_dims
from cudnnlint.frameworks.tfdata.dataset import Given
from cudnnlint.interp.machine import assume
from cudnnlint.interp.registry import Call, Framework
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.dim import Dim, is_known

FRAMEWORK = Framework("keras.datasets", roots=("keras",))
Array = tuple[tuple[Dim, ...], Any]
"""Shape and dtype."""

SEQUENCES = Unknown("object array of sequences")


def loaded(given: Given, path: str, arrays: tuple[Array, Array, Array, Array]) -> Any:
    """`(x_train, y_train), (x_test, y_test)` as NumPy arrays made by this call."""
    arguments = (tuple(given.args), dict(given.kwargs))
    made = [assume(Tensor(shape, dtype, "numpy", None, Step(given.call.span, (), path, arguments, (i // 2, i % 2))),
                   given.taken) for i, (shape, dtype) in enumerate(arrays)]
    return (made[0], made[1]), (made[2], made[3])


def dataset(name: str) -> Callable[[Callable[[Given], Any]], Callable[[Given], Any]]:
    """Register `keras.datasets.<name>.load_data`."""

    def decorate(function: Callable[[Given], Any]) -> Callable[[Given], Any]:
        def handle(c: Call) -> Any:
            given = Given(c, method=False)
            return loaded(given, f"keras.datasets.{name}.load_data", function(given))

        FRAMEWORK.on(f"keras.datasets.{name}.load_data")(handle)
        return function

    return decorate


@dataset("fashion_mnist")
@dataset("mnist")
def mnist(given: Given) -> Any:
    """keras/src/datasets/mnist.py, fashion_mnist.py: load_data."""
    return ((60000, 28, 28), "uint8"), ((60000,), "uint8"), ((10000, 28, 28), "uint8"), ((10000,), "uint8")


def _cifar(given: Given, labels: str) -> Any:
    state = given.call.machine.state.get("image_data_format", "channels_last")
    image = image_dims(32, 32, 3, state)
    return ((50000, *image), "uint8"), ((50000, 1), labels), ((10000, *image), "uint8"), ((10000, 1), labels)


@dataset("cifar10")
def cifar10(given: Given) -> Any:
    """keras/src/datasets/cifar10.py: load_data."""
    return _cifar(given, "uint8")


@dataset("cifar100")
def cifar100(given: Given) -> Any:
    """keras/src/datasets/cifar100.py: load_data; labels are a list of Python numbers there."""
    return _cifar(given, "int64")


@dataset("imdb")
def imdb(given: Given) -> Any:
    """Lists of word indices of any length (keras/src/datasets/imdb.py: load_data); `maxlen` drops the longer ones."""
    kept = not given.get(3, "maxlen")
    train: Dim = 25000 if kept else Unknown("reviews of at most maxlen words")
    test: Dim = 25000 if kept else Unknown("reviews of at most maxlen words")
    return ((train,), SEQUENCES), ((train,), "int64"), ((test,), SEQUENCES), ((test,), "int64")


@dataset("reuters")
def reuters(given: Given) -> Any:
    """keras/src/datasets/reuters.py: load_data."""
    total: Dim = 11228 if not given.get(3, "maxlen") else Unknown("newswires of at most maxlen words")
    train, test = split(total, given.get(4, "test_split", 0.2))
    return ((train,), SEQUENCES), ((train,), "int64"), ((test,), SEQUENCES), ((test,), "int64")


@dataset("boston_housing")
def boston_housing(given: Given) -> Any:
    """506 houses with 13 features (keras/src/datasets/boston_housing.py: load_data)."""
    return _regression(506, 13, "float64", given.get(1, "test_split", 0.2))


@dataset("california_housing")
def california_housing(given: Given) -> Any:
    """20,640 districts with 8 features, 600 in the small version (keras/src/datasets/california_housing.py)."""
    version = given.get(0, "version", "large")
    total: Dim = {"large": 20640, "small": 600}.get(version, Unknown("version")) if isinstance(version, str) \
        else Unknown("version")
    return _regression(total, 8, Unknown("dtype of a stored array"), given.get(2, "test_split", 0.2))


def _regression(total: Dim, features: int, dtype: Any, share: Any) -> Any:
    train, test = split(total, share)
    return ((train, features), dtype), ((train,), dtype), ((test, features), dtype), ((test,), dtype)


def split(total: Dim, share: Any) -> tuple[Dim, Dim]:
    """Rows for training and for testing; `share` is the part that is set aside.

    >>> split(506, 0.2), split(11228, 0.2)
    ((404, 102), (8982, 2246))
    """
    if not is_known(total) or not isinstance(share, int | float):
        return Unknown("rows of a split"), Unknown("rows of a split")
    train = int(total * (1 - share))  # type: ignore[operator]
    return train, total - train  # type: ignore[operator]


__all__ = ["FRAMEWORK", "split"]
