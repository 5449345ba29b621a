"""The dtype policy of a layer."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.machine import Machine
from cudnnlint.ops.protocol import Policy
from cudnnlint.values import Unknown

POLICIES = {"mixed_float16": Policy("float16", "float32"), "mixed_bfloat16": Policy("bfloat16", "float32")}


def policy_of(m: Machine, dtype: Any) -> Policy:
    """The dtype policy of a layer: its `dtype` argument, else the global policy."""
    if dtype is None:
        policy: Policy | None = m.state.get("policy")
        if policy is None:
            policy = Policy(m.state.get("floatx", "float32"), m.state.get("floatx", "float32"))
            if m.stack.keras >= (3,):  # keras/src/dtype_policies/dtype_policy.py: the first to ask fixes it for all
                m.state["policy"] = policy
        return policy
    if isinstance(dtype, Policy):
        return dtype
    if isinstance(dtype, str):
        return POLICIES.get(dtype, Policy(dtype, dtype))
    held = getattr(dtype, "policy", None)
    unknown: Any = Unknown("dtype policy")
    return held if isinstance(held, Policy) else Policy(unknown, unknown)
