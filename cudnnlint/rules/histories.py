"""What to say of PyTorch tensors that are kept together with the graphs that they were computed by."""

from __future__ import annotations

from cudnnlint.events.loops import GraphKept
from cudnnlint.finding import Argument, Finding, Recipe, WrapAdded, WrapArgument
from cudnnlint.rules.fixes import unsafe

OF_NODES = ("everywhere, slowly: backward() frees what a graph holds on the GPU, its nodes stay in the host's memory, "
            "until the process is killed for it")
OF_RESULTS = 'everywhere, once they fill the memory: RuntimeError "CUDA out of memory"'


def history_kept(event: GraphKept) -> Finding:
    """The finding: what keeps which graphs, and how often."""
    keeps = "a list keeps" if event.form == "list" else "a sum keeps"
    what = "the history of" if event.trained else "all intermediate results behind"
    times = f" of {event.turns} turns" if isinstance(event.turns, int) else " of every turn"
    one = event.tensor.rank == 0
    return event.finding(f"{keeps} {what} {event.tensor}{times}", help=_help(event.trained, one), fix=_fix(event),
                        fails=OF_NODES if event.trained and (one or event.form == "sum") else OF_RESULTS)


def _fix(event: GraphKept) -> Recipe | None:
    """The same tensor without its graph, in what append() or += gets."""
    if not event.alone:
        return None
    there = Argument(event.span, "object", 0, 1)
    return unsafe(".detach()", WrapArgument(there, "{}.detach()") if event.form == "list" else
                  WrapAdded(event.span, "{}.detach()"))


def _help(trained: bool, one: bool) -> str:
    kept = "keep its .item()" if one else "keep its .detach()"
    return kept if trained else f"run the loop under torch.no_grad(), or {kept}"
