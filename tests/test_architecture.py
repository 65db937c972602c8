"""The rules of the house that a linter does not know."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "vesta_ui").rglob("*.py"))

ONE_IMPORTER = {
    "scenedetect": 1,
    "faster_whisper": 1,
    "chromadb": 1,
    "rapidocr": 1,
    "openai": 1,
    "google": 1,
    "onnxruntime": 1,
    "tokenizers": 1,
    "filelock": 1,
}
"""Third-party SDKs and how many files may import each (architecture: one)."""


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return names


@pytest.mark.parametrize("sdk", ONE_IMPORTER)
def test_one_file_imports_each_sdk(sdk: str) -> None:
    files = [p.name for p in SOURCES if any(name.split(".")[0] == sdk for name in imported(p))]
    assert len(files) == ONE_IMPORTER[sdk], files


def test_agents_never_import_each_other() -> None:
    agents = [p for p in SOURCES if p.parent.name == "agents" and p.stem not in ("__init__", "state")]
    for path in agents:
        others = {f"vesta_ui.agents.{other.stem}" for other in agents if other != path}
        assert not imported(path) & others, path.name


def test_no_file_is_longer_than_400_lines() -> None:
    files = [*SOURCES, ROOT / "app.py", *(ROOT / "tests").rglob("*.py"), *(ROOT / "assets").rglob("*.[jpc][sy]*")]
    long = {str(p.relative_to(ROOT)): n for p in files if p.suffix in (".py", ".js", ".css") and (n := lines(p)) > 400}
    assert not long


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_importing_the_package_and_its_shell_is_light() -> None:
    heavy = "gradio chromadb faster_whisper onnxruntime plotly openai google.genai rapidocr torch tokenizers transformers".split()
    code = (
        f"import sys, vesta_ui, vesta_ui.__main__, vesta_ui.runs.run; print([m for m in {heavy!r} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


def test_only_one_opencv_is_installed() -> None:
    names = {d.metadata["Name"].lower() for d in distributions() if d.metadata["Name"]}
    assert {n for n in names if n.startswith("opencv")} == {"opencv-python"}


def test_every_requirement_has_its_reason_in_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    wanted = re.findall(r"^([A-Za-z0-9_.-]+)", (ROOT / "requirements.txt").read_text(), re.MULTILINE)
    missing = [name for name in wanted if f"`{name}`" not in readme]
    assert not missing


def test_the_readme_tree_names_every_file() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    tree = readme[readme.index("## The files") :]
    missing = [str(p.relative_to(ROOT)) for p in SOURCES if f" {p.name} " not in tree and p.name != "__init__.py"]
    assert not missing


def test_nothing_of_one_machine_is_in_the_repository() -> None:
    tracked = subprocess.run(["git", "ls-files"], capture_output=True, text=True, cwd=ROOT, check=True).stdout.split(
        "\n"
    )
    forbidden = re.compile(r"(?:^|[\s\"'=(])/(?:root|home/\w+|work|opt)/|sk-[A-Za-z0-9]{20}|AIza[0-9A-Za-z_-]{30}")
    for name in filter(None, tracked):
        path = ROOT / name
        if path.suffix in (".py", ".md", ".txt", ".json", ".js", ".css", ".sh", "") and path.is_file():
            text = path.read_text(encoding="utf-8", errors="ignore")
            assert name.startswith("tests/") or not forbidden.search(text), name
