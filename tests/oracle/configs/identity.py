"""Configurations of the layers that return what they are given."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.oracle.harness import Case
from tests.oracle.shapes import tensors
from tests.oracle.strategies import POLICIES

CONFIGS = {
    "keras.layers.Identity": st.builds(
        Case, st.just({}), st.one_of(tensors(), st.lists(tensors(), min_size=2, max_size=2)), policy=POLICIES),
    "keras.layers.Masking": st.builds(
        Case, st.fixed_dictionaries({}, optional={"mask_value": st.sampled_from([0.0, 1.5])}), tensors(),
        policy=POLICIES),
}
