"""Compares what is inferred with what was recorded: by call site, and by model."""

from __future__ import annotations

import collections
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

Row = Mapping[str, Any]
SITES = ("exact", "partial", "missed", "wrong")
"""Every recorded output is inferred with its dtype, and nothing contradicts; some are; none is; something is claimed
that no run of this site has."""
MODELS = ("equal", "unknown", "wrong")


@dataclass(frozen=True, slots=True)
class Claims:
    """What is inferred: rows of `cudnnlint shapes`; parameters (None: not known) of the models made at a place; what
    trainings are given."""

    rows: list[dict[str, Any]]
    models: Mapping[tuple[str, int, int], set[int | None]]
    fits: list[Row] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Verdict:
    """On one place: `seen` is what was recorded there, `claims` what is inferred, `against` what of that is denied."""

    path: str
    line: int
    column: int | None
    layer: str
    kind: str
    seen: list[Any]
    claims: list[Any]
    against: list[Any]


def on_sites(sites: Iterable[Row], claims: Claims) -> Iterator[Verdict]:
    """Of every layer that was called, but InputLayers."""
    index = _Index((row["path"], row["line"], row["column"], row) for row in claims.rows)
    for site in sites:
        if site["layer"] != "InputLayer" and site["seen"]:
            mine = index.at(site)
            yield _verdict(site, site_kind(site["seen"], mine), site["seen"], mine,
                           [claim for claim in mine if all(denies(claim, seen) for seen in site["seen"])])


def on_models(models: Iterable[Row], claims: Claims) -> Iterator[Verdict]:
    """Of every model whose parameters Keras could count."""
    index = _Index((*place, counts) for place, counts in claims.models.items())
    rows = _Index((row["path"], row["line"], row["column"], row["params"]) for row in claims.rows)
    for model in models:
        real = {count for count in model["params"] if count is not None}
        if real:
            mine = {count for counts in index.at(model) for count in counts} or set(rows.at(model))
            known = mine - {None}
            foreign = known - real if None not in model["params"] else set()
            kind = "wrong" if foreign else "equal" if real <= known else "unknown"
            yield _verdict(model, kind, sorted(real), sorted(mine, key=str), sorted(foreign, key=str))


def on_fits(fits: Iterable[Row], claims: Claims) -> Iterator[Verdict]:
    """Of every call that trains."""
    index = _Index((row["path"], row["line"], row["column"], row) for row in claims.fits)
    for place in fits:
        mine = index.at(place)
        yield _verdict({**place, "layer": place["seen"][0]["method"]}, fit_kind(place["seen"], mine), place["seen"],
                       mine, [claim for claim in mine if all(_differs(claim, seen) for seen in place["seen"])])


def fit_kind(seen: list[Row], claims: list[Row]) -> str:
    """One of SITES; what the library itself does not know (None) need not be.

    >>> seen = [{"batch": 32, "steps": 10, "shapes": [[32, 4]], "dtypes": ["float32"], "optimizer": "Adam"}]
    >>> fit_kind(seen, [{**seen[0], "shapes": [[None, 4]], "optimizer": "adam"}]), fit_kind(seen, [])
    ('exact', 'missed')
    >>> fit_kind(seen, [{**seen[0], "batch": None}]), fit_kind(seen, [{**seen[0], "steps": 9}])
    ('partial', 'wrong')
    """
    if any(all(_differs(claim, each) for each in seen) for claim in claims):
        return "wrong"
    whole = all(any(not _differs(claim, each) and not _left_open(claim, each) for claim in claims) for each in seen)
    return "exact" if whole else "partial" if claims else "missed"


def _differs(claim: Row, seen: Row) -> list[str]:
    """What is claimed of a training and denied; the only batch of few rows may be smaller than it is to be."""
    found = [key for key in ("steps", "dtypes", "optimizer") if _told_apart(claim[key], seen[key])]
    batches = seen["batch"] if isinstance(seen["batch"], list) else [seen["batch"]]
    alone = seen.get("method") in ("fit", "evaluate", "predict") and seen["steps"] in (1, None)
    short = alone and None not in (claim["batch"], *batches) and claim["batch"] > max(batches, default=0)
    shapes = None not in (claim["shapes"], seen["shapes"]) and contradicts(
        [_rows_open(shape) for shape in claim["shapes"]], [_rows_open(shape) for shape in seen["shapes"]])
    batch = None not in (claim["batch"], *batches) and claim["batch"] not in batches and not short
    return [*found, *["batch"] * batch, *["shapes"] * shapes]


def _told_apart(claim: Any, seen: Any) -> bool:
    if isinstance(claim, list) and isinstance(seen, list):
        return len(claim) == len(seen) and any(map(_told_apart, claim, seen))
    return None not in (claim, seen) and str(claim).lower() != str(seen).lower()


def _rows_open(shape: Any) -> Any:
    return [None, *shape[1:]] if isinstance(shape, list) and shape else shape


