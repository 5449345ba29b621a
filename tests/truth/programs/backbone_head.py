"""Sequential models made of backbones and heads, one of them from keras.applications."""

from tensorflow import keras
from tensorflow.keras import layers

IMG_SIZE = 64
IMG_SHAPE = (IMG_SIZE, IMG_SIZE) + (3,)

augment = keras.Sequential([
    layers.RandomFlip("horizontal"),
    layers.RandomRotation(0.1),
    layers.Rescaling(1.0 / 127.5, offset=-1),
], name="augment")

backbone = keras.applications.VGG16(input_shape=IMG_SHAPE, include_top=False, weights="imagenet")
backbone.trainable = False

head = keras.Sequential(name="head")
head.add(layers.GlobalAveragePooling2D())
for units in (128, 64):
    head.add(layers.Dense(units, activation="relu"))
    head.add(layers.Dropout(0.2))
head.add(layers.Dense(2))

inputs = keras.Input(shape=IMG_SHAPE)
model = keras.Model(inputs, head(backbone(augment(inputs), training=False)))
model.compile(optimizer=keras.optimizers.Adam(1e-4), loss="mse")

stacked = keras.Sequential([keras.Input(IMG_SHAPE), backbone, layers.Flatten(), layers.Dense(5, activation="softmax")])
print(stacked.output_shape)
