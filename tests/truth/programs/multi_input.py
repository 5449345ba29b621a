"""Named inputs of several kinds, several outputs, a model called on a dict."""

import keras
import numpy as np
from keras import layers

FEATURES = {"age": None, "city": 40, "job": 12}
inputs, columns = {}, []
for name, vocabulary in FEATURES.items():
    if vocabulary is None:
        inputs[name] = keras.Input((1,), name=name)
        columns.append(layers.Dense(4)(inputs[name]))
    else:
        inputs[name] = keras.Input((), dtype="int64", name=name)
        columns.append(layers.Embedding(vocabulary, min(8, vocabulary // 2))(inputs[name]))

joined = layers.Concatenate()(columns)
cross = layers.Multiply()([joined, layers.Dense(joined.shape[-1])(joined)])
deep = cross
for units in [32, 16]:
    deep = layers.Dense(units, activation="relu")(deep)
outputs = {"income": layers.Dense(1, name="income")(deep), "segment": layers.Dense(6, name="segment")(deep)}
model = keras.Model(inputs, outputs)

batch = {"age": np.zeros((5, 1), "float32"), "city": np.zeros(5, "int64"), "job": np.ones(5, "int64")}
predicted = model(batch)
agreement = layers.Dense(2)(layers.concatenate([predicted["income"], predicted["segment"]]))

title = keras.Input((None,), dtype="int32")
body = keras.Input((None,), dtype="int32")
tags = keras.Input((12,))
words = layers.Embedding(1000, 16)
x = layers.concatenate([layers.LSTM(20)(words(title)), layers.LSTM(8)(words(body)), tags])
priority = layers.Dense(1, name="priority")(x)
department = layers.Dense(4, name="department")(x)
router = keras.Model([title, body, tags], [priority, department])
low, high = router([keras.Input((None,), dtype="int32"), keras.Input((None,), dtype="int32"), keras.Input((12,))])
