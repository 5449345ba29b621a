"""Datasets of tensors of which TensorFlow knows no axis: what Python code within map() gave, without set_shape(), or a
generator of which only the dtypes are told."""

from __future__ import annotations

from cudnnlint.events import Data, tensors
from cudnnlint.frameworks.tfdata.dataset import DatasetV
from cudnnlint.frameworks.training.model_views import runs_eagerly
from cudnnlint.frameworks.training.train_steps import own_step
from cudnnlint.interp.backends import runs_elsewhere
from cudnnlint.interp.graphs.placeholders import EAGERLY
from cudnnlint.interp.machine import plain
from cudnnlint.interp.refusals import is_certain, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Tensor, Unknown, Where
from cudnnlint.values.unknown import Unranked

YIELDED = "what a generator yields of which from_generator() is told the dtypes alone"


def tell_of_unranked(c: Call, method: str, data: Data) -> None:
    """Keras 3 asks for the rank of inputs and labels as it builds and compares (keras/src/trainers/trainer.py:
    Trainer._symbolic_build; losses/loss.py: squeeze_or_expand_to_same_rank); run with 3.15, of Sequential, functional
    and subclassed models, with and without metrics: fit() and evaluate() fail of each, unless they run eagerly
    or with JAX or PyTorch, predict() of none. Keras 2 trains where no layer and no metric asks."""
    if method not in ("fit", "evaluate") or own_step(c.receiver, method) is not None or not is_certain(c.machine) \
            or runs_eagerly(c.receiver) or c.machine.state.get(EAGERLY) or runs_elsewhere(c.machine):
        return
    given = plain(c.get(0, "x"))
    if isinstance(given, DatasetV) and given.unranked and not c.machine.handlers:
        _tell(c, method, "x", YIELDED, "output_signature=(tf.TensorSpec(shape=(None, ...), dtype=...), ...) in "
              "from_generator()", tuple(each.with_(shape=Unknown(YIELDED)) for each in [*tensors(data.x)][:1]))
        return
    for what, given in (("x", data.x), ("y", data.y)):
        found = next((each for each in tensors(given) if _is_unranked(each)), None)
        if found is not None:
            _tell(c, method, what, _given(found), "set_shape() of it, in the function that is mapped", (found,))
            return


def _tell(c: Call, method: str, what: str, why: str, advice: str, about: tuple[Tensor, ...]) -> None:
    refuse(c.machine, c.span, Mismatch(
        Problem.RANK, f"{what} of the dataset has a shape of which nothing is known, {why}",
        where=Where(keras=">=3"), help=advice,
        error='ValueError "as_list() is not defined on an unknown TensorShape" or "Cannot take the length of '
              'shape with unknown rank"'), about=about, what=f"Model.{method}", stage=method)


def _given(found: Tensor) -> str:
    return found.shape.why if isinstance(found.shape, Unknown) else ""


def _is_unranked(given: Tensor) -> bool:
    return type(given.shape) is Unranked and given.kind == "tf"


__all__ = ["tell_of_unranked"]
