"""Files that make a scheduler do the scheduled run, filled for one settings file: systemd, cron, Toolforge, a container."""

import getpass
import re
import shutil
import sys
from pathlib import Path
from string import Template

from bot.errors import InputError
from bot.settings import Settings, load_run

_FILES = Path(__file__).parent / "deploy"
KINDS = {
    "systemd": ("formula-bot.service", "formula-bot.timer"),
    "cron": ("crontab",),
    "toolforge": ("toolforge-jobs.yaml",),
    "container": ("Containerfile",),
}
_PLAIN = re.compile(r"[\w./@+-]+")  # characters without a special meaning in systemd, cron, YAML and the shell


def rendered_files(kind: str, config: str) -> dict[str, str]:
    """Return name -> text of the files of one kind. Raises SettingsError for settings that no run can use, InputError for a path with blanks."""
    settings = load_run(config)
    path = Path(config).resolve()
    program = shutil.which("formula-bot") or sys.executable
    values = {"config": str(path), "folder": str(path.parent), "program": program, "user": getpass.getuser()}
    elsewhere = _folders_elsewhere(settings, path.parent) if kind == "systemd" else []
    for name, value in (*values.items(), *(("folder", each) for each in elsewhere)):
        if not _PLAIN.fullmatch(value):
            raise InputError("quoted_in_files", name=name, value=repr(value), where=config, todo="plain_path")
    values["writable"] = " ".join(
        [str(path.parent), *(f"-{each}" for each in elsewhere)]
    )  # -: it need not be there yet
    if not shutil.which("formula-bot"):
        values["program"] += " -m bot"
    return {name: Template((_FILES / name).read_text(encoding="utf-8")).substitute(values) for name in KINDS[kind]}


def _folders_elsewhere(settings: Settings, base: Path) -> list[str]:
    """Return the folders that a run writes to and that are not below the settings'."""
    run = settings.run
    named = (run.workspace, run.logs, *(order.into for order in run.crawl), settings.writing.pywikibot_dir)
    folders = dict.fromkeys((base / name).resolve() for name in named)
    return [str(folder) for folder in folders if not folder.is_relative_to(base)]
