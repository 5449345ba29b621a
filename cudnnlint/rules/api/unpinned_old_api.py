'''A program for an old TensorFlow or Keras asks for no version, and the newest cannot run it.

## Why is this bad?
Names such as tf.Session, tf.contrib or CuDNNLSTM, and arguments such as `border_mode`, say what a file was written for.
If nothing in the project asks for that version, who installs it gets the newest, and the first such name stops the
program. The file is judged as what it is written for, so that this is told once, not for each of its names.

## Example

```python
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 8])  # error: [unpinned-old-api]
y = tf.layers.dense(x, 4)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
```

```python
from keras.layers import Convolution2D, CuDNNLSTM  # error: [unpinned-old-api]
from keras.models import Sequential

model = Sequential()
model.add(CuDNNLSTM(8, input_shape=(5, 3)))
```

The package `keras` understood the spellings of Keras 1 until 2.3:

```python
from keras.layers import Convolution2D, Dense, Flatten
from keras.models import Sequential

model = Sequential()
model.add(Convolution2D(32, 3, 3, border_mode="same", input_shape=(28, 28, 1)))  # error: [unpinned-old-api]
model.add(Convolution2D(32, 3, 3, border_mode="same"))
model.add(Flatten())
model.add(Dense(10, init="normal"))
```

```python
from keras import backend as K
from keras.layers import Convolution2D, Dense, Flatten
from keras.models import Sequential

shape = (1, 28, 28) if K.image_dim_ordering() == "th" else (28, 28, 1)  # error: [unpinned-old-api]
model = Sequential()
model.add(Convolution2D(32, 3, 3, border_mode="same", input_shape=shape))
model.add(Convolution2D(32, 3, 3, border_mode="same"))
model.add(Flatten())
model.add(Dense(10, init="normal"))
```

## Use instead
What it is written for, in requirements.txt, pyproject.toml, setup.py or the configuration of cudnnlint:

```requirements
tensorflow<2
```

```python tensorflow=1.15
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 8])
```

or the names that newer versions have kept:

```python
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None, 8])
```

To port it, say what it is ported to: with `--keras 3` or `--tensorflow 2` each name is told of, and `--fix` renames
arguments.

## Where it fails
With the newest versions: AttributeError "module 'tensorflow' has no attribute 'placeholder'", ImportError "cannot
import name 'CuDNNLSTM'", ValueError "Unrecognized keyword arguments passed to". TensorFlow 1.15 needs Python 3.7.

## Known limits
A file is taken to be for TensorFlow 1 where it uses sessions, placeholders, tf.contrib or what builds graphs, without
compat.v1; for TensorFlow 2.3 where it uses multi_gpu_model; for Keras 2.3 where three calls or more are spelled for
Keras 1, and none for Keras 2, and for Keras 2.2 if it asks for image_dim_ordering() as well. Other names and arguments
that are gone are told one by one (removed-api, removed-argument, unknown-layer-argument), as something that may have
been pasted.

## References
* https://www.tensorflow.org/guide/migrate
* keras 2.3.1 keras/legacy/interfaces.py, which converts spellings of Keras 1
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events.project import ApiOutlived
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule
from cudnnlint.rules.wording import class_name, not_imported, spoken, written_now


@rule("CUD706", "unpinned-old-api", Level.INFO, since="0.1")
def check(event: ApiOutlived) -> Iterator[Finding]:
    name = event.name.replace("tensorflow.", "tf.", 1)
    used = f"{name.rpartition('.')[2]}({event.argument}=)" if event.argument else name
    library, clause = ("Keras", event.exists.keras) if event.exists.keras else ("TensorFlow", event.exists.tensorflow)
    instead = f", or {written_now(event.instead)}" if event.instead else ""
    newest = 3 if library == "Keras" else 2
    yield event.finding(f"{used} needs {library} {spoken(clause)}, which nothing here asks for", fails=_fails(event),
                        help=f'require what this is written for ("{library.lower()}{clause}"){instead}; '
                             f"--{library.lower()} {newest} tells all that is gone")


def _fails(event: ApiOutlived) -> str:
    owner, _, name = event.name.rpartition(".")
    if event.what == "spelling":
        own = class_name(name)
        return f'with the newest, when the layer is made: ValueError "Unrecognized keyword arguments passed to {own}"'
    if event.argument:
        return f"with the newest, when it is called: \"got an unexpected keyword argument '{event.argument}'\""
    if event.imported:
        return f"with the newest, when it is imported: {not_imported(event.name)}"
    if event.what in ("method", "attribute"):
        when = "called" if event.what == "method" else "read"
        return f"with the newest, when it is {when}: AttributeError \"object has no attribute '{name}'\""
    said = f"has no attribute '{name}'" if ".keras" in owner else f"module '{owner}' has no attribute '{name}'"
    return f'with the newest, when it is used: AttributeError "{said}"'
