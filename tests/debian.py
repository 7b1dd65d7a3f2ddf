"""Programs that tests need beside Python: taken from Debian's packages when run as root, else the test says what is missing."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest


def program(*names: str, package: str) -> str:
    """Return the path of the first program there is; install the package where that is allowed, or skip the test."""
    found = next(
        (path for name in names if (path := shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/bin"))), ""
    )
    if found:
        return found
    if os.geteuid() == 0 and shutil.which("apt-get"):
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (
            ["apt-get", "update", "-qq"],
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package],
        ):
            subprocess.run(command, env=env, capture_output=True, timeout=600, check=False)
        if path := next((path for name in names if (path := shutil.which(name, path="/usr/sbin:/usr/bin"))), ""):
            return path
    pytest.skip(f"needs {names[0]}: install Debian's package {package}, or run as root where packages can be fetched")
