"""A GAN: two Sequential models, @tf.function steps, one call each by hand."""

import tensorflow as tf
from tensorflow.keras import Sequential, layers, losses, optimizers

BATCH_SIZE = 16
noise_dim = 50


def make_generator_model():
    model = Sequential()
    model.add(layers.Dense(7 * 7 * 64, use_bias=False, input_shape=(noise_dim,)))
    model.add(layers.BatchNormalization())
    model.add(layers.LeakyReLU())
    model.add(layers.Reshape((7, 7, 64)))
    model.add(layers.Conv2DTranspose(32, (5, 5), strides=(2, 2), padding="same", use_bias=False))
    assert model.output_shape == (None, 14, 14, 32)
    model.add(layers.LeakyReLU())
    model.add(layers.Conv2DTranspose(1, (5, 5), strides=(2, 2), padding="same", activation="tanh"))
    return model


def make_discriminator_model():
    return Sequential([
        layers.Conv2D(16, (5, 5), strides=(2, 2), padding="same", input_shape=[28, 28, 1]),
        layers.LeakyReLU(),
        layers.Dropout(0.3),
        layers.Flatten(),
        layers.Dense(1),
    ])


generator = make_generator_model()
discriminator = make_discriminator_model()
cross_entropy = losses.BinaryCrossentropy(from_logits=True)
generator_optimizer, discriminator_optimizer = optimizers.Adam(1e-4), optimizers.Adam(1e-4)


@tf.function
def train_step(images):
    noise = tf.random.normal([BATCH_SIZE, noise_dim])
    with tf.GradientTape() as gen_tape, tf.GradientTape() as disc_tape:
        generated = generator(noise, training=True)
        real_output = discriminator(images, training=True)
        fake_output = discriminator(generated, training=True)
        gen_loss = cross_entropy(tf.ones_like(fake_output), fake_output)
        disc_loss = cross_entropy(tf.ones_like(real_output), real_output) + gen_loss
    grads = gen_tape.gradient(gen_loss, generator.trainable_variables)
    generator_optimizer.apply_gradients(zip(grads, generator.trainable_variables))
    grads = disc_tape.gradient(disc_loss, discriminator.trainable_variables)
    discriminator_optimizer.apply_gradients(zip(grads, discriminator.trainable_variables))


train_step(tf.zeros([BATCH_SIZE, 28, 28, 1]))
