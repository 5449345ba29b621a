"""What a finding advises fits what the program does."""

from __future__ import annotations

import textwrap

from cudnnlint.engine import registry
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.finding import Finding
from cudnnlint.source import Source


def the_one(text: str) -> Finding:
    registry.load()
    (finding,) = check_source(Source.from_text("train.py", textwrap.dedent(text)), Settings())
    return finding


def test_one_row_of_a_table_lacks_its_batch_axis() -> None:
    finding = the_one("""
        import keras
        import numpy as np
        table = np.zeros((100, 12), "float32")
        y = keras.layers.Dense(1)(table[3])
    """)
    assert (finding.rule, finding.help) == (
        "rank-mismatch", "one sample needs a batch axis: x[np.newaxis], (1, 12)")


def test_a_label_that_is_no_class_is_to_be_left_out() -> None:
    finding = the_one("""
        import keras
        import numpy as np
        masks = np.random.randint(0, 5, (8, 16))
        masks[:, :2] = 255
        model = keras.Sequential([keras.Input((16, 3)), keras.layers.Dense(5, activation="softmax")])
        model.compile("adam", keras.losses.SparseCategoricalCrossentropy())
        model.fit(np.zeros((8, 16, 3)), masks)
    """)
    assert finding.message.startswith("labels hold 255,")
    assert "SparseCategoricalCrossentropy(ignore_class=255)" in finding.help
