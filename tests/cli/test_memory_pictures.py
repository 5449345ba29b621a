"""`cudnnlint memory --svg` and `--html` draw what the estimate says, with names that may hold anything."""

from __future__ import annotations

import os
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.conftest import Run
from tests.cli.test_memory import FIT, NET, told

SVG = "{http://www.w3.org/2000/svg}"
WICKED = "<svg><script>alert(1)<!--&amp;\\x01\\ud800'"


def drawn(run: Run, here: Path, text: str, *options: str) -> ET.Element:
    (here / "net.py").write_text(text)
    result = run("memory", "net.py", "--svg", "net.svg", *options)
    assert result.exit_code == 0, result.output
    assert "needs" in result.stdout or "no training" in result.stderr
    return ET.fromstring((here / "net.svg").read_text("utf-8"))


def titles(root: ET.Element) -> list[str]:
    return [title.text or "" for title in root.iter(f"{SVG}title")]


def corners(root: ET.Element) -> list[float]:
    """All y of all areas."""
    return [float(y) for path in root.iter(f"{SVG}path") for y in re.findall(r"[V,](-?[\d.]+)", path.get("d", ""))]


def limit(root: ET.Element) -> float | None:
    return next((float(line.get("y1", "")) for line in root.iter(f"{SVG}line") if line.get("stroke-dasharray")), None)


def test_the_areas_cross_the_limit_where_it_does_not_fit(run: Run, here: Path) -> None:
    (row,) = told(run, here, FIT)
    for gpu, crosses in ((f"{row['needs_bytes'] // 2 >> 20}MiB", True), (f"{row['needs_bytes'] * 2 >> 20}MiB", False)):
        root = drawn(run, here, FIT, "--gpu", gpu)
        line = limit(root)
        assert line is not None and (min(corners(root)) < line) == crosses
    far = drawn(run, here, FIT, "--gpu", "H200", "--batch-size", "1")
    assert limit(far) is None and "above the picture" in "".join(far.itertext())


def test_each_layer_tells_its_line_and_bytes(run: Run, here: Path) -> None:
    root = drawn(run, here, FIT)
    assert any(re.match(r"first, line 7: [\d.]+ GiB at the peak", title) for title in titles(root))
    assert any(re.match(r"backward: first, line 7, [\d.]+ GiB in all", title) for title in titles(root))
    said = [text.text or "" for text in root.iter(f"{SVG}text")]
    assert {"forward", "backward"} < set(said)
    assert any(text.startswith("net.py:13  model.fit(...)") for text in said)
    assert any("does not fit" in text for text in said)


def test_pictures_are_self_contained(run: Run, here: Path) -> None:
    text = FIT.replace('"first"', f'"{WICKED}"')
    root = drawn(run, here, text, "--html", "net.html")
    assert any(title.startswith("<svg><script>alert(1)<!--&amp;\ufffd\ufffd'") for title in titles(root)), "as text"
    for data in ((here / "net.svg").read_text("utf-8"), (here / "net.html").read_text("utf-8")):
        assert "<script" not in data and "href" not in data and "\x01" not in data
        assert set(re.findall(r"https?://[^\s\"'<]+", data)) == {"http://www.w3.org/2000/svg"}
        assert "prefers-color-scheme:dark" in data


class Counter(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.seen[tag] = self.seen.get(tag, 0) + 1
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_has_a_picture_and_the_numbers_of_each_call(run: Run, here: Path) -> None:
    (here / "net.py").write_text(FIT + FIT.splitlines()[-1].replace("512", "16"))
    assert run("memory", "net.py", "--html", "net.html").exit_code == 0
    text = (here / "net.html").read_text("utf-8")
    page = Counter()
    page.feed(text)
    assert page.open == [] and page.seen["svg"] == 2 and page.seen["table"] == 4 and "script" not in page.seen
    assert "batch 512" in text and "batch 16" in text and "activations kept for backward" in text and "assumes:" in text


def test_a_prediction_and_nothing_at_all_are_drawn_too(run: Run, here: Path) -> None:
    root = drawn(run, here, NET)
    assert [text.text for text in root.iter(f"{SVG}text")].count("forward") == 2, "a prediction and a step of training"
    nothing = drawn(run, here, "import keras\n")
    assert "no training calls and no models that could be followed" in "".join(nothing.itertext())


def test_what_is_not_known_is_said_in_the_picture(run: Run, here: Path) -> None:
    root = drawn(run, here, FIT.replace("layers.Dense(10,", "layers.Dense(int(input()),"))
    assert any("needs at least" in (text.text or "") for text in root.iter(f"{SVG}text"))


@pytest.mark.parametrize(("path", "said"), [
    ("net.py", "is a program"), ("other.PY", "is a program"), ("note.ipynb", "is a program"), (".", "not a file"),
    ("", "not a file"), ("missing/net.svg", "cannot be written"), ("link.svg", "is a program"),
    ("x" * 300, "cannot be written"),
])
@pytest.mark.parametrize("option", ["--svg", "--html"])
def test_a_file_that_cannot_be_written_is_told_in_one_line(
        run: Run, here: Path, option: str, path: str, said: str) -> None:
    (here / "net.py").write_text(FIT)
    os.symlink("net.py", here / "link.svg")
    result = run("memory", "net.py", option, path)
    assert result.exit_code == 2 and said in result.stderr and result.stderr.count("\n") == 1
    assert (here / "net.py").read_text() == FIT
    assert sorted(each.name for each in here.iterdir()) == ["link.svg", "net.py"]


def test_the_same_file_twice_is_refused(run: Run, here: Path) -> None:
    (here / "net.py").write_text(FIT)
    result = run("memory", "net.py", "--svg", "out", "--html", "./out")
    assert result.exit_code == 2 and "twice" in result.stderr and not (here / "out").exists()


def test_a_file_is_replaced_as_a_whole(run: Run, here: Path) -> None:
    (here / "net.py").write_text(FIT)
    (here / "net.svg").write_text("old" * 10**6)
    (here / "net.svg").chmod(0o640)
    assert run("memory", "net.py", "--svg", "net.svg").exit_code == 0
    assert (here / "net.svg").read_text("utf-8").endswith("</svg>\n")
    assert (here / "net.svg").stat().st_mode & 0o777 == 0o640
    assert sorted(each.name for each in here.iterdir()) == ["net.py", "net.svg"]


def test_a_curve_is_drawn_with_a_bar_for_each_batch(run: Run, here: Path) -> None:
    (row,) = told(run, here, FIT)
    largest = row["largest_batch_size"]
    root = drawn(run, here, FIT, "--batch-size", "16,64,1024", "--html", "net.html")
    bars = [title for title in titles(root) if title.startswith("batch ")]
    assert len(bars) == 4 and f"batch {largest:,}: " in bars[2] and "the largest that surely fits" in bars[2]
    assert bars[0].endswith(", fits") and bars[3].endswith(", does not fit")
    said = [text.text or "" for text in root.iter(f"{SVG}text")]
    assert {"16", "64", "1,024", f"{largest:,}", "largest", "too large"} < set(said)
    assert "too large" in (here / "net.html").read_text("utf-8")
    assert int(root.get("height", "")) > int(drawn(run, here, FIT).get("height", ""))
