"""TensorFlow beside Keras and tf.data: devices, strategies, sessions, and functions that call the user's."""
