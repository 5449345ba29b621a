"""Where data comes from beside tf.data: files, directories, images, texts, samples."""
