"""The operations of one step in the order in which the program makes them, each with what it reads and writes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from cudnnlint.records import record
from cudnnlint.values import Tensor
from cudnnlint.values.dim import BATCH, PROXY
from cudnnlint.values.sizes import BYTES
from cudnnlint.values.unknown import Unknown

if TYPE_CHECKING:
    from cudnnlint.ops.kernels.unfolded import Unfolded

FORWARD, BACKWARD, UPDATE = 0, 1, 2
TAKEN = "taken"
"""A kernel that makes its input's memory that of a variable."""
RESET = "reset"
"""A kernel that frees a variable, which is a constant from now on: zeros. Its bytes are fewer than none."""
_new = object.__new__


@record(frozen=True, slots=True)
class Size:
    """Elements of a tensor: a fixed number and so many for each sample of the batch; `item` bytes each."""

    fixed: int
    each: int = 0
    item: int = 4

    def times(self, factor: int) -> Size:
        return Size(self.fixed * factor, self.each * factor, self.item)

    def of(self, item: int) -> Size:
        return Size(self.fixed, self.each, item)


class NotSized(Exception):
    """The extents of a tensor are not known."""


class Value:
    """A tensor of the step. `made` is the number of its operation, -1 for what is there before.

    held      no memory of its own: a variable, a constant, the batch
    trained   whether a variable that is trained lies behind it
    """

    __slots__ = ("held", "index", "made", "size", "trained")

    def __init__(self, index: int, size: Size, made: int, held: bool, trained: bool) -> None:
        self.index, self.size, self.made, self.held, self.trained = index, size, made, held, trained


class Kernel:
    """One operation.

    reuse  it may write into an input of the same size that nobody else reads
    view   its output is its first input's memory
    after  what it waits for without reading it
    """

    __slots__ = ("after", "inputs", "kind", "layer", "output", "phase", "reuse", "view")

    kind: str
    inputs: tuple[Value, ...]
    layer: int
    phase: int
    reuse: bool
    view: bool
    after: Value | None
    output: Value


