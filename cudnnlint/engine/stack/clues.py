"""What a module's bytes tell about the versions it is written for, before it is parsed."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from cudnnlint.engine.requirements.dependencies import Pin, parse_pin
from cudnnlint.engine.stack import versions
from cudnnlint.engine.stack.noted import noted
from cudnnlint.values.stack import Version

# Text, not compiled: most files need none of them.
_IMPORTED = rb"\b(?:from\s+|import\s+(?:[\w.]+(?:[ ]+as[ ]+\w+)?[ ]*,[ ]*)*)%s\b"
"""Also one of several: `import tensorflow as tf, tf_keras`."""
_TF_KERAS = _IMPORTED % rb"tf_keras"
_AT_TOP = rb"(?m)^\"?(?:import|from)\s+%s\b"
"""Not in a `try:`. tensorflow_recommenders (__init__.py) and tensorflow_addons (utils/types.py) raise an ImportError
where tf.keras is Keras 3, the latter with any TensorFlow that has it."""
_UNDER_CONDITION = rb"(?m)^[ \t]+(?:from|import)[ \t]+tensorflow\.keras\b"
_OF_TENSORFLOW = rb"(?m)^[ \t]*from[ \t]+tensorflow\.python\.keras(?:\.(?:models|layers))?[ \t]+import\b"
_MODELS_OF_TENSORFLOW = (rb"(?m)^[ \t]*from[ \t]+tensorflow\.python\.keras(?:\.models)?[ \t]+import\b[^\n]*\b"
                         rb"(?:Sequential|Model)\b")
"""Whatever else is imported of the public Keras must go with such a model."""
_PUBLIC = (rb"(?m)^[ \t]*from[ \t]+(?:tensorflow\.)?keras(?:\.(?:models|layers))?[ \t]+import\b"
           rb"|\b(?:tf|tensorflow)\.keras\.(?:layers|models|Sequential|Model)\b")
_LEGACY_FLAG = rb"TF_USE_LEGACY_KERAS[^\w\n]{1,12}(?:1|[Tt]rue)\b"
_ONLY_KERAS_3 = (b"keras.ops", b"keras.random.", b"keras.distribution.", b"keras.config.")
"""Modules that Keras 2 has none of."""
_OPS = rb"from(?<!\wfrom)\s+keras\s+import\s+(?:[^\n(]*|\([^)]*)\bops\b"
"""Letters first: re looks for those, not at every place."""
_BACKEND = rb"KERAS_BACKEND[^\w\n]{1,12}(?:jax|torch|openvino)\b"
_CONTRIB = rb"(?m)^[^#\n]*(?:\b(?:tf|tensorflow)\.contrib\.\w|\bfrom\s+tensorflow\.contrib\b)"
_COLAB_1 = rb"%tensorflow_version\s+1"
_TF_1_CALLS = (b"tf.placeholder(", b"tf.Session(", b"tf.InteractiveSession(", b"tf.global_variables_initializer(")
_TF_1_CALL = rb"(?m)^[^#\n]*\btf\.(?:placeholder|Session|InteractiveSession|global_variables_initializer)\("
_IMPORTS = rb"(?m)^from\s+([\w.]*\bkeras\b[\w.]*)\s+import\s+(?:[^\n(]*|\([^)]*)\b%s\b"
_MULTI_GPU = _IMPORTS % rb"multi_gpu_model" + rb"|^[^#\n]*keras\.utils\.multi_gpu_model\("
_CUDNN_LAYERS = _IMPORTS % rb"CuDNN(?:LSTM|GRU)" + rb"|^[^#\n`]*?([\w.]*layers)\.CuDNN(?:LSTM|GRU)\b"
_COMPAT = rb"(?m)^[^#\n]*\bcompat(?:\.v1\b| import v1\b)"
_COMPAT_AS_TF = rb"\b(?:compat\.v1|compat\s+import\s+v1)\s+as\s+tf\b"
_GRAPHS = (rb"(?m)^[^#\n]*\btf\.(?:logging\.|layers\.|app\.(?:run|flags)|get_variable\(|variable_scope\(|"
           rb"reset_default_graph\(|train\.Saver\()")
_GRAPH_NAMES = (b"tf.logging.", b"tf.layers.", b"tf.app.", b"tf.get_variable(", b"tf.variable_scope(",
                b"tf.reset_default_graph(", b"tf.train.Saver(")
_TF_2_NAMES = (b"@tf.function", b"tf.config.list_physical_devices", b"tf.data.AUTOTUNE", b"tf.random.set_seed(")
_KERAS = _IMPORTED % rb"keras"
_KERAS_ALONE = rb"keras(?<=\skeras)\b"
"""What _KERAS matches is among these; the letters first, for re to look for."""
_WITHIN = rb"\((?:[^()#]|\([^()]*\)){0,400}?\b"
_KERAS_1 = (
    rb"\b(?:(?:(?:Convolution|Conv|MaxPooling|AveragePooling)[123]D|(?:Deco|AtrousCo)nvolution2D|Dense|LSTM|GRU)"
    + _WITHIN + rb"(?:border_mode|dim_ordering|[Wb]_regularizer|subsample|init|nb_filter)[ ]*=(?!=)"
    rb"|\.fit(?:_generator)?" + _WITHIN + rb"(?:nb_epoch|samples_per_epoch|nb_val_samples)[ ]*=(?!=)"
    rb"|\bModel\([ ]*input[ ]*=(?!=)|\bConvolution2D\([ ]*\w+[ ]*(?:,[ ]*\d+[ ]*){2},)")
_KERAS_2 = rb"[(,\s](?:kernel_(?:size|initializer|regularizer|constraint)[ ]*|epochs)="
_THROUGHOUT = 3
_KERAS_1_WORDS = (b"border_mode", b"dim_ordering", b"W_regularizer", b"b_regularizer", b"subsample",
                  b"init=", b"init =", b"nb_filter", b"nb_epoch", b"samples_per_epoch", b"nb_val_samples",
                  b"Model(input=", b"Convolution2D(")
_TEXT = rb"(\"\"\"|''')(?:(?!\1)[\s\S])*\1"
_PIP_INSTALL = rb"(?m)(?:^|\"|\\n)[ \t]*[!%][\w{}./ \t-]*?\bpip3?\s+install\s((?:(?!\\n)[^\n])*)"
"""At the start of a line: of a file, of a notebook's list of them, or of its cells that are one text each."""
_INSTALLED = (rb"(?:tensorflow(?:-gpu|-cpu|[-_]text)?|keras|(?<![\w-])torch|tf[-_]keras)"
              rb"\s*(?:[=<>~!]=|[<>])[0-9][\w.*,<>=!~]*")


