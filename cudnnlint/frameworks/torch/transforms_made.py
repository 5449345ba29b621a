"""torchvision.transforms: what they are made without, and classes in a list of transforms."""

from __future__ import annotations

from typing import Any

from cudnnlint.facts.torch_arguments import LISTED, TRANSFORMS
from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.frameworks.torch.needed import tell_of_missing
from cudnnlint.frameworks.torch.transforms import HOME
from cudnnlint.interp.binding import STAR
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import External
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Mismatch, Problem, Unknown


def _made(name: str) -> Any:
    def transform(c: Call) -> ObjectV:
        if is_meant(c.machine) and STAR not in c.kwargs and not c.machine.uncalled:
            _check(c, name)
        return ObjectV(f"{HOME}.{name}", tuple(c.args), dict(c.kwargs), c.span)

    return transform


def _check(c: Call, name: str) -> None:
    if not tell_of_missing(c, name, TRANSFORMS[name]) and name in LISTED:
        _check_listed(c, name)


def _check_listed(c: Call, name: str) -> None:
    """`Compose(ToTensor(), Resize(8))`, `Compose([ToTensor])`"""
    first = plain(c.get(0, "transforms"))
    if isinstance(first, ObjectV) and first.path.startswith(f"{HOME}.") and name == "Compose":
        several = len(c.args) > 1
        error = "takes 2 positional arguments" if several else \
            'object is not iterable" or of v2 "Argument transforms should be a sequence'
        _refuse(c, name, f"{name} is given a transform, not a list of them", f"{name}([...])", f'TypeError "{error}"',
                "when it is made" if several else "when it is called on a picture, in v2 when it is made")
        return
    for one in () if isinstance(found := elements(c.machine, first), Unknown) else found:
        held = plain(one)
        if isinstance(held, External) and held.path.startswith(f"{HOME}.") and \
                (own := held.path.rpartition(".")[2])[:1].isupper() and held.path.count(".") == 2:
            _refuse(c, name, f"{name} is given the class {own}, not a transform", f"{own}(...)",
                    f'TypeError "{own}.__init__() takes 1 positional argument but 2 were given", or what it makes of a '
                    "picture as its argument", "when it is called on a picture")
            return


def _refuse(c: Call, name: str, told: str, help_: str, error: str, moment: str) -> None:
    refuse(c.machine, c.span, Mismatch(Problem.UNEXPECTED, told, help=help_, error=error,
                                       facts=(("moment", moment),)), what=name)


for _name in TRANSFORMS:
    FRAMEWORK.on(f"{HOME}.{_name}")(_made(_name))
