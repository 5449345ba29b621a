"""A model whose layers, in the module that imports this one, contain it."""

import keras
from keras import layers

import circular.parts as parts


class Tree(keras.Model):
    def __init__(self, depth, width):
        super().__init__()
        self.depth = depth
        self.node = parts.Node(width)
        self.branches = parts.branches(depth, width)
        self.join = layers.Concatenate()

    def call(self, x):
        x = self.node(x)
        if not self.branches:
            return x
        return self.join([branch(x) for branch in self.branches])