def _left_open(claim: Row, seen: Row) -> list[str]:
    """What was seen of a training and is not claimed."""
    shapes = claim["shapes"] or []
    dims = len(shapes) == len(seen["shapes"] or []) and all(
        isinstance(shape, list) and None not in shape[1:] for shape in shapes)
    return [key for key in ("batch", "steps", "dtypes", "optimizer") if claim[key] is None not in (seen[key], [])] + \
        ["shapes"] * (not dims)


def site_kind(seen: list[Row], claims: list[Row]) -> str:
    """One of SITES.

    >>> seen = [{"input_shape": [None, 8], "output_shape": [None, 4], "dtype": "float32", "params": 36}]
    >>> site_kind(seen, seen), site_kind(seen, [{**seen[0], "output_shape": [None, None]}])
    ('exact', 'missed')
    >>> site_kind(seen, [{**seen[0], "output_shape": [None, 5]}]), site_kind(seen, [{**seen[0], "params": 35}])
    ('wrong', 'wrong')
    """
    if any(all(denies(claim, each) for each in seen) for claim in claims):
        return "wrong"
    hits = sum(any(fits(claim, each) for claim in claims) for each in seen)
    return "exact" if hits == len(seen) else "partial" if hits else "missed"


def fits(claim: Row, seen: Row) -> bool:
    """Whether the claim is all of the recorded output and its dtype, and nothing else of it is denied."""
    return claim["output_shape"] in forms(seen, "output") and claim["dtype"] == seen["dtype"] \
        and not denies(claim, seen)


def denies(claim: Row, seen: Row) -> bool:
    """Whether the recording says otherwise on anything that is claimed."""
    return (all(contradicts(claim["output_shape"], form) for form in forms(seen, "output"))
            or all(contradicts(*_alike(claim["input_shape"], form)) for form in forms(seen, "input"))
            or any(None not in (claim[key], seen[key]) and claim[key] != seen[key] for key in ("dtype", "params")))


def forms(seen: Row, what: str) -> list[Any]:
    """Of a layer that was called on data the batch is as open as it is known: either is right; so is what is flat."""
    found = [seen[f"{what}_shape"], *seen.get(f"raw_{what}_shapes", ())]
    return found + [_flat(shape) for shape in found if _is_nested(shape)]


def _is_nested(shape: Any) -> bool:
    """Whether it is a structure of structures: what is inferred is told flat."""
    return isinstance(shape, list) and any(
        isinstance(part, list) and any(isinstance(item, list) for item in part) for part in shape)


def contradicts(claim: Any, seen: Any) -> bool:
    """Whether the claim says a number, or a rank, that the recording denies.

    >>> contradicts([None, 4], [None, 4]), contradicts([None, None], [None, 4]), contradicts(None, [3])
    (False, False, False)
    >>> contradicts([2, 4], [None, 4]), contradicts([4], [None, 4]), contradicts([[4], [5]], [[4], [6]])
    (True, True, True)
    """
    if claim is None:
        return False
    if isinstance(claim, list):
        if not isinstance(seen, list) or len(claim) != len(seen):
            return seen is not None
        return any(contradicts(a, b) for a, b in zip(claim, seen, strict=True))
    return bool(claim != seen)


def _alike(claim: Any, seen: Any) -> tuple[Any, Any]:
    """Inputs are compared one by one, however they are nested; not if some are told on one side only."""
    a, b = _flat(claim), _flat(seen)
    return (a, b) if len(a) == len(b) else (None, None)


def _flat(value: Any) -> list[Any]:
    if isinstance(value, list) and any(isinstance(item, list) for item in value):
        return [shape for item in value for shape in _flat(item)]
    return [value]


def counted(verdicts: Iterable[Verdict], kinds: tuple[str, ...]) -> dict[str, int]:
    found = collections.Counter(verdict.kind for verdict in verdicts)
    return {kind: found[kind] for kind in kinds}


class _Index:
    """Claims by place; where a recording has no columns, all of a line."""

    def __init__(self, claims: Iterable[tuple[str, int, int, Any]]) -> None:
        self._by_column: dict[Any, list[Any]] = collections.defaultdict(list)
        self._by_line: dict[Any, list[Any]] = collections.defaultdict(list)
        for path, line, column, claim in claims:
            real = os.path.realpath(path)
            self._by_column[real, line, column].append(claim)
            self._by_line[real, line].append(claim)

    def at(self, place: Row) -> list[Any]:
        if place["column"] is None:
            return self._by_line.get((place["path"], place["line"]), [])
        return self._by_column.get((place["path"], place["line"], place["column"]), [])


def _verdict(place: Row, kind: str, seen: list[Any], claims: list[Any], against: list[Any]) -> Verdict:
    return Verdict(place["path"], place["line"], place["column"], place["layer"], kind, seen, claims, against)
