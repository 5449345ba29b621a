"""Trains a model of a package: constants, star imports, relative imports and a registry of builders."""

import numpy as np
from segment import constants as C
from segment.nets import NETS, conv_bn, get_net
from tensorflow import keras

net = get_net("full", width=10)
net.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
images = np.zeros((6, *C.INPUT_SHAPE), "float32")
masks = np.zeros((6, C.HEIGHT // 2, C.WIDTH // 2), "int32")
net.fit(images, masks, batch_size=2, epochs=4)

others = [build() for name, build in NETS.items() if name != "full"]
extra = conv_bn(keras.Input((10, 10, 2)), 5)
