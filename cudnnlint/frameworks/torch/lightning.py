"""Lightning: a Trainer calls the steps of a module with the batches of its loaders, which the program does not do.

lightning/pytorch/trainer/trainer.py; lightning/pytorch/loops: validation is tried before the first epoch.
"""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.frameworks.torch.lightning_callbacks import run_callbacks
from cudnnlint.frameworks.torch.lightning_optimizers import tell_of_configured
from cudnnlint.frameworks.torch.loaders import LoaderV
from cudnnlint.interp.attribute_dicts import AttrDictV
from cudnnlint.interp.attributes import method_of
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.mistakes.nothing_used import tell_of_given_back
from cudnnlint.interp.objects import MISSING, BoundV, FunctionV, InstanceV, MethodV
from cudnnlint.interp.registry import Call
from cudnnlint.interp.torch.histories import GRAD, PAUSED
from cudnnlint.values import Unknown

MODULE = "torch.nn.LightningModule"
STAGES = {"fit": ("train", "val"), "validate": ("val",), "test": ("test",), "predict": ("predict",)}
"""Method of a Trainer -> whose loaders and steps it goes through."""
STEPS = {"train": "training_step", "val": "validation_step", "test": "test_step", "predict": "predict_step"}


@FRAMEWORK.on(*(f"lightning.Trainer.{name}" for name in STAGES))
def run(c: Call) -> Any:
    """trainer.fit(model, train_dataloaders, val_dataloaders, datamodule), and its kin with one loader."""
    method = c.path.rpartition(".")[2]
    model = plain(c.get(0, "model"))
    if not isinstance(model, InstanceV) or method not in STAGES:
        run_callbacks(c)
        return Unknown(f"Trainer.{method}()")
    source = _data_module(c)
    stage = "fit" if method == "fit" else method
    for holder in (source, model):
        _hook(c, holder, "prepare_data")
        _hook(c, holder, "setup", stage)
    loaders = {kind: _loader(c, kind, place, source, model) for place, kind in enumerate(STAGES[method], 1)}
    if "val" in loaders and method == "fit":
        _steps(c, model, "val", loaders["val"])
    if method == "fit":
        tell_of_configured(c, model, _hook(c, model, "configure_optimizers"))
    for kind, loader in loaders.items():
        if kind != "val" or method != "fit":
            _steps(c, model, kind, loader)
    run_callbacks(c)
    return Unknown(f"Trainer.{method}()") if method != "fit" else None


def _data_module(c: Call) -> Any:
    """`datamodule=`, or one where loaders may stand."""
    given = plain(c.kwargs.get("datamodule"))
    first = plain(c.get(1, "train_dataloaders"))
    return given if given is not None else first if isinstance(first, InstanceV) else None


def _hook(c: Call, holder: Any, name: str, *args: Any) -> Any:
    """A method of the user's, if there is one, with as many of the arguments as it takes; what the program has put in
    its place, `data.train_dataloader = data.mixed_dataloader`, goes before that of the class."""
    method = plain(holder.items.get(name, method_of(holder, name))) if isinstance(holder, InstanceV) else MISSING
    function = method.function if isinstance(method, BoundV) else None
    if not isinstance(function, FunctionV):
        return Unknown(f"no {name}()")
    declared = function.node.args
    count = len(declared.posonlyargs) + len(declared.args) - 1
    taken = args if declared.vararg is not None else args[:max(count, 0)]
    return plain(c.machine.call(method, list(taken), {}, c.node))


def _loader(c: Call, kind: str, place: int, source: Any, model: InstanceV) -> Any:
    names = (f"{kind}_dataloaders", f"{kind}_dataloader", "dataloaders")
    given = next((c.kwargs[name] for name in names if name in c.kwargs), c.args[place] if len(c.args) > place else None)
    held = plain(given)
    if held is None or held is source:
        made = _hook(c, source, f"{kind}_dataloader")
        held = _hook(c, model, f"{kind}_dataloader") if isinstance(made, Unknown) else made
    if isinstance(held, LoaderV):
        return held
    found = elements(c.machine, held)
    return Unknown("several loaders") if isinstance(found, Unknown) or len(found) != 1 else plain(found[0])


def _steps(c: Call, model: InstanceV, kind: str, loader: Any) -> None:
    """One step for each kind of batch: the full ones, and the last one if it has fewer rows."""
    m = c.machine
    batches = loader.kinds(m) if isinstance(loader, LoaderV) else [Unknown("batches of a loader")]
    if all(isinstance(plain(batch), Unknown) for batch in batches):
        batches = batches[:1]
    _mode(c, model, training=kind == "train")
    before = m.state.get(GRAD)
    if kind != "train":
        m.state[GRAD] = False
        m.state.setdefault(PAUSED, {})
    try:
        for batch in batches:
            made = _hook(c, model, STEPS[kind], batch, Unknown("batch_idx", number=True), 0)
            if kind == "train":
                _tell_of_no_loss(c, model, made)
    finally:
        if before is None:
            m.state.pop(GRAD, None)
        else:
            m.state[GRAD] = before


def _tell_of_no_loss(c: Call, model: InstanceV, made: Any) -> None:
    """Each step is passed over (lightning/pytorch/loops/optimization/automatic.py: _AutomaticOptimization, as Lightning
    2.6 was seen to do); one that goes back by itself gives nothing."""
    method = method_of(model, "training_step")
    source = method.function.module.source if isinstance(method, BoundV) else None
    if source is not None and not any(map(source.says, OWN_STEPS)):
        tell_of_given_back(c.machine, method, made, "the loss of each step",
                           'UserWarning "`training_step` returned `None`", and nothing is trained', c.span)


OWN_STEPS = ("automatic_optimization", "manual_backward", ".backward(")
"""What a program says that takes the steps itself."""


def _mode(c: Call, model: InstanceV, *, training: bool) -> None:
    """model.train() or model.eval()"""
    c.machine.call(MethodV(model, f"torch.nn.Module.{'train' if training else 'eval'}"), [], {}, c.node)


@FRAMEWORK.on(f"{MODULE}.save_hyperparameters", "lightning.LightningDataModule.save_hyperparameters")
def save_hyperparameters(c: Call) -> Any:
    """The arguments of the constructor that calls it become `self.hparams` (lightning/pytorch/utilities/parsing.py)."""
    m, instance = c.machine, plain(c.receiver)
    function = m.frame.function
    if not isinstance(instance, InstanceV) or function is None:
        return None
    declared = function.node.args
    names = [each.arg for each in (*declared.posonlyargs, *declared.args[1:], *declared.kwonlyargs)]
    kept = {name: m.frame.scope.items[name] for name in names if name in m.frame.scope.items}
    more = Unknown("hyperparameters by other names") if declared.kwarg is not None or c.args else None
    m.set_item(instance, "hparams", AttrDictV(kept, more))
    return None


@FRAMEWORK.on(f"{MODULE}.log", f"{MODULE}.log_dict", f"{MODULE}.print")
def logged(c: Call) -> Any:
    return None


@FRAMEWORK.attribute(f"{MODULE}.device")
def device(m: Machine, value: Any) -> Any:
    return Unknown("what runs where")


__all__ = ["run", "save_hyperparameters"]
