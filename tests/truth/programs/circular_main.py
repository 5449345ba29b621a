"""Two modules that import each other, and a model that contains itself."""

import json
import os

import keras
from circular import Tree

with open(os.path.join(os.path.dirname(__file__), "circular", "tree.json")) as file:
    config = json.load(file)

tree = Tree(**config["tree"])
leaves = tree(keras.Input((config["features"],)))
model = keras.Sequential([keras.Input((6,)), Tree(1, 4), keras.layers.Dense(config["classes"])])
