"""Decorators of libraries that leave what they decorate what it is: they note it, check it, time it or keep it."""

from __future__ import annotations

import ast

NAMES = frozenset({
    "auto_fp16", "beartype", "cache_data", "cache_resource", "dataclass_json", "delegates", "deprecated",
    "experimental_memo", "experimental_singleton", "float_function", "force_fp32", "half_function", "jaxtyped", "jit",
    "njit", "on_exception", "override", "overrides", "profile", "rank_zero_only", "retry", "total_ordering",
    "validate_hf_hub_args",
})
"""Their own names, wherever a library has them: of mmcv, beartype, streamlit, dataclasses_json, fastcore, deprecated,
apex, jaxtyping, numba, backoff, overrides, line_profiler, lightning (which runs it where the rank is 0), tenacity,
functools and huggingface_hub, as their documentation has it; not pydantic's, which makes numbers of texts."""
PATHS = frozenset({
    "spaces.GPU", "streamlit.cache", "torch._dynamo.allow_in_graph", "torch._dynamo.disable",
    "torch.autograd.function.once_differentiable", "torch.autograd.profiler.record_function",
    "torch.compiler.allow_in_graph", "torch.compiler.disable", "torch.fx.wrap",
    "torch.distributed.elastic.multiprocessing.errors.record", "torch.profiler.record_function",
})
NOTES = "register"
"""What begins so notes a class or function under a name, and gives it back: `@MODELS.register_module()` of mmengine,
`@REGISTRY.register()` of fvcore, `@register_model` of timm, `@register_to_config` of diffusers."""
ROUTES = frozenset({"after_request", "before_request", "cache", "callback", "command", "delete", "errorhandler",
                    "exception_handler", "get", "middleware", "on_event", "option", "patch", "post", "put", "route",
                    "websocket"})
"""Of an application or a command line that is an object of which nothing is known, and of joblib's Memory."""
OTHER_DTYPES = frozenset({"torch.autocast", "torch.amp.custom_fwd", "torch.cuda.amp.custom_fwd"})
"""Under which operations compute in other types than those of what they are given."""


def leaves_alone(path: str) -> bool:
    """Whether a decorator of a library gives back what it is given, or what is called as that is.

    >>> [leaves_alone(path) for path in ("timm.models.register_model", "numba.njit", "hypothesis.given")]
    [True, True, False]
    """
    name = path.rpartition(".")[2]
    return name in NAMES or path in PATHS or name.startswith(NOTES)


def is_noted(decorator: ast.expr, *, of_class: bool) -> bool:
    """`@cli.command()`, `@app.route(...)`, `@MODELS.register()` of an object that is not known."""
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return isinstance(target, ast.Attribute) and (
        target.attr.startswith(NOTES) or (not of_class and target.attr in ROUTES))
