"""A certain failure: what an operation needs and what it was given instead."""

from __future__ import annotations

import enum
from typing import Any

from cudnnlint.records import record
from cudnnlint.values.stack import EVERYWHERE, Where


class Problem(enum.Enum):
    """What kind of failure; rules subscribe to these."""

    EMPTY_DIM = "an output extent of zero or less"
    CHANNELS = "channels differ from what the weights or the filter need"
    RANK = "wrong number of axes"
    MERGE = "inputs that cannot be merged"
    BROADCAST = "operands that cannot be broadcast"
    RESHAPE = "element counts differ"
    FEATURE_UNKNOWN = "an axis that must be known is None"
    GROUPS = "channels or filters not divisible by groups"
    STRIDES_DILATION = "strides with dilation_rate"
    NON_POSITIVE = "an argument that must be positive"
    INVALID_ARGUMENT = "an argument value outside what is accepted"
    INTEGER_INPUT = "an integer tensor where floats are needed"
    SYMBOLIC = "a symbolic tensor of Keras where values are needed"
    DTYPE = "dtypes that do not go together"
    EPSILON = "a negative epsilon"
    SMALL_EPSILON = "an epsilon below what an old cuDNN takes"
    AXIS = "an axis out of range"
    LRN = "local response normalisation outside cuDNN's limits"
    CUDNN_RNN = "use_cudnn=True where cuDNN cannot run the layer"
    LONG_SEQUENCE = "more time steps than cuDNN takes"
    UNEQUAL_STRIDES = "unequal strides where only equal ones work"
    OUTPUT_PADDING = "output_padding not smaller than strides"
    UNKNOWN_ARGUMENT = "an argument the callable does not have"
    MISSING_ARGUMENT = "a required argument is missing"
    LABEL = "a class number beyond the classes"
    TARGET = "labels of another shape than a loss takes beside the output"
    INPUT_COUNT = "wrong number of inputs"
    INPUT_SHAPE = "a model called on an input of another shape"
    FED = "an array fed to a placeholder of another shape"
    STATE_ROWS = "a stateful layer called on a batch of another size"
    INPUT_TOO_SMALL = "an input smaller than a model of keras.applications accepts"
    OUTPUTS = "losses, metrics or labels for other outputs than the model has"
    SAMPLE_WEIGHTS = "class_weight or sample_weight that does not fit labels and loss"
    METRIC = "a metric that cannot compare these labels with the output"
    TAPE_SPENT = "a gradient tape that has given its gradients"
    NO_GRADIENTS = "gradients of what a tape has not seen"
    OPTIMIZER_REUSED = "an optimizer that was built for the variables of another model"
    VARIABLE_TRACED = "a variable made each time that a function is traced"
    FILE_NAME = "a file name without the ending that the format asks for"
    NOT_COMPILED = "a model that is trained and was never compiled"
    UNTOLD = "a model that is not told that it trains"
    NOT_LOGGED = "a name that fit() does not log"
    ASSERTED = "a check of the program's own that fails"
    IDLE = "a training loop over nothing"
    INDEX = "an index past the end"
    VALUELESS = "a tensor of a graph where Python needs a value"
    NAMESAKES = "layers of one model that have one name"
    UNPACKED = "more or fewer values than the names that they are unpacked to"
    DISCONNECTED = "a model whose outputs do not come from its inputs"
    UNKNOWN_NAME = "a name that keras.layers does not have"
    MISSPELT = "a name that another module does not have"
    NO_ARRAY = "a dataset where an array is needed"
    NO_KEY = "a key that a dict does not have"
    UNBUILT = "a model that does not know the shape of its input"
    NO_ATTRIBUTE = "an attribute that an object of the program's own does not have"
    NOTHING = "what a function gives that returns nothing"
    SET_WEIGHTS = "weights of other shapes than the layer has"
    OPEN_EXTENT = "an extent that is None where a number is needed"
    IN_PLACE = "a tensor changed in place that autograd needs as it was"
    STRIDES = "a view of a tensor whose elements lie in another order"
    DEVICES = "tensors that lie on different devices"
    UNEXPECTED = "an object of another kind than is taken"
    INCOMPLETE = "a class of layers or models without what Keras needs of it"
    UNUSED = "a part that its model does not run"
    UNREGISTERED_PART = "modules in a list of Python's, which no optimizer has"
    UNCLEARED = "gradients that nothing clears"
    SCALER = "calls of a gradient scaler out of their order"
    CLIPPED = "gradients that are clipped while a GradScaler has them scaled"
    UNREGISTERED = "a class or function that a file names and that cannot be found again"


LATE = (("moment", "when the model runs, not when it is built"),)
"""The fact of a Mismatch that Keras does not come to while a model is built from symbolic tensors."""
ONE_BATCH = (("one batch", True),)
"""The fact that tells rows of a batch, which only the loss compares, from those of whole arrays."""


@record(frozen=True, slots=True)
class Mismatch:
    """`expected` and `actual` are user-facing phrases with numbers from the user's own code.

    message    one line, lower case, no full stop; e.g. 'height and width 3 -> -1 with kernel_size 5, padding "valid"'
    help       how to fix it, or ""
    error      the exception and text the library raises ('ValueError "..."'), or ""
    where      the stacks on which it fails; on others the result is `otherwise`
    otherwise  the result to go on with where it does not fail (or fails only on a GPU); None: unknown
    argument   the constructor argument at fault, or ""
    facts      numbers a rule may want, e.g. {"axis": 1, "size": -1}
    """

    problem: Problem
    message: str
    help: str = ""
    error: str = ""
    where: Where = EVERYWHERE
    otherwise: Any = None
    argument: str = ""
    facts: tuple[tuple[str, Any], ...] = ()

    def fact(self, name: str) -> Any:
        return dict(self.facts).get(name)
