"""What is installed: bounds without known holes, and a file of versions and hashes that agrees with them."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "constraints.txt"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]
STATED = [Requirement(one) for one in PROJECT["project"]["dependencies"]]
DEPLOYED = [
    *STATED,
    *(Requirement(one) for one in (*EXTRAS["mariadb"], *EXTRAS["sympy"], *PROJECT["build-system"]["requires"])),
]
PIN = re.compile(r"([a-z0-9-]+)==(\S+) \\\n    --hash=sha256:([0-9a-f]{64})\n")
# The first release without the advisories that are known to us.
FLOORS = {
    "authlib": "1.6.9",  # sizes of tokens, state of sign-ins, algorithms
    "certifi": "2024.7.4",
    "cryptography": "46.0.5",
    "duckdb": "1.4.2",
    "filelock": "3.20.3",
    "flask": "3.1.3",  # CVE-2025-47278, CVE-2026-27205
    "idna": "3.7",  # CVE-2024-3651
    "jinja2": "3.1.6",  # CVE-2025-27516
    "joblib": "1.2",
    "lxml": "6.1",
    "pyarrow": "23.0.1",  # CVE-2023-47248 and what followed
    "pymysql": "1.1.1",  # CVE-2024-36039
    "requests": "2.33",  # CVE-2024-47081 and what followed
    "scikit-learn": "1.5",  # CVE-2024-5206
    "urllib3": "2.6.3",  # CVE-2025-66418, CVE-2025-66471, CVE-2026-21441
    "waitress": "3.0.2",  # CVE-2024-49768, CVE-2024-49769
    "werkzeug": "3.1.6",  # names of devices as paths
}
MODULES = {
    "authlib": "Authlib",
    "sklearn": "scikit-learn",
    "ahocorasick": "pyahocorasick",
    "yaml": "PyYAML",
    "markdown_it": "markdown-it-py",
    "py4j": "pyspark",
}  # where they differ


def _pins() -> dict[str, Version]:
    return {name: Version(version) for name, version, _ in PIN.findall(FILE.read_text(encoding="utf-8"))}


def test_the_file_holds_versions_and_hashes_and_nothing_else() -> None:
    text = FILE.read_text(encoding="utf-8")
    rest = "".join(line for line in PIN.sub("", text).splitlines() if not line.startswith("#"))
    assert rest == ""
    assert not re.search(r"://|\w@|-index|find-links", text)
    names = [name for name, _, _ in PIN.findall(text)]
    assert names == sorted(set(names))
    assert len(names) > len(DEPLOYED)


@pytest.mark.parametrize("stated", DEPLOYED, ids=str)
def test_each_dependency_is_pinned_within_its_bound(stated: Requirement) -> None:
    assert stated.specifier.contains(_pins()[canonicalize_name(stated.name)]), "run `make constraints`"


def test_what_the_dependencies_need_is_pinned_too() -> None:
    pins = _pins()
    for name in pins:
        try:
            needed = metadata.requires(name) or ()
        except metadata.PackageNotFoundError:  # of another extra than the ones installed here
            continue
        for one in map(Requirement, needed):
            if one.marker is None or one.marker.evaluate({"extra": ""}):
                assert canonicalize_name(one.name) in pins, f"{name} needs {one.name}: run `make constraints`"


@pytest.mark.parametrize("file", ["Makefile", "CONTRIBUTING.md"])
def test_what_is_installed_before_the_build_is_what_the_build_needs(file: str) -> None:
    text = (ROOT / file).read_text(encoding="utf-8")
    named = re.search(r"(?:\$\(INSTALL\)|pip install) (editables [\w ]+)", text)
    assert named
    assert named[1].split() == sorted(
        ["editables", *(Requirement(n).name for n in PROJECT["build-system"]["requires"])]
    )


def test_no_version_with_a_known_hole_is_admitted_or_pinned() -> None:
    pins = _pins()
    for name, floor in FLOORS.items():
        assert pins[name] >= Version(floor), name
    for stated in DEPLOYED:
        lowest = min(Version(one.version) for one in stated.specifier if one.operator == ">=")
        assert lowest >= Version(FLOORS.get(canonicalize_name(stated.name), "0")), stated


def test_every_library_that_the_code_imports_is_stated() -> None:
    stated = {canonicalize_name(one.name) for one in (*DEPLOYED, *map(Requirement, EXTRAS["spark"]))}
    for path in (ROOT / "bot").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            for root in {name.partition(".")[0] for name in names} - sys.stdlib_module_names - {"bot", "_typeshed"}:
                assert canonicalize_name(MODULES.get(root, root)) in stated, f"{path.name} imports {root}"


@pytest.mark.skipif(
    not os.environ.get("FORMULA_BOT_LONG"), reason="installs for minutes from a package index; FORMULA_BOT_LONG=1"
)
@pytest.mark.skipif(
    sys.version_info[:2] != (3, 11) or sys.platform != "linux", reason="the hashes are of Python 3.11 on Linux"
)
def test_it_installs_with_its_hashes_and_the_bot_runs(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    pip = [tmp_path / "venv" / "bin" / "python", "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "--require-hashes", "-r", FILE], check=True)
    subprocess.run([*pip, "--no-deps", "--no-build-isolation", ROOT], check=True)
    run = [tmp_path / "venv" / "bin" / "formula-bot", "--version"]
    assert "formula-bot" in subprocess.run(run, check=True, capture_output=True, text=True, cwd=tmp_path).stdout


LOADED = """
import sys
from importlib.metadata import packages_distributions
before = set(sys.modules)
from bot.match.retrieval.index.stored_readings import builtin_texts, readings
readings(list(builtin_texts())[:2])
names = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*sorted({each for name in names for each in packages_distributions().get(name, ())}))
"""


@pytest.mark.skipif(
    not os.environ.get("FORMULA_BOT_LONG"), reason="imports all that reads the list; FORMULA_BOT_LONG=1"
)
def test_what_reads_the_built_in_list_is_there_when_the_package_is_built() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True, cwd=ROOT)
    needed = {Requirement(one).name for one in PROJECT["build-system"]["requires"]}
    without = {PROJECT["project"]["name"], "typing_extensions"}  # ours, and what msgspec does without
    assert set(done.stdout.split()) - without == needed - {"hatchling"}
