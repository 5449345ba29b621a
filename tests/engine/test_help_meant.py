"""What a finding advises is what whoever asks about such an error is told."""

from __future__ import annotations

import textwrap

import pytest

from tests.engine.test_help import the_one


@pytest.mark.parametrize(("program", "help_"), [
    ("""
     from keras import Sequential, layers
     Sequential([layers.Input((60, 1)), layers.LSTM(50), layers.Dropout(0.2), layers.LSTM(50)])
     """, "return_sequences=True for the LSTM before gives each of its steps"),
    ("""
     from keras import Input, layers
     layers.ConvLSTM2D(8, 3)(Input((64, 64, 1)))
     """, "an axis for the steps is lacking: (steps, 64, 64, 1) without the batch"),
    ("""
     from keras import Input, layers
     h, c = Input((8,)), Input((8,))
     layers.Bidirectional(layers.LSTM(8))(Input((15, 10)), initial_state=[h, c])
     """, "those of the forward layer, then those of the backward one: [forward_h, forward_c, backward_h, backward_c] "
          "of an LSTM"),
    ("""
     from keras import Input, Model, layers
     base = Model(inputs := Input((8,)), layers.Dense(4)(inputs))
     layers.Dense(2)(base)
     """, "its attribute output is what it gives, of a model that was built"),
    ("""
     import tensorflow as tf
     tf.matmul(tf.zeros((8, 5)), tf.zeros((5,)))
     """, "tf.linalg.matvec() multiplies a matrix by a vector, or b[:, tf.newaxis]"),
    ("""
     import torch
     torch.zeros(8, 9, 4).scatter_(1, torch.zeros(8, 9, dtype=torch.long), 1.0)
     """, "along axis 2, with index.unsqueeze(2)"),
    ("""
     import torch
     torch.nn.functional.one_hot(torch.tensor([[0, 255], [255, 0]]), 2)
     """, "of masks of 0 and 255: one_hot(masks // 255, ...)"),
    ("""
     import torch
     scores = torch.nn.Linear(10, 2)(torch.randn(64, 10))
     torch.nn.functional.mse_loss(torch.max(scores, 1)[1].float(), torch.zeros(64)).backward()
     """, "no gradient passes the whole numbers of max(): calculate the loss of the scores themselves, or of softmax() "
          "of them"),
    ("""
     from torch import nn, rand
     class Net(nn.Module):
         def forward(x):
             return x
     Net()(rand(2, 4))
     """, "def forward(self, x)"),
    ("""
     import torch
     net = torch.nn.Linear(4, 2)
     loss = net(torch.randn(3, 4)).mean()
     for turn in range(4):
         loss.backward()
     """, "apply it anew in each turn, or detach() what it gave before the loop"),
])
def test_the_help_is_what_was_meant(program: str, help_: str) -> None:
    assert the_one(textwrap.dedent(program)).help == help_
