"""A layer applied to several inputs, a model cloned, and distances between what they give."""

import keras
from keras import layers


def tower(shape):
    inputs = keras.Input(shape)
    x = inputs
    for filters in [8, 16]:
        x = layers.Conv1D(filters, 3, padding="causal", activation="relu")(x)
        x = layers.MaxPooling1D(2)(x)
    return keras.Model(inputs, layers.GlobalAveragePooling1D()(x))


left, right = keras.Input((64, 4), name="left"), keras.Input((64, 4), name="right")
encode = tower((64, 4))
a, b = encode(left), encode(right)
project = layers.Dense(12, use_bias=False)
difference = layers.Subtract()([project(a), project(b)])
closeness = layers.Dot(axes=1, normalize=True)([project(a), project(b)])
score = layers.Dense(1, activation="sigmoid")(layers.concatenate([difference, closeness]))
siamese = keras.Model([left, right], score)

momentum = keras.models.clone_model(encode)
momentum.trainable = False
target = momentum(right)
loss_like = layers.Dense(3)(target)

shared = layers.Embedding(50, 8)
question, answer = keras.Input((10,), dtype="int32"), keras.Input((30,), dtype="int32")
attended = layers.Attention()([shared(question), shared(answer)])
