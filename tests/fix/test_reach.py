"""Which files are linted again for a fix: no file that may see the change is left out."""

from __future__ import annotations

from pathlib import Path

from cudnnlint.fix.reach import Reach


def test_importers_and_theirs_are_reached_and_others_are_not(tmp_path: Path) -> None:
    texts = {
        "blocks.py": "import keras", "nets/__init__.py": "from .. import blocks", "train.py": "from nets import build",
        "other.py": "import keras\n# train", "loose.py": "module = __import__('blocks')", "apart.py": "import keras",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in texts]
    reached = [Path(path).relative_to(tmp_path).as_posix() for path in Reach(files, {}).of([files[0]])]
    assert reached == ["blocks.py", "nets/__init__.py", "train.py", "other.py", "loose.py"]
    assert Reach(files, {}).of([files[-1]]) == [files[-1]]
