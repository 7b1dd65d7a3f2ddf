"""Page titles as the wiki shows them; how the database keeps them (project pages under Project:) says namespaces.py."""

from __future__ import annotations


def shown(site_name: str, title: str) -> str:
    """Return a title as the wiki shows it."""
    for prefix, local in (("Project:", site_name), ("Project talk:", f"{site_name} talk")):
        if title.startswith(prefix):
            return f"{local}:{title.removeprefix(prefix)}"
    return title