OF_2_2 = "spellings of Keras 1 and image_dim_ordering() are used"
"""keras 2.3.0 dropped it (keras/backend/common.py of 2.2.5 has it); the spellings it still took."""


class Clues(NamedTuple):
    """uses_keras  the `keras` package is imported, not only tf.keras
    names_none  neither Keras nor TensorFlow is named: its modules tell which they take
    legacy      why `keras` or `tf.keras` is Keras 2 whatever TensorFlow it is, "" if nothing says so
    keras_3     why it must be Keras 3
    tensorflow_1  why it must be TensorFlow 1
    asked       whether that is asked for, not only used
    keras_1     why it is spelled for Keras 1, which the keras package until 2.3 understands
    last        the newest TensorFlow that has all that the module uses, and why
    installs    what a notebook's own `!pip install` asks for
    noted       what comments and docstrings ask for, if nothing is installed
    of_tensorflow  its layers and models are those of tensorflow.python.keras
    """

    uses_keras: bool = False
    names_none: bool = False
    legacy: str = ""
    keras_3: str = ""
    tensorflow_1: str = ""
    asked: bool = False
    keras_1: str = ""
    last: tuple[Version, str] | None = None
    installs: tuple[Pin, ...] = ()
    noted: tuple[Pin, ...] = ()
    of_tensorflow: bool = False


@lru_cache(maxsize=256)
def read_clues(data: bytes) -> Clues:
    """Clues in a module's or notebook's bytes; a file is asked again for what it tells of those beside it."""
    if b'"output_type"' in data:
        data = code_of(data)
    legacy = "tf_keras is imported" if b"tf_keras" in data and re.search(_TF_KERAS, data) else ""
    if not legacy and b"TF_USE_LEGACY_KERAS" in data and re.search(_LEGACY_FLAG, data):
        legacy = "TF_USE_LEGACY_KERAS is set"
    if not legacy and b"tensorflow_recommenders" in data and re.search(_AT_TOP % rb"tensorflow_recommenders", data):
        legacy = "tensorflow_recommenders is imported"
    installs = tuple(_installs(data))
    needs_keras_3 = not legacy and _needs_keras_3(data)
    return Clues(
        uses_keras=_imports_keras(data),
        names_none=not (b"keras" in data or b"tensorflow" in data),
        legacy=legacy,
        keras_3="what only Keras 3 has, or another backend, is used" if needs_keras_3 else "",
        tensorflow_1=_tensorflow_1(data),
        asked=_asks(data),
        keras_1="" if legacy or not _is_keras_1(data) else
        OF_2_2 if b"image_dim_ordering(" in data else "spellings of Keras 1 are used",
        last=_last(data),
        installs=installs,
        noted=() if installs else tuple(pin for pin in noted(data) if _is_possible(pin, data, needs_keras_3)),
        of_tensorflow=b"tensorflow.python.keras" in data and re.search(_OF_TENSORFLOW, data) is not None
        and (re.search(_PUBLIC, data) is None or re.search(_MODELS_OF_TENSORFLOW, data) is not None),
    )


def _is_possible(pin: Pin, data: bytes, needs_keras_3: bool) -> bool:
    """Whether the code is not for later versions than a comment in it names, which was forgotten there."""
    needed: Version = (2,) if any(name in data for name in _TF_2_NAMES) else (1,)
    if needs_keras_3:
        needed = versions.KERAS_3_SINCE if pin.library == "tensorflow" else (3,)
    elif pin.library != "tensorflow":
        return True
    releases = versions.KERAS if pin.library == "keras" else versions.TENSORFLOW
    return pin.library not in ("tensorflow", "keras") or any(
        release >= needed for release in versions.allowed_releases(pin.allowed, releases))


