"""What holds for the repository as a whole: rules and their pages, documentation, contracts, size."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cudnnlint import __version__
from cudnnlint.devtools import docs
from cudnnlint.devtools.new import GROUPS
from cudnnlint.engine import registry
from cudnnlint.rules.protocol import Rule

ROOT = Path(__file__).parents[1]
RULES = [*registry.rules().values()]
SECTIONS = ["Why is this bad?", "Example", "Use instead", "Where it fails", "Known limits", "References"]
FILES = sorted((ROOT / "cudnnlint").rglob("*.py"))
LONGEST_FILE, LONGEST_FUNCTION = 250, 40
"""Lines: the budget."""
TOO_LONG = 2.4
"""Times the budget: what must be split before anything is added to it."""


def by_name(rule: Rule) -> str:
    return rule.name


def test_every_module_loads() -> None:
    registry.load()
    assert registry.problems() == ()


def test_no_code_is_used_twice() -> None:
    codes = [rule.code for rule in RULES]
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize("rule", RULES, ids=by_name)
def test_a_rule_is_named_and_coded_after_its_place(rule: Rule) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)+", rule.name)
    *_, group, module = rule.check.__module__.split(".")
    assert module == rule.name.replace("-", "_")
    assert re.fullmatch(rf"CUD{GROUPS[group]}\d\d", rule.code)


@pytest.mark.parametrize("rule", RULES, ids=by_name)
def test_a_page_is_complete(rule: Rule) -> None:
    sections = re.findall(r"^## (.*)$", rule.page, re.MULTILINE)
    assert [section for section in sections if section != "Fix"] == SECTIONS
    assert "Fix" not in sections or sections[3] == "Fix"
    assert "TODO" not in rule.page
    assert all(section.strip() for section in re.split(r"^## .*$", rule.page, flags=re.MULTILINE))


@pytest.mark.parametrize("rule", RULES, ids=by_name)
def test_a_summary_is_one_sentence_on_one_line(rule: Rule) -> None:
    lines = rule.page.strip().splitlines()
    assert lines[0].endswith(".") and lines[1] == ""
    assert len(lines[0]) <= 100


@pytest.mark.parametrize("rule", [rule for rule in RULES if rule.code < "CUD9"], ids=by_name)
def test_an_example_shows_the_finding_and_what_to_write_instead(rule: Rule) -> None:
    example, _, rest = rule.page.partition("## Use instead")
    assert f"# error: [{rule.name}]" in example
    assert re.search("^```(python|requirements)", rest.partition("## Where it fails")[0], re.MULTILINE)


def test_documentation_is_what_the_code_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    problems = docs.outdated(ROOT)
    assert not problems, "\n".join(problems)


def test_every_option_of_a_rule_says_what_it_means() -> None:
    rows = [line for line in (ROOT / "docs" / "settings.md").read_text(encoding="utf-8").splitlines()
            if line.startswith("| `")]
    assert rows and not [row for row in rows if row.endswith("|  |")]


@pytest.mark.parametrize("page", sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]),
                         ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text) if "://" not in target]
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_changelog_speaks_of_this_version() -> None:
    assert f"## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_import_contracts_are_kept() -> None:
    code = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_module_says_what_it_is_for() -> None:
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FILES}
    silent = [path for path, tree in trees.items() if tree.body and not ast.get_docstring(tree)]
    assert [str(path.relative_to(ROOT)) for path in silent] == []


def test_sizes_stay_within_the_budget() -> None:
    """What is over the budget is printed with `-rA`."""
    over = [*_long_files(), *_long_functions()]
    print("\n".join(f"{place}: {size} lines, budget {budget}" for place, size, budget in over))
    assert [place for place, size, budget in over if size > TOO_LONG * budget] == []


def _long_files() -> list[tuple[str, int, int]]:
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in FILES}
    return [(str(path.relative_to(ROOT)), size, LONGEST_FILE) for path, size in sizes.items() if size > LONGEST_FILE]


def _long_functions() -> list[tuple[str, int, int]]:
    found = []
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
                size = node.end_lineno - node.lineno + 1
                if size > LONGEST_FUNCTION:
                    found.append((f"{path.relative_to(ROOT)}: {node.name}", size, LONGEST_FUNCTION))
    return found


THE_DISK = {"source/disk.py", "source/unsaved.py"}
OWN_DATA = {"facts/members.py", "facts/wheels.py", "facts/public_names.py", "facts/signatures.py", "facts/needed.py",
            "facts/applications/__init__.py", "frameworks/listing.py", "ops/table.py", "rules/listing.py"}
"""What reads files of cudnnlint itself."""
NOT_OF_ONE_FILE = re.compile(r"(cli|devtools|fix|report|verify|engine/doctor|engine/cache)/.*|"
                             r"(__main__|flake8_plugin|replacing)\.py|"
                             r"engine/settings/.*|engine/(gpus|run|search|requirements/environment)\.py")
"""What looks at files on behalf of a whole run: it is not recorded for any of them."""
ASKS_THE_DISK = re.compile(
    r"open|io\.open|glob\..*|os\.(stat|lstat|scandir|listdir|walk|access|open|getenv)|"
    r"os\.path\.(isfile|isdir|exists|lexists|getsize|getmtime|realpath|islink|samefile)|"
    r"(?!(?:disk|event)\.)\w+\.(read_text|read_bytes|is_file|is_dir|exists|iterdir|rglob|samefile|lstat|expanduser)")


def test_what_looks_at_a_file_asks_the_disk_where_it_is_recorded() -> None:
    """Or findings that are kept would be given again after what they hang on has changed."""
    asking = []
    for path in FILES:
        name = path.relative_to(ROOT / "cudnnlint").as_posix()
        if name not in THE_DISK | OWN_DATA and not NOT_OF_ONE_FILE.fullmatch(name):
            asking += [f"{name}:{node.lineno}: {told}" for node in ast.walk(ast.parse(path.read_text("utf-8")))
                       if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load)
                       and ASKS_THE_DISK.fullmatch(told := ast.unparse(node)) and told != "os.path.expanduser"]
    assert asking == []
