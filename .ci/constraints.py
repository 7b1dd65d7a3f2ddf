"""Write constraints.txt: exact versions and hashes of all that a deployment installs; for Python 3.11 on Linux x86_64.

Run it with that Python: `make constraints`. It asks the package index that pip is set up for, and installs nothing.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "constraints.txt"
EXTRAS = ("mariadb", "sympy")
HEAD = """\
# What a deployment installs, for Python 3.11 on Linux x86_64. Made by `make constraints`; see CONTRIBUTING.md.
#   pip install --require-hashes -r constraints.txt
#   pip install --no-deps --no-build-isolation .
"""


def requirements() -> list[str]:
    """Return what pyproject.toml asks for: to run, for the deployed extras, and to build."""
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project: dict[str, Any] = stated["project"]
    extras = project["optional-dependencies"]
    return [
        *project["dependencies"],
        *(one for name in EXTRAS for one in extras[name]),
        *stated["build-system"]["requires"],
    ]


def resolved() -> list[dict[str, Any]]:
    """Return what pip would install into an empty environment; wheels only."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        run = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--dry-run",
            "--ignore-installed",
            "--only-binary",
            ":all:",
        ]
        subprocess.run([*run, "--report", str(report), *requirements()], check=True)
        found: list[dict[str, Any]] = json.loads(report.read_text(encoding="utf-8"))["install"]
    return found


def main() -> None:
    lines = {}
    for one in resolved():
        name = re.sub(r"[-_.]+", "-", one["metadata"]["name"]).lower()
        digest = one["download_info"]["archive_info"]["hashes"]["sha256"]
        lines[name] = f"{name}=={one['metadata']['version']} \\\n    --hash=sha256:{digest}\n"
    TARGET.write_text(HEAD + "".join(lines[name] for name in sorted(lines)), encoding="utf-8")


if __name__ == "__main__":
    main()