def code_of(data: bytes) -> bytes:
    """The code of a notebook, in lines as they were: what it printed, as warnings of compat.v1, tells nothing."""
    import json

    try:
        notebook = json.loads(data)
        cells = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return data
    return json.dumps([source.splitlines(True) if isinstance(source, str) else source for source in cells], indent=0,
                      ensure_ascii=False).encode("utf-8", "replace")


def _imports_keras(data: bytes) -> bool:
    return re.search(_KERAS_ALONE, data) is not None and re.search(_KERAS, data) is not None


# Looking for plain bytes first is what keeps the clues of a file cheaper than a twentieth of parsing it.
def _needs_keras_3(data: bytes) -> bool:
    return (any(name in data for name in _ONLY_KERAS_3)
            or (b"KERAS_BACKEND" in data and re.search(_BACKEND, data) is not None)
            or (b"ops" in data and re.search(_OPS, data) is not None))


def takes_tf_keras(data: bytes) -> bool:
    """Whether the Keras of a module is tf.keras: it imports no keras, or only under a condition, for other versions."""
    if b"keras" not in data or not read_clues(data).uses_keras:
        return b"keras" in data
    return b"tensorflow.keras" in data and re.search(_UNDER_CONDITION, data) is not None \
        and re.search(_AT_TOP % rb"keras", data) is None


def _is_keras_1(data: bytes) -> bool:
    """Whether it is spelled so throughout: a call or two may have been pasted. Only the keras package converted that,
    tf.keras never did.
    """
    if b"tf.keras" in data or b"tensorflow.keras" in data or not any(word in data for word in _KERAS_1_WORDS):
        return False
    if not _imports_keras(data):
        return False
    code = re.sub(_TEXT, b"", data)
    if not _imports_keras(code) or re.search(_KERAS_2, code):
        return False
    return len([*itertools.islice(re.finditer(_KERAS_1, code), _THROUGHOUT)]) == _THROUGHOUT


def _found(pattern: bytes, data: bytes) -> bool:
    """Whether it is in the code: docstrings may speak of anything."""
    return re.search(pattern, data) is not None and re.search(pattern, re.sub(_TEXT, b"", data)) is not None


def _asks(data: bytes) -> bool:
    return b"%tensorflow_version" in data and re.search(_COLAB_1, data) is not None


def _tensorflow_1(data: bytes) -> str:
    if _asks(data):
        return "%tensorflow_version 1.x"
    if b".contrib" in data and _found(_CONTRIB, data):
        return "tf.contrib is used"
    if _is_of_both(data):
        return ""
    if b"tf." not in data:
        return ""
    if any(call in data for call in _TF_1_CALLS):
        return "TensorFlow 1 sessions are used" if _found(_TF_1_CALL, data) else ""
    if any(name in data for name in _GRAPH_NAMES) and not any(name in data for name in _TF_2_NAMES):
        return "TensorFlow 1 graphs are built" if _found(_GRAPHS, data) else ""
    return ""


def _is_of_both(data: bytes) -> bool:
    """Whether something is written for both, with compat.v1."""
    return (b"compat.v1" in data or b"compat import v1" in data) and re.search(_COMPAT, data) is not None


def is_half_ported(data: bytes) -> bool:
    """Whether names that TensorFlow 2 has not, as tf.Session(), stand beside others written with compat.v1, which
    TensorFlow 1.13 to 1.15 have too."""
    return not re.search(_COMPAT_AS_TF, data) and (_found(_TF_1_CALL, data) or _found(_GRAPHS, data))


def _last(data: bytes) -> tuple[Version, str] | None:
    """multi_gpu_model left in 2.4 (its release notes), CuDNNLSTM and CuDNNGRU live on in compat.v1 until Keras 3, with
    which tensorflow_addons cannot be imported."""
    if b"multi_gpu_model" in data and re.search(_MULTI_GPU, data):
        return (2, 3), "multi_gpu_model is used"
    if b"CuDNN" in data and (found := re.search(_CUDNN_LAYERS, re.sub(_TEXT, b"", data))):
        compat = b"compat.v1" in (found[1] or found[2])
        return (2, 15) if compat else (1, 15), "layers of Keras 2 for cuDNN are used"
    if b"tensorflow_addons" in data and re.search(_AT_TOP % rb"tensorflow_addons", data):
        return (2, 15), "tensorflow_addons is imported"
    return None


def _installs(data: bytes) -> Iterator[Pin]:
    if b"pip install" not in data and b"pip3 install" not in data:
        return
    for line in re.findall(_PIP_INSTALL, data):
        for requirement in re.findall(_INSTALLED, line):
            if (pin := parse_pin(requirement.decode("ascii", "replace"), "pip install")) is not None:
                yield pin
