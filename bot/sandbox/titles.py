"""Page titles: as people write them, as the database keeps them (project pages under Project:), as the wiki shows them."""

from __future__ import annotations


def canonical(site_name: str, title: str) -> str:
    """Return a title as the database keeps it: no underscores, first letters large, the project's own prefix undone."""
    text = " ".join(title.replace("_", " ").split()).lstrip(":")
    prefix, colon, rest = text.partition(":")
    if not colon:
        return _large(text)
    prefix, rest = prefix.strip(), rest.strip()
    local = {site_name.casefold(): "Project", f"{site_name.casefold()} talk": "Project talk", "item": ""}
    name = local.get(prefix.casefold(), _large(prefix.lower() if prefix.casefold() in _KNOWN else prefix))
    name = _KNOWN.get(name.casefold(), name)
    return f"{name}:{_large(rest)}" if name else _large(rest)


def shown(site_name: str, title: str) -> str:
    """Return a title as the wiki shows it."""
    for prefix, local in (("Project:", site_name), ("Project talk:", f"{site_name} talk")):
        if title.startswith(prefix):
            return f"{local}:{title.removeprefix(prefix)}"
    return title


def _large(text: str) -> str:
    return text[:1].upper() + text[1:]


_KNOWN = {
    name.casefold(): name
    for name in (
        "User",
        "User talk",
        "Project",
        "Project talk",
        "Talk",
        "Template",
        "Help",
        "Category",
        "MediaWiki",
        "Property",
    )
}
