from keras import layers

from circular import model


class Node(layers.Layer):
    def __init__(self, width):
        super().__init__()
        self.dense = layers.Dense(width, activation="tanh")

    def call(self, x):
        return self.dense(x)


def branches(depth, width):
    return [model.Tree(depth - 1, width * 2) for _ in range(2)] if depth else []
