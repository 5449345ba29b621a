"""Which axis holds the channels in programs of Keras 1, where ~/.keras/keras.json said so beside the program."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.machine import Machine
from cudnnlint.values import Unknown

MOST_CHANNELS = 4


def note_order(m: Machine, shape: Any) -> None:
    """Images that a program for Keras 1 takes with their channels first, as Theano had them: whoever ran it had set
    `image_dim_ordering` to "th", which nothing in it need repeat.

    >>> from types import SimpleNamespace
    >>> machine = SimpleNamespace(state={})
    >>> note_order(machine, (224, 224, 3)); machine.state
    {}
    >>> note_order(machine, (3, 224, 224)); machine.state["image_data_format"].why
    'the image_data_format of keras.json'
    """
    if isinstance(shape, list | tuple) and len(shape) == 3 and type(shape[0]) is int and shape[0] <= MOST_CHANNELS \
            and all(not isinstance(side, int) or side > MOST_CHANNELS for side in shape[1:]):
        m.state.setdefault("image_data_format", Unknown("the image_data_format of keras.json"))
