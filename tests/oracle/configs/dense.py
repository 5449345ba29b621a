"""Configurations of the fully connected layers."""

from hypothesis import strategies as st

sizes = st.integers(1, 6)
lead = st.lists(st.none() | sizes, min_size=0, max_size=3).map(tuple)

CONFIGS = {
    "keras.layers.Dense": st.tuples(
        st.fixed_dictionaries({"units": st.integers(-1, 7)}, optional={"use_bias": st.booleans()}),
        st.builds(lambda head, last: (*head, last), lead, st.none() | sizes)),
}
