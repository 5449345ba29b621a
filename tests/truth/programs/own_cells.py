"""What classes change of layers of Keras: the attention between heads, cells under RNN, morphology with weights."""

import keras
import tensorflow as tf
from keras import layers, ops


class Scaled(layers.MultiHeadAttention):
    def _compute_attention(self, query, key, value, attention_mask=None, training=None, **kwargs):
        scores = ops.einsum(self._dot_product_equation, key, ops.multiply(query, 1.0 / float(self._key_dim) ** 0.5))
        scores = self._dropout_layer(self._masked_softmax(scores, attention_mask), training=training)
        return ops.einsum(self._combine_equation, scores, value), scores


class Minimal(layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.units = self.state_size = units

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], self.units), name="kernel")
        self.recurrent = self.add_weight(shape=(self.units, self.units), name="recurrent")

    def call(self, inputs, states):
        state = ops.matmul(inputs, self.kernel) + ops.matmul(states[0], self.recurrent)
        return state, [state]


class Pair(layers.Layer):
    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.state_size = [units, 2 * units]
        self.output_size = units

    def build(self, input_shape):
        self.kernel = self.add_weight(shape=(input_shape[-1], self.output_size), name="kernel")

    def call(self, inputs, states):
        out = ops.matmul(inputs, self.kernel) + states[0]
        return out, [out, states[1]]


class Dilated(layers.Layer):
    def build(self, input_shape):
        self.window = self.add_weight(shape=(3, 2, input_shape[-1]), name="window")

    def call(self, inputs):
        return tf.nn.dilation2d(inputs, self.window, [1, 2, 3, 1], "VALID", "NHWC", [1, 2, 1, 1])


sequence = keras.Input((10, 32))
attended = layers.Dense(3)(Scaled(4, 8)(sequence, sequence))
one = layers.Dense(2)(layers.RNN(Minimal(12), return_sequences=True)(sequence))
several = layers.RNN([Minimal(12), Pair(5)], return_state=True)(sequence)
last = layers.Dense(2)(several[0])
keras.Model(sequence, [attended, one, last, several[1], several[2][1]])

image = keras.Input((20, 21, 3))
keras.Model(image, layers.Conv2D(4, 3)(Dilated()(image)))
