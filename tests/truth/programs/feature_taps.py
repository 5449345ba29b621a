"""Models cut out of models: get_layer, layers[-2], input and output, pop."""

from tensorflow import keras
from tensorflow.keras import layers

base = keras.Sequential([
    keras.Input((48, 48, 3)),
    layers.Conv2D(8, 3, activation="relu", name="block1"),
    layers.MaxPooling2D(),
    layers.Conv2D(16, 3, activation="relu", name="block2"),
    layers.MaxPooling2D(),
    layers.Flatten(name="features"),
    layers.Dense(32, activation="relu", name="embedding"),
    layers.Dense(10, activation="softmax", name="predictions"),
])

embedder = keras.Model(base.inputs, base.get_layer("embedding").output)
penultimate = keras.Model(inputs=base.inputs, outputs=base.layers[-2].output)
pyramid = keras.Model(base.inputs, [base.get_layer(name).output for name in ("block1", "block2")])

maps = pyramid(keras.Input((48, 48, 3)))
small = layers.Conv2D(4, 1)(maps[0])
large = layers.Conv2D(4, 1)(maps[-1])
joined = layers.Concatenate()([layers.GlobalMaxPooling2D()(small), layers.GlobalMaxPooling2D()(large)])

base.pop()
base.add(layers.Dense(3, name="few"))
print(base.output_shape)

width = embedder.output_shape[-1]
head = keras.Sequential([layers.Dense(width // 2, activation="relu"), layers.Dropout(0.3), layers.Dense(2)])
tuned = keras.Model(embedder.input, head(embedder.output))

for layer in tuned.layers[:-1]:
    layer.trainable = False
