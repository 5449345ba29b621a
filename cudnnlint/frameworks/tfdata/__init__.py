"""tf.data: pipelines, what their elements look like and how many there are."""
