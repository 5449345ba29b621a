"""What new files start from, and what is said after they were written."""

from __future__ import annotations

RULE = """\
'''TODO: what is wrong, in one sentence.

## Why is this bad?
TODO

## Example

```python
import keras
from keras import layers

x = keras.Input((12, 12, 3))
x = layers.Conv2D(64, 5)(x)  # todo-error: [{name}]
```

## Use instead

```python
import keras
from keras import layers

x = keras.Input((12, 12, 3))
x = layers.Conv2D(64, 3)(x)  # revealed: float32[B, 10, 10, 64]
```

## Where it fails
TODO: on which stack and versions, when, and with which exception.

## Known limits
TODO

## References
* TODO: the library's source or a run
'''

from __future__ import annotations

from collections.abc import Iterator

from cudnnlint.events import LayerApplied
from cudnnlint.finding import Finding, Level
from cudnnlint.rules.protocol import rule


@rule("{code}", "{name}", Level.ERROR, since="{since}")
def check(event: LayerApplied) -> Iterator[Finding]:
    if event.layer.path == "keras.layers.TODO":  # TODO: what is certainly wrong; Unknown never is
        yield event.finding("expected 1, got 2", help="what to write instead",
                            fails='everywhere, when the model is built: ValueError "..."')
"""

LAYER = '''\
"""TODO: what this family of layers is."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.arith import rank_mismatch
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, Weight, layer
from cudnnlint.records import record
from cudnnlint.values import Tensor, Unknown


@record(frozen=True, slots=True)
class {camel}(SingleInput):
    """TODO: (N, H, W, C) -> (N, H', W', C) (keras/src/layers/...)."""

    size: Any = 1

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        if wrong := rank_mismatch(x, 4, "{camel}"):
            return wrong
        return x.with_(shape=Unknown("the shape that {camel} gives"), dtype=call.policy.compute)

    def variables(self, x: Tensor, call: LayerCall) -> tuple[Weight, ...] | Unknown:
        return ()


@layer("keras.layers.{camel}")
def {name}(size: Any = 1) -> {camel}:
    return {camel}(size)
'''

CONFIGS = '''\
"""Configurations that {camel} is compared with Keras over."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.oracle.harness import Case

CONFIGS = {{
    "keras.layers.{camel}": st.builds(
        Case, st.fixed_dictionaries({{}}, optional={{"size": st.integers(-1, 4)}}),
        st.sampled_from([(None, 8, 8, 3), (2, 5, 7, 1), (None, None, 4, 2), (None, 8)])),
}}
'''

FRAMEWORK = '''\
"""TODO: what of {name} is modelled."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.registry import Call, Framework
from cudnnlint.values import Unknown

FRAMEWORK = Framework("{name}", roots=("{name}",))


@FRAMEWORK.on("{name}.load")
def load(c: Call) -> Any:
    """TODO: what the call gives, from `c.get(position, keyword)`."""
    return Unknown("what {name}.load gives")
'''

FORMAT = '''\
"""TODO: whom this format is for, in one sentence."""

from __future__ import annotations

from cudnnlint.report._heading import closing, heading
from cudnnlint.report._style import paint
from cudnnlint.report.model import Report


def render(report: Report, *, color: bool = False, quiet: bool = False) -> str:
    """`quiet` leaves the summary out."""
    rows = [heading(report, finding) for finding in report.findings]
    return paint(rows if quiet else [*rows, *closing(report)], color=color)
'''

AFTER_RULE = """\
next: write the page and the check, turn todo-error into error, then
  python -m pytest tests/test_pages.py tests/test_meta.py
  python -m cudnnlint.devtools.docs"""

AFTER_LAYER = """\
next: give the spelling the library's real signature and the op its shapes and weights, then
  python -m pytest tests/test_totality.py tests/oracle -k NAME
  python -m cudnnlint.devtools.docs"""

AFTER_FRAMEWORK = """\
next: write handlers, and a specification of what they follow in tests/specs; if files can use the library
without naming keras or tensorflow, add its name to cudnnlint/source/roots.py; then
  python -m pytest tests/test_pages.py
  python -m cudnnlint.devtools.docs"""

AFTER_FORMAT = """\
next: write render, then record what it prints, and read it
  CUDNNLINT_BLESS=1 python -m pytest tests/report
  python -m cudnnlint.devtools.docs"""