class Tape:
    """What is recorded.

    batch  the batch that the program's own numbers have, None where it is left open
    ends   (optimizer, what its updates end in) in the order in which grappler walks back from them (memory/order.py)
    drawn  the last seed that was counted up
    sown   the same of a layer's own seed, by the number of the layer
    apart  how often operations whose rows of a table are read stand beside themselves, by id
    wholes how often the optimizer makes the gradient of some rows of a table one of all of them, and how many at once
    nested whether the way forward has gradients of convolutions in it
    slots  how many numbers the optimizer keeps for each weight
    waits  whether all gradients are there before the first variable changes
    normed whether they are summed over steps, and clipped by the norm of all of them
    sliced what transposed convolutions put out and of which a part is cut off -> with that part
    aside  what lies beside the forward pass, fixed bytes and those of each sample
    crossed outputs of the model whose loss takes the numbers of classes
    penalized variables that a regularizer reads, where XLA compiles
    together what is there all the way back for another step, computed with what this one computes of the same model
    several whether variables are changed several times, network by network
    compiled whether XLA compiles what is recorded
    stacks what the gradients of kernels take before they are summed, one for each matrix of a stack, where XLA compiles
    summed whether gradients are added to those of the steps before
    times  how often what is recorded now stands beside itself: the steps of a long TimeDistributed
    names  of the layers, by number
    parts  of a layer that values come from, by index: "query/"
    ahead  whether the names of the way forward come before those of the way back (memory/names.py)
    padded what convolutions put out -> their input with the padding that cuDNN cannot do by itself
    repadded what convolutions put out whose input is padded anew for the gradient of the kernel -> that
    overlaps what max-pools put out whose windows overlap
    sought what max-pools along one or two axes put out (memory/plans.py)
    mirrored what is padded with its own elements, folding what the gradient of that copies while it runs -> that
    flat   what convolutions along one axis put out that are not dilated
    steady of these, what comes with a stride of one
    turned what transposed convolutions along one axis put out that put in no gaps
    beside what convolutions put out whose kernel is read as it is too (ops/kernels/unfolded.py)
    lines  what max-pools and dilated convolutions along one axis put out
    tiled  of these, what is moved out of the batch by tiles, and of which nothing is cut off
    looped what XLA keeps of the steps of loops, by what these put out
    emptied zeros that the way back through a loop puts in place of what it has taken of its list, by what the loop puts
           out: as many as steps are begun at once, where the graph does not know the batch
    totals means of losses -> how many operations compute of the shape what their gradient is divided by, where the
           graph does not know the batch
    open   whether the graph does not know the batch, as that of fit(), which may end with a smaller one
    swapped what convolutions put out whose gradient is made of their kernel, padded -> that
    unfolds what convolutions unfold for their gradients, by what they put out
    scratch bytes that a kernel takes only while it runs, by what it puts out, where that is known
    doubts what operations may keep that are not known, by what they put out: told where a gradient goes through them
    folded constants that are there as long as the program runs, since grappler computed them before: zeros
           (tensorflow/core/grappler/optimizers/constant_folding.cc: SimplifyNode)
    """

    def __init__(self, batch: int | None = None) -> None:
        self.batch = batch
        self.kernels: list[Kernel] = []
        self.values: list[Value] = []
        self.variables: list[tuple[Value, int]] = []
        self.layer, self.phase, self.times = 0, FORWARD, 1
        self.summed = self.waits = self.normed = self.nested = self.several = self.compiled = self.open = False
        self.ahead = True
        self.wholes, self.slots = (1, 1), 0
        self.names: dict[int, str] = {}
        self.parts: dict[int, str] = {}
        self.aside = self.together = (0, 0)
        self.penalized: set[int] = set()
        self.crossed: set[int] = set()
        self.sliced: dict[int, Size] = {}
        self.ends: list[tuple[tuple[object, ...], list[Value]]] = []
        self._readers: dict[int, list[Kernel]] = {}
        self._penalties: dict[tuple[str, int], Kernel] = {}
        self._seen = 0
        self.padded: dict[int, Size] = {}
        self.repadded: dict[int, Size] = {}
        self.overlaps: set[int] = set()
        self.sought: set[int] = set()
        self.mirrored: set[int] = set()
        self.folding: dict[int, Size] = {}
        self.flat: set[int] = set()
        self.steady: set[int] = set()
        self.turned: set[int] = set()
        self.lines: set[int] = set()
        self.beside: set[int] = set()
        self.tiled: set[int] = set()
        self.looped: dict[int, Size] = {}
        self.emptied: dict[int, Size] = {}
        self.totals: dict[int, int] = {}
        self.swapped: dict[int, Size] = {}
        self.unfolds: dict[int, Unfolded] = {}
        self.scratch: dict[int, int] = {}
        self.stacks: dict[int, Size] = {}
        self.folded: list[Size] = []
        self.drawn: Value | None = None
        self.sown: dict[int, Value] = {}
        self.apart: dict[int, int] = {}
        self.unknown: dict[str, None] = {}
        self.doubts: dict[int, str] = {}

    def size(self, shape: Sequence[object], item: int = 4) -> Size:
        """Elements of a shape, one axis of which may be the batch, or several times as long; NotSized for what is open
        or unknown."""
        rest, each = self.times, 0
        for dim in shape:
            if dim == BATCH or (isinstance(dim, int) and dim and dim % PROXY == 0):
                if each:
                    raise NotSized("a shape with the batch twice")
                each = 1
                rest *= dim // PROXY if isinstance(dim, int) else 1
            elif isinstance(dim, int):
                rest *= dim
            else:
                raise NotSized(dim.why if isinstance(dim, Unknown) and dim.why else "an open extent")
        if each:
            return Size(0, rest, item)
        first = shape[0] if shape else 0
        if self.batch and isinstance(first, int) and first >= self.batch and first % self.batch == 0:
            return Size(0, rest // self.batch, item)
        return Size(rest, 0, item)

    def size_of(self, tensor: Tensor) -> Size:
        if isinstance(tensor.shape, Unknown):
            raise NotSized(tensor.shape.why or "a shape that is not known")
        return self.size(tensor.shape, BYTES.get(tensor.dtype, 4) if isinstance(tensor.dtype, str) else 4)

    def value(self, size: Size, made: int = -1, held: bool = True, trained: bool = False) -> Value:
        made_value = Value(len(self.values), size, made, held, trained)
        self.values.append(made_value)
        return made_value

    def variable(self, shape: Sequence[object], item: int = 4, trained: bool = True) -> Value:
        """A weight; what is trained is updated at the end of the step."""
        size = self.size_of_weight(shape, item)
        made = self.value(size, trained=trained)
        if trained:
            self.variables.append((made, self.layer))
        return made

    def penalty(self, kind: str, index: int = -1) -> Kernel | None:
        """What a regularizer of that kind computes of a variable, or the first that one does of any, so far."""
        for place in range(self._seen, len(self.kernels)):
            kernel = self.kernels[place]
            if kernel.kind.endswith("_penalty"):
                for name in (kernel.inputs[0].index, -1):
                    self._penalties.setdefault((kernel.kind, name), kernel)
        self._seen = len(self.kernels)
        return self._penalties.get((kind, index))

    def maker(self, index: int) -> Kernel:
        """The kernel that a value comes from."""
        return self.kernels[self.values[index].made]

    def readers(self, index: int) -> list[Kernel]:
        """The kernels of the forward pass that read a value."""
        if not self._readers:
            self._readers = _readers(self.kernels)
        return self._readers.get(index, [])

    @staticmethod
    def size_of_weight(shape: Sequence[object], item: int) -> Size:
        total = 1
        for dim in shape:
            if not isinstance(dim, int):
                raise NotSized(dim.why if isinstance(dim, Unknown) and dim.why else "a weight with an open extent")
            total *= dim
        return Size(total, 0, item)

    def run(self, kind: str, inputs: tuple[Value, ...], size: Size, *, reuse: bool = False,
            view: bool = False) -> Value:
        """Record an operation and give its output; a step has tens of thousands, and to call their __init__ takes
        longer than all of it."""
        kernel: Kernel = _new(Kernel)
        kernel.kind = kind
        kernel.inputs = inputs
        kernel.layer = self.layer
        kernel.phase = phase = self.phase
        kernel.reuse = reuse
        kernel.view = view
        kernel.after = None
        made: Value = _new(Value)
        made.index = len(self.values)
        made.size = size
        made.made = len(self.kernels)
        made.held = view and inputs[0].held
        made.trained = phase == FORWARD and True in [value.trained for value in inputs]
        kernel.output = made
        self.values.append(made)
        self.kernels.append(kernel)
        return made


def _readers(kernels: Sequence[Kernel]) -> dict[int, list[Kernel]]:
    found: dict[int, list[Kernel]] = {}
    for kernel in kernels:
        for value in kernel.inputs if kernel.phase == FORWARD else ():
            if (known := found.get(value.index)) is None:
                found[value.index] = [kernel]
            else:
                known.append(kernel)
    return found
