'''The loss reads the output as probabilities and gets logits, or the reverse.

## Why is this bad?
A crossentropy reads its predictions as probabilities, unless it is told `from_logits=True`. The output of a last layer
without an activation goes below 0 and beyond 1: the loss clips it, what is clipped has no gradient, and the model
trains badly without any message. A softmax under `from_logits=True` is applied twice.

## Example

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((64,)), layers.Dense(32, activation="relu"), layers.Dense(10)])
model.compile("adam", "sparse_categorical_crossentropy")  # error: [loss-from-logits-mismatch]
model.fit(np.zeros((100, 64)), np.zeros(100))
```

```python
import keras
import numpy as np
from keras import layers

x = keras.Input((32, 32, 3))
y = layers.Conv2D(1, 1)(layers.Conv2D(16, 3, padding="same")(x))
model = keras.Model(x, y)
model.compile("adam", keras.losses.BinaryCrossentropy())  # error: [loss-from-logits-mismatch]
model.fit(np.zeros((100, 32, 32, 3)), np.zeros((100, 32, 32, 1)))
```

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((64,)), layers.Dense(10, activation="softmax")])
loss = keras.losses.CategoricalCrossentropy(from_logits=True)  # error: [loss-from-logits-mismatch]
model.compile("adam", loss)
model.fit(np.zeros((100, 64)), np.zeros((100, 10)))
```

A model that a function makes which nothing calls, for other files to train, is judged where it is compiled, unless it
trains in a way of its own:

```python
import keras
import tensorflow as tf
from keras import layers


def classifier(classes):
    model = keras.Sequential([keras.Input((64,)), layers.Dense(32, activation="relu"), layers.Dense(classes)])
    model.compile("adam", keras.losses.CategoricalCrossentropy())  # error: [loss-from-logits-mismatch]
    return model


class WithSoftmax(keras.Model):
    def train_step(self, data):
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(y=y, y_pred=tf.nn.softmax(self(x, training=True)))
        self.optimizer.apply(tape.gradient(loss, self.trainable_weights), self.trainable_weights)
        return {"loss": loss}


def of_own_step(classes):
    inputs = keras.Input((64,))
    model = WithSoftmax(inputs, layers.Dense(classes)(inputs))
    model.compile("adam", "categorical_crossentropy")
    return model
```

A loss that the program calls itself, in a loop or a `train_step()` of its own, is judged where it is made:

```python
import tensorflow as tf

discriminator = tf.keras.Sequential([tf.keras.Input((28,)), tf.keras.layers.Dense(1)])
optimizer = tf.keras.optimizers.Adam()
bce = tf.keras.losses.BinaryCrossentropy()  # error: [loss-from-logits-mismatch]


@tf.function
def train_step(real, fake):
    with tf.GradientTape() as tape:
        on_real, on_fake = discriminator(real), discriminator(fake)
        loss = bce(tf.ones_like(on_real), on_real) + bce(tf.zeros_like(on_fake), on_fake)
    gradients = tape.gradient(loss, discriminator.trainable_variables)
    optimizer.apply_gradients(zip(gradients, discriminator.trainable_variables))


for real in tf.data.Dataset.from_tensor_slices(tf.zeros((64, 28))).batch(8):
    train_step(real, tf.random.normal((8, 28)))
```

A softmax at the end of call() is one all the same, where gradients are taken; the losses of `tf.nn` take logits only:

```python
import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.fc = tf.keras.layers.Dense(3)

    def call(self, x):
        return tf.nn.softmax(self.fc(x))


net, x, y = Net(), tf.random.normal((32, 64)), tf.zeros((32,), tf.int32)
sparse = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)  # error: [loss-from-logits-mismatch]
with tf.GradientTape() as tape:
    loss = sparse(y, net(x))
    more = tf.nn.softmax_cross_entropy_with_logits(tf.one_hot(y, 3), net(x))  # error: [loss-from-logits-mismatch]
gradients = tape.gradient(loss + more, net.trainable_variables)
```

PyTorch has a loss for each: CrossEntropyLoss and BCEWithLogitsLoss take logits, NLLLoss and KLDivLoss their
log_softmax, BCELoss probabilities.

```python
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(64, 3)

    def forward(self, x):
        return F.softmax(self.fc(x), dim=1)


net, x, y = Net(), torch.randn(32, 64), torch.randint(0, 3, (32,))
loss = nn.CrossEntropyLoss()(net(x), y)  # error: [loss-from-logits-mismatch]
loss = nn.NLLLoss()(net(x), y)  # error: [loss-from-logits-mismatch]
yes = torch.randint(0, 2, (32, 1)).float()
one = nn.Sequential(nn.Linear(64, 1), nn.Sigmoid())
loss = nn.BCEWithLogitsLoss()(one(x), yes)  # error: [loss-from-logits-mismatch]
loss = nn.BCELoss()(nn.Linear(64, 1)(x), yes)  # error: [loss-from-logits-mismatch]
teacher = torch.softmax(torch.randn(32, 3), dim=1)
loss = nn.KLDivLoss(reduction="batchmean")(net(x), teacher)  # error: [loss-from-logits-mismatch]
loss = F.kl_div(F.log_softmax(net.fc(x), dim=1), teacher, reduction="batchmean")
loss = F.kl_div(net(x).log(), teacher, reduction="batchmean")
```

## Use instead

```python
import torch
from torch import nn
from torch.nn import functional as F

fc, one = nn.Linear(64, 3), nn.Linear(64, 1)
x, y, yes = torch.randn(32, 64), torch.randint(0, 3, (32,)), torch.randint(0, 2, (32, 1)).float()
loss = nn.CrossEntropyLoss()(fc(x), y)
loss = nn.CrossEntropyLoss()(F.log_softmax(fc(x), dim=1), y)
loss = F.nll_loss(F.log_softmax(fc(x), dim=1), y)
loss = nn.BCEWithLogitsLoss()(one(x), yes)
loss = nn.BCELoss()(torch.sigmoid(one(x)), yes)
```

```python
import keras
import numpy as np
from keras import layers

model = keras.Sequential([keras.Input((64,)), layers.Dense(10)])
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
model.fit(np.zeros((100, 64)), np.zeros(100))
model = keras.Sequential([keras.Input((64,)), layers.Dense(10), layers.Softmax()])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(np.zeros((100, 64)), np.zeros(100))
model = keras.Sequential([keras.Input((64,)), layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(np.zeros((100, 64)), np.zeros((100, 1)))
bce = keras.losses.BinaryCrossentropy()
loss = bce(np.zeros((100, 1)), model(np.zeros((100, 64))))
loss = bce(np.zeros((100, 1)), keras.ops.sigmoid(layers.Dense(1)(np.zeros((100, 64)))))
```

## Fix
Unsafe, since the model learns something else: a loss object gets `from_logits=True` where the last layer has no
activation, and loses it where that is a softmax or sigmoid. A loss that is given by its name is left alone.

## Where it fails
Nowhere: it trains worse. A linear problem of three classes, 8 epochs, the same seed: accuracy 0.96 with
`from_logits=True`, 0.90 without it and without an activation, 0.69 with relu (Keras 3.15; tf_keras 2.21: 0.96, 0.86,
0.60). With `from_logits=True` after a softmax or sigmoid activation, Keras since 2.6 finds on TensorFlow that the
output comes from that activation, undoes it and says 'UserWarning "received `from_logits=True`, but the `output`
argument was produced by a Softmax activation"'; it trains as it should. With the JAX and PyTorch backends, and where a
cast or a reshape follows the activation, nothing is undone. Of `tf.nn.softmax` it undoes one in a graph, by the name
of the operation, and none where the loop runs eagerly; the losses of `tf.nn` never do.

PyTorch 2.13, the same problem: CrossEntropyLoss 0.81 of logits and of their log_softmax, 0.77 of a softmax; NLLLoss
0.75 of a softmax, 0.70 of logits, its loss below 0; BCEWithLogitsLoss 0.84 of logits, 0.80 of a sigmoid. BCELoss of
logits: RuntimeError "all elements of input should be between 0 and 1" as soon as one is not; on a GPU "device-side
assert triggered".

## Known limits
Only a last layer whose activation is known is judged: Dense, a convolution, Activation, Softmax, ReLU; of functions
softmax and sigmoid, not those that give anything else. Of models that say themselves how they train the losses are
judged that they are seen to call. A model that is compiled and never trained, as the generator of a GAN, is not judged
either. In PyTorch the output is followed through the user's modules and through reshaping to an activation, a Linear or
a convolution.

## References
* torch/nn/modules/loss.py: CrossEntropyLoss, NLLLoss, BCEWithLogitsLoss; aten/src/ATen/native/Loss.cpp
* keras/src/backend/tensorflow/nn.py: _get_logits, categorical_crossentropy, binary_crossentropy
* tf_keras/src/backend.py: _get_logits; keras 2.6 backend.py: sparse_categorical_crossentropy
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import FunctionApplied, LossCalled, LossInfo, ModelCompiled, TrainingStarted
from cudnnlint.events.losses import TargetsCompared
from cudnnlint.finding import Argument, Finding, Label, Level, Recipe, RemoveArgument, SetArgument
from cudnnlint.rules.endings import UNBOUNDED, ending_of, function_of, last_of, pairs, torch_ending
from cudnnlint.rules.fixes import unsafe
from cudnnlint.rules.losses import BINARY, ONE_HOT, SPARSE
from cudnnlint.rules.protocol import rule
from cudnnlint.values import Tensor


@rule("CUD409", "loss-from-logits-mismatch", Level.WARNING, since="0.1")
def check(event: TrainingStarted | ModelCompiled | LossCalled | TargetsCompared | FunctionApplied) -> Iterator[Finding]:
    if isinstance(event, TargetsCompared):
        yield from _of_torch(event)
    elif isinstance(event, FunctionApplied):
        if event.path in OF_LOGITS and (event.taped or event.path.startswith("tensorflow.compat.v1.")
                                        or event.stack.tensorflow < (2,)):
            yield from _of_function(event)
    elif isinstance(event, LossCalled):
        if isinstance(event.output, Tensor) and isinstance(event.losses, LossInfo):
            yield from _judge(event, event.output, event.losses, "")
    elif isinstance(event, ModelCompiled):
        for output, loss in pairs(event.model) if event.uncalled else ():
            yield from _judge(event, output, loss, ", in training")
    elif event.method in ("fit", "train_on_batch"):
        for output, loss in pairs(event.model):
            yield from _judge(event, output, loss, f", in {event.method}()")


def _judge(event: TrainingStarted | ModelCompiled | LossCalled, output: Tensor, loss: LossInfo,
           where: str) -> Iterator[Finding]:
    maker, ending = _end(output, isinstance(event, LossCalled) and not event.taped)
    if ending is None or loss.name not in PROBABLE:
        return
    trace = event.trace if loss.span in (None, event.span) or where else (
        *event.trace, Label(event.span, "the loss is called"))
    if loss.from_logits is False and ending in UNBOUNDED:
        yield event.finding(
            f"{loss.name} takes probabilities, and {maker} ends in {_spoken(ending)}",
            span=loss.span or event.span, fails=f"silently{where}: it trains worse", trace=trace,
            help=f"from_logits=True for a last layer without activation, or activation={ACTIVATION[loss.name]!r}",
            fix=_fix(loss) if ending == "linear" else None)
    elif loss.from_logits is True and ending in ("softmax", "sigmoid"):
        yield event.finding(
            f"from_logits=True, and {maker} ends in {_spoken(ending)}",
            span=loss.span or event.span, fails=_fails(ending, loss.name, where), trace=trace,
            help=f"leave out from_logits, or the {ending}", fix=_fix(loss))


def _end(output: Tensor, printed: bool) -> tuple[str, str | None]:
    """What the output is called, and how it ends; of what may be `printed` only, layers. Some models apply a softmax
    where they are not trained: `if not training: x = tf.nn.softmax(x)`."""
    layer = last_of(output)
    if layer is None:
        return "the output", None if printed else function_of(output)
    return f"the last layer {layer.name}", ending_of(layer)


def _of_function(event: FunctionApplied) -> Iterator[Finding]:
    logits = event.arguments.get("logits")
    maker, ending = _end(logits, False) if isinstance(logits, Tensor) else ("", None)
    if ending in ("softmax", "sigmoid"):
        name = event.path.rpartition(".")[2]
        yield event.finding(f"{name} takes logits, and {maker} ends in {_spoken(ending)}",
                            help=f"leave out the {ending}", fails="silently: it trains worse")


def _of_torch(event: TargetsCompared) -> Iterator[Finding]:
    wanted, fitting = WANTED.get(event.name, ("", {}))
    ending = torch_ending(event.output) if wanted else None
    if ending in fitting:
        direct = (event.name, ending) == ("BCELoss", "linear")
        yield event.finding(
            f"{event.name} takes {wanted}, and the output ends in {_spoken(ending, 'a Linear or convolution')}",
            help=fitting[ending], fails='everywhere, once one of them is below 0 or beyond 1: RuntimeError "all '
            'elements of input should be between 0 and 1" on a CPU, "device-side assert triggered" on a GPU'
            if direct else "silently: it trains worse")


WANTED: dict[str, tuple[str, dict[str | None, str]]] = {
    "CrossEntropyLoss": ("logits", {"softmax": "leave out the softmax", "sigmoid": "leave out the sigmoid"}),
    "BCEWithLogitsLoss": ("logits", {"sigmoid": "leave out the sigmoid, or take BCELoss",
                                     "softmax": "leave out the softmax"}),
    "NLLLoss": ("log probabilities", {"softmax": "log_softmax in place of softmax",
                                      "linear": "take CrossEntropyLoss, or put log_softmax before it"}),
    "KLDivLoss": ("log probabilities", {"softmax": "log_softmax in place of softmax, for the first of both",
                                        "linear": "log_softmax before it"}),
    "BCELoss": ("probabilities", {"linear": "take BCEWithLogitsLoss, or put a sigmoid before it"}),
}
"""Loss -> (what it takes, how an output ends that is something else -> what helps)."""
OF_LOGITS = frozenset(f"tensorflow.{room}nn.{name}" for room in ("", "compat.v1.") for name in (
    "softmax_cross_entropy_with_logits", "softmax_cross_entropy_with_logits_v2", "sigmoid_cross_entropy_with_logits",
    "sparse_softmax_cross_entropy_with_logits", "weighted_cross_entropy_with_logits"))
"""Losses of TensorFlow of which Keras undoes nothing."""
PROBABLE = frozenset({SPARSE, ONE_HOT, BINARY})
ACTIVATION = {SPARSE: "softmax", ONE_HOT: "softmax", BINARY: "sigmoid"}


def _fix(loss: LossInfo) -> Recipe | None:
    """The loss is told what the model gives, if it is an object; a name cannot be told."""
    if not loss.made or loss.span is None:
        return None
    logits = Argument(loss.span, "from_logits", 0)
    if loss.from_logits is True:
        return unsafe("remove from_logits=True", RemoveArgument(logits, only="True"))
    return unsafe("from_logits=True", SetArgument(logits, "True"))


def _spoken(ending: str | None, linear: str = "no activation") -> str:
    return linear if ending == "linear" else f"a {ending}"


def _fails(ending: str, loss: str, where: str) -> str:
    undone = (ending == "sigmoid") == (loss == BINARY)
    return (f'nowhere on TensorFlow, where Keras from 2.6 on undoes the {ending} with a UserWarning; with JAX and '
            "PyTorch it trains worse, silently" if undone else f"silently{where}: it trains worse")
