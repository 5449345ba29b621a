"""Train a small residual network on CIFAR-10. It has three mistakes; cudnnlint finds them without running it.

    cudnnlint examples/train.py
"""

import argparse

import keras
import tensorflow as tf
from keras import layers

CLASSES = 10


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--image-size", type=int, default=32)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--learning-rate", type=float, default=1e-3)
    return parser.parse_args()


def prepare(images, labels, args, training):
    """Batches of scaled images and one-hot labels."""

    def scale(image, label):
        image = tf.image.resize(image, (args.image_size, args.image_size)) / 255.0
        return image, tf.one_hot(label, CLASSES)

    data = tf.data.Dataset.from_tensor_slices((images, labels[:, 0]))
    if training:
        data = data.shuffle(10_000).repeat()
    return data.map(scale).batch(args.batch_size).prefetch(tf.data.AUTOTUNE)


def residual_block(x, filters):
    """Two convolutions beside a shortcut, then half the size."""
    shortcut = layers.Conv2D(filters, 1)(x)
    x = layers.Conv2D(filters, 3, padding="same", use_bias=False)(x)
    x = layers.BatchNormalization()(x)
    x = layers.ReLU()(x)
    x = layers.Conv2D(filters, 3, padding="same")(x)
    return layers.MaxPooling2D()(layers.Add()([x, shortcut]))


def build_model(image_size, widths=(32, 64, 128)):
    inputs = keras.Input((image_size, image_size, 3))
    x = layers.RandomFlip("horizontal")(inputs)
    for filters in widths:
        x = residual_block(x, filters)
    x = layers.Conv2D(256, 7, activation="relu")(x)
    x = layers.GlobalAveragePooling2D()(x)
    x = layers.Dropout(0.3)(x)
    return keras.Model(inputs, layers.Dense(CLASSES, activation="softmax")(x), name="small_resnet")


def main():
    args = parse_args()
    (x_train, y_train), (x_test, y_test) = keras.datasets.cifar10.load_data()
    train = prepare(x_train, y_train, args, training=True)
    test = prepare(x_test, y_test, args, training=False)

    model = build_model(args.image_size)
    model.compile(optimizer=keras.optimizers.Adam(args.learning_rate), loss="categorical_crossentropy",
                  metrics=["accuracy"])
    model.fit(train, validation_data=test, epochs=args.epochs, workers=4)
    model.save("small_resnet.keras")


if __name__ == "__main__":
    main()
