"""Tables, systems, \\left and \\right, \\over: what holds a formula together, as a wiki takes it."""

import re

from bot.formula.validity import refused
from bot.formula.validity import texvc_macros as known
from bot.formula.validity.repair_words import GROUP

_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{\s*([A-Za-z]+)(\*?)\s*\}(?:\s*\[[^\]{}]{0,12}\])?")
_STRUCTURE = re.compile(
    r"\\(left|right)\s*(?:\\?[^A-Za-z\s]|\\[A-Za-z]+)|\\(?:begin|end)\s*\{[^{}]*\}(?:\s*\{[lcr| \d]*\})?|\\([A-Za-z]+)|\\.|[{}&]",
    re.S,
)


def repair_tables(tex: str) -> str:
    r"""Write tables of plain TeX, \matrix{a&b\cr c&d}, as environments."""
    if "\\cr" in tex or any(f"\\{name}" in tex for name in refused.PLAIN_TABLES):

        def table(found: re.Match[str]) -> str:
            name = refused.PLAIN_TABLES[found[1]]
            body = re.sub(r"\\cr(?:\\noalign\s*\{[^{}]*\})?(?![A-Za-z])", r"\\\\", found[2])
            body = re.sub(r"(?:\s|\\\\)+$", "", body)
            return f"\\begin{{{name}}}{body}\\end{{{name}}}"

        tex = re.sub(rf"\\({'|'.join(refused.PLAIN_TABLES)})\s*{GROUP}", table, tex)
        tex = re.sub(r"\\cr(?![A-Za-z])", r"\\\\", tex)
    return tex


def repair_environments(tex: str) -> str:
    def renamed(found: re.Match[str]) -> str:
        instead = refused.ENVIRONMENTS.get(found[2])
        if instead is None or (found[2] in known.ENVIRONMENTS and not found[3] and "[" not in found[0]):
            return found[0]
        if found[2] in known.ENVIRONMENTS and not found[3]:
            return f"\\{found[1]}{{{found[2]}}}"
        return f"\\{found[1]}{{{instead}}}" if instead else " "

    tex = _ENVIRONMENT.sub(renamed, tex)
    return re.sub(r"(\\begin\{smallmatrix\})\s*\{[lcr]\}", r"\1", tex)


def wrap_system(tex: str) -> str:
    r"""A formula with & or \\ outside any table is a system: it becomes an aligned environment."""
    depth, outside = 0, False
    for found in re.finditer(r"\\(begin|end)(?![A-Za-z])|\\\\|\\.|[{}]|&", tex, re.S):
        token = found[0]
        depth += (token == "{" or found[1] == "begin") - (token == "}" or found[1] == "end")
        outside = outside or (token in ("&", "\\\\") and not depth)
    if not outside:
        return tex
    body = re.sub(r"(?:\\\\\s*)+$", "", tex.strip())
    body = re.sub(r"(?:&\s*){2,}", "& ", body) if body != tex.strip() and "\\\\" not in body else body
    return f"\\begin{{aligned}}{body}\\end{{aligned}}" if "&" in body or "\\\\" in body else body


def repair_delimiter_pairs(tex: str) -> str:
    r"""Replace \left and \right that do not pair within their groups by their plain delimiters."""
    stack, pairs = ["top"], True
    for found in re.finditer(r"\\(left|right|begin|end)(?![A-Za-z])|\\.|[{}&]|", tex, re.S):
        token = found[1] or found[0]
        if token in ("left", "{", "begin"):
            stack.append(token)
        elif token in ("right", "}", "end"):
            opening = {"right": "left", "}": "{", "end": "begin"}[token]
            pairs = pairs and stack[-1] == opening
            if len(stack) > 1:
                stack.pop()
        elif token in ("&", "\\\\") and stack[-1] == "left":
            pairs = False
    if pairs and len(stack) == 1:
        return tex
    return re.sub(r"\\(?:left|right)\s*(?:\.|(?=[^A-Za-z]))", "", tex)


def repair_fractions(tex: str) -> str:
    r"""Put braces around \over directly inside \left…\right or in a cell of a table."""
    inserts: list[tuple[int, str]] = []
    frames: list[tuple[str, int, bool]] = [("top", 0, False)]  # kind, where its content starts, has a bare infix
    for found in _STRUCTURE.finditer(tex):
        token, (kind, start, has_infix) = _word(found), frames[-1]
        if token in known.INFIX:
            frames[-1] = (kind, start, kind in ("left", "begin"))
        elif token in ("left", "begin") or found[0] == "{":
            frames.append((token, found.end(), False))
        elif token in ("right", "end", "}", "&", "\\\\"):
            if has_infix:
                inserts += [(start, "{"), (found.start(), "}")]
            if token in ("&", "\\\\"):
                frames[-1] = (kind, found.end(), False)
            elif len(frames) > 1:
                frames.pop()
    for at, brace in sorted(inserts, reverse=True):
        tex = tex[:at] + brace + tex[at:]
    return tex


def _word(found: re.Match[str]) -> str:
    return (
        found[1]
        or found[2]
        or ("begin" if found[0].startswith("\\begin") else "end" if found[0].startswith("\\end") else found[0])
    )
