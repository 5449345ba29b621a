"""A tf.data pipeline into a subclassed model, by fit and by a loop of its own."""

import numpy as np
import tensorflow as tf
from tensorflow import keras
from tensorflow.keras import layers

images = np.zeros((200, 20, 20, 3), dtype="float32")
labels = np.zeros((200,), dtype="int64")


def prepare(image, label):
    image = tf.image.resize(image, (16, 16))
    return image / 255.0, tf.one_hot(label, 5)


train = tf.data.Dataset.from_tensor_slices((images, labels)).shuffle(100)
train = train.map(prepare, num_parallel_calls=tf.data.AUTOTUNE).batch(25, drop_remainder=True).prefetch(2)


class Classifier(keras.Model):
    def __init__(self, classes):
        super().__init__()
        self.body = keras.Sequential([layers.Conv2D(8, 3, activation="relu"), layers.MaxPool2D(), layers.Flatten()])
        self.head = layers.Dense(classes)

    def call(self, x, training=False):
        return self.head(self.body(x, training=training))


model = Classifier(5)
model.compile(optimizer="adam", loss=keras.losses.CategoricalCrossentropy(from_logits=True))
model.fit(train, epochs=3)

critic = Classifier(1)
optimizer = keras.optimizers.SGD(0.01)
for step, (x, y) in enumerate(train.take(2)):
    with tf.GradientTape() as tape:
        score = critic(x, training=True)
        loss = tf.reduce_mean(tf.square(score - 1.0))
    grads = tape.gradient(loss, critic.trainable_variables)
    optimizer.apply_gradients(zip(grads, critic.trainable_variables))
