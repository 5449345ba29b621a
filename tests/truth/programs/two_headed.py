"""Builders that return models in tuples and dicts."""

from tensorflow import keras
from tensorflow.keras import layers


def build_gan(latent=64, size=16):
    noise = keras.Input((latent,), name="noise")
    x = layers.Dense(size // 4 * size // 4 * 32)(noise)
    x = layers.Reshape((size // 4, size // 4, 32))(x)
    for filters in (32, 16):
        x = layers.Conv2DTranspose(filters, 4, strides=2, padding="same")(x)
        x = layers.LeakyReLU(0.2)(x)
    image = layers.Conv2D(1, 7, padding="same", activation="tanh")(x)
    generator = keras.Model(noise, image, name="generator")

    picture = keras.Input((size, size, 1))
    y = layers.Conv2D(16, 3, strides=2, padding="same")(picture)
    y = layers.Conv2D(32, 3, strides=2)(y)
    y = layers.Flatten()(y)
    discriminator = keras.Model(picture, layers.Dense(1)(y), name="discriminator")
    return generator, discriminator


def build_autoencoder(shape, code):
    inputs = keras.Input(shape)
    hidden = layers.Dense(64, activation="relu")(layers.Flatten()(inputs))
    encoder = keras.Model(inputs, layers.Dense(code)(hidden), name="encoder")
    latent = keras.Input((code,))
    size = shape[0] * shape[1]
    flat = layers.Dense(size)(layers.Dense(64, activation="relu")(latent))
    decoder = keras.Model(latent, layers.Reshape(shape)(flat), name="decoder")
    return {"encoder": encoder, "decoder": decoder,
            "whole": keras.Model(inputs, decoder(encoder(inputs)), name="autoencoder")}


generator, discriminator = build_gan()
gan = keras.Sequential([generator, discriminator])
gan.build((None, 64))
models = build_autoencoder((12, 10), code=6)
models["whole"].compile(optimizer="adam", loss="mse")
codes = models["encoder"](keras.Input((12, 10)))
