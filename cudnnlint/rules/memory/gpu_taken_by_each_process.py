'''Several processes use TensorFlow on one GPU, and the first takes all of its memory.

## Why is this bad?
TensorFlow takes nearly all memory of every GPU that it sees as soon as it needs one. Workers of a pool are processes of
their own: the first to make a tensor leaves the others a rest of a few hundred MiB, in which cuDNN and cuBLAS cannot
start. scikit-learn and joblib start such processes too, for `n_jobs=-1` or 4.

## Example

```python
from multiprocessing import Pool

import numpy as np
import tensorflow as tf


def train_fold(fold):
    model = tf.keras.Sequential([tf.keras.Input((8,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    x, y = np.zeros((64, 8), "float32"), np.zeros((64, 1), "float32")
    return model.fit(x, y, verbose=0).history["loss"][-1]


if __name__ == "__main__":
    with Pool(4) as pool:
        print(pool.map(train_fold, range(4)))  # error: [gpu-taken-by-each-process]
```

```python
import multiprocessing as mp


def play(name, queue):
    import tensorflow as tf

    policy = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
    queue.put((name, policy(tf.zeros((1, 4))).numpy()))


if __name__ == "__main__":
    queue = mp.Queue()
    players = [mp.Process(target=play, args=(i, queue)) for i in range(3)]
    for player in players:
        player.start()  # error: [gpu-taken-by-each-process]
    for player in players:
        player.join()
```

What a worker trains may depend on what it is given:

```python
import multiprocessing as mp

import numpy as np


def build(shape):
    import tensorflow as tf

    return tf.keras.Sequential([tf.keras.layers.Input(shape), tf.keras.layers.Dense(1)])


def train_fold(arguments):
    fold, x, y = arguments
    model = build(x.shape[1:])
    model.compile("adam", "mse")
    model.fit(x[fold::4], y[fold::4], verbose=0)


if __name__ == "__main__":
    x, y = np.zeros((400, 12)), np.zeros((400, 1))
    with mp.get_context("spawn").Pool(4) as pool:
        pool.map(train_fold, [(fold, x, y) for fold in range(4)])  # error: [gpu-taken-by-each-process]
```

```python
import multiprocessing as mp

import tensorflow as tf


class Player(mp.Process):
    def __init__(self, number):
        super().__init__()
        self.number = number

    def run(self):
        policy = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
        print(self.number, policy(tf.zeros((1, 4))).numpy())


if __name__ == "__main__":
    players = [Player(i) for i in range(3)]
    for player in players:
        player.start()  # error: [gpu-taken-by-each-process]
    for player in players:
        player.join()
```

```python
from multiprocessing import Pool


def begin():
    global model
    import tensorflow as tf

    model = tf.keras.models.load_model("classifier.keras")


if __name__ == "__main__":
    with Pool(4, initializer=begin) as pool:  # error: [gpu-taken-by-each-process]
        pool.map(print, range(4))
```

```python
import numpy as np
from concurrent.futures import ProcessPoolExecutor
from joblib import Parallel, delayed
from sklearn.model_selection import GridSearchCV
from scikeras.wrappers import KerasClassifier
from tensorflow import keras


def predict(paths):
    model = keras.models.load_model("classifier.keras")
    return [model.predict(np.load(path)) for path in paths]


def make(units=8):
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(units), keras.layers.Dense(1, "sigmoid")])
    model.compile("adam", "binary_crossentropy")
    return model


def score(units):
    return make(units).predict(np.zeros((4, 8))).mean()


executor = ProcessPoolExecutor(max_workers=2)
waiting = [executor.submit(predict, paths) for paths in (["a.npy"], ["b.npy"])]  # error: [gpu-taken-by-each-process]
scores = Parallel(n_jobs=4)(delayed(score)(n) for n in (8, 16, 32))  # error: [gpu-taken-by-each-process]
search = GridSearchCV(KerasClassifier(make), {"units": [8, 16]}, n_jobs=-1)
search.fit(np.zeros((64, 8)), np.zeros(64))  # error: [gpu-taken-by-each-process]
```

## Use instead
Each process takes what it needs, or its share:

```python
from multiprocessing import Pool

import tensorflow as tf


def train_fold(fold):
    for gpu in tf.config.list_physical_devices("GPU"):
        tf.config.experimental.set_memory_growth(gpu, True)
    return tf.keras.layers.Dense(2)(tf.zeros((4, 8))).numpy()


if __name__ == "__main__":
    with Pool(4) as pool:
        print(pool.map(train_fold, range(4)))
```

One process after the other has the GPU for itself, threads share what one process took, and what computes with NumPy
alone takes none:

```python
import multiprocessing as mp

import numpy as np
import tensorflow as tf
from joblib import Parallel, delayed


def trial(units):
    print(tf.keras.layers.Dense(units)(tf.zeros((4, 8))))


class Trial(mp.Process):
    def __init__(self, units):
        super().__init__()
        self.units = units

    def run(self):
        trial(self.units)


class Reader(mp.Process):
    def run(self):
        print(distance(3))


def distance(i):
    return np.zeros((100, 100)).sum() + i


def score(i):
    return float(tf.reduce_sum(tf.zeros((4, 8))))


if __name__ == "__main__":
    for units in (8, 16):
        process = mp.get_context("spawn").Process(target=trial, args=(units,))
        process.start()
        process.join()
    for units in (8, 16):
        alone = Trial(units)
        alone.start()
        alone.join()
    readers = [Reader() for _ in range(4)]
    for reader in readers:
        reader.start()
    with mp.Pool(4) as pool:
        pool.map(distance, range(8))
    Parallel(n_jobs=4, prefer="threads")(delayed(score)(i) for i in range(8))
```

## Where it fails
With TensorFlow 2 on a machine with a GPU, in all processes but the first: "failed to allocate ... from device:
CUDA_ERROR_OUT_OF_MEMORY: out of memory", ResourceExhaustedError, "Could not create cudnn handle:
CUDNN_STATUS_INTERNAL_ERROR" or "failed to create cublas handle"; until TensorFlow 2.4 "Failed to get convolution
algorithm. This is probably because cuDNN failed to initialize". A model that fits into what the first one left
computes all the same.

## Known limits
Told where the number of workers is known to be more than one, or to go by the machine's cores, and the function that
they run certainly makes tensors, layers or loads a model. Silent once the program's text, wherever it stands, speaks of
memory growth, limits, CUDA_VISIBLE_DEVICES or tf.device. Of what a server, Ray or a shell starts several times nothing
is known, and tasks of Optuna are threads.

## References
* tensorflow/core/common_runtime/gpu/gpu_device.cc: MinSystemMemory, SingleVirtualDeviceMemoryLimit
* https://www.tensorflow.org/guide/gpu#limiting_gpu_memory_growth
* https://github.com/tensorflow/tensorflow/issues/8170
* https://github.com/tensorflow/tensorflow/issues/47863
* https://github.com/keras-team/keras/issues/7553
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events.devices import ProcessesShareGpu
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule


@rule("CUD518", "gpu-taken-by-each-process", Level.WARNING, since="0.1")
def check(event: ProcessesShareGpu) -> Iterator[Finding]:
    how_many = f"{event.count}" if isinstance(event.count, int) and event.count > 1 else "several"
    yield event.finding(
        f"{how_many} processes run {event.name}() beside each other, and each has TensorFlow take the whole GPU",
        help="call tf.config.experimental.set_memory_growth(gpu, True) in each process before it makes a tensor, or "
        "run one at a time",
        fails='on a machine with a GPU, in all but the first: "failed to allocate ... CUDA_ERROR_OUT_OF_MEMORY", '
        '"Could not create cudnn handle: CUDNN_STATUS_INTERNAL_ERROR"')
