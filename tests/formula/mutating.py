"""Ways to write a formula differently, working on the TeX alone: what the keys must see through."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

_TOKEN = re.compile(
    r"\\(?:begin|end)\s*\{[a-z]+\*?\}|\\(?:text|textrm|mbox|operatorname\*?|mathrm|mathbb|mathcal|mathfrak|hbox|textbf|textit)\s*\{[^{}]*\}|\\[A-Za-z]+\*?|\\.|\s+|.",
    re.S,
)
_OPEN = ("{", "(", "[", "\\{", "\\left", "\\langle", "\\lfloor", "\\lceil", "\\begin")
_CLOSE = ("}", ")", "]", "\\}", "\\right", "\\rangle", "\\rfloor", "\\rceil", "\\end")
_NOT_TOP = ("\\over", "\\atop", "\\choose", "&", "\\\\", "\\begin")


OTHERS = (
    "\\gg",
    "\\ll",
    "\\subseteq",
    "\\subset",
    "\\bumpeq",
    "\\cong",
    "\\simeq",
    "\\rightleftharpoons",
    "\\longrightarrow",
    "\\vdash",
    "\\supseteq",
    "\\Leftrightarrow",
    "\\bmod",
    "\\mod",
    "\\leqslant",
    "\\geqslant",
    "\\mapsto",
    "\\Rightarrow",
    "\\implies",
    "...",
    "\\lesssim",
)


def tokens(tex: str) -> list[str]:
    return _TOKEN.findall(tex)


def levels(parts: list[str]) -> list[int]:
    """The nesting of each token: an opening token and what is inside count as deeper."""
    depth, found = 0, []
    skip = False
    for part in parts:
        if skip and part.strip():  # the delimiter of \left or \right
            found.append(depth if depth else 1)
            skip = False
            continue
        if part.startswith(_CLOSE):
            found.append(depth)
            depth -= 1
        elif part.startswith(_OPEN):
            depth += 1
            found.append(depth)
        else:
            found.append(depth)
        if part in ("\\left", "\\right"):
            skip = True
    return found


def split_top(tex: str, signs: tuple[str, ...]) -> list[str] | None:
    """Split at signs outside all groups, the signs kept in between; None where the nesting is odd."""
    parts = tokens(tex)
    depth = levels(parts)
    if any(level < 0 for level in depth) or (depth and depth[-1] != 0 and not parts[-1].startswith(_CLOSE)):
        return None
    out = [""]
    for part, level in zip(parts, depth, strict=True):
        if level == 0 and part in signs:
            out += [part, ""]
        else:
            out[-1] += part
    return out


def _top(tex: str) -> set[str]:
    parts = tokens(tex)
    return {part.split("{")[0].strip() for part, level in zip(parts, levels(parts), strict=True) if level == 0}


def has_top(tex: str, signs: tuple[str, ...]) -> bool:
    return bool(_top(tex) & set(signs))


def fractions(tex: str, spelling: str) -> str:
    """Respell every \\frac{a}{b} as over, slash, grouped_slash, dfrac or tfrac."""
    out, i = "", 0
    while True:
        found = re.compile(r"\\frac\s*\{").search(tex, i)
        if not found:
            return out + tex[i:]
        above, middle = _group(tex, found.end() - 1)
        while middle < len(tex) and tex[middle].isspace():
            middle += 1
        if middle >= len(tex) or tex[middle] != "{":
            out += tex[i : found.end()]
            i = found.end()
            continue
        below, end = _group(tex, middle)
        a, b = fractions(above, spelling), fractions(below, spelling)
        out += tex[i : found.start()]
        out += {
            "over": f"{{{a} \\over {b}}}",
            "slash": f"(({a})/({b}))",
            "grouped_slash": f"{{({a})}}/{{({b})}}",
            "plain_slash": f"{{{a}}}/{{{b}}}",
            "dfrac": f"\\dfrac{{{a}}}{{{b}}}",
            "tfrac": f"\\tfrac {{{a}}} {{{b}}}",
        }[spelling]
        i = end


def _group(tex: str, start: int) -> tuple[str, int]:
    depth = 0
    for found in re.compile(r"\\.|[{}]", re.S).finditer(tex, start):
        sign = found.group()
        depth += (sign == "{") - (sign == "}")
        if depth == 0:
            return tex[start + 1 : found.start()], found.end()
    return tex[start + 1 :], len(tex)


def swapped(tex: str) -> str | None:
    """a = b, condition -> b = a, condition; None where there is not exactly one = outside groups."""
    pieces = split_top(tex, (",", "\\quad", "\\qquad", ";"))
    if (
        pieces is None
        or has_top(tex, _NOT_TOP)
        or re.search(r"\d,\d{3}|[A-Za-z]{5}", re.sub(r"\\[A-Za-z]+\*?(\s*\{[A-Za-z\s]*\})?", " ", tex))
    ):
        return None  # figures with thousands and words in plain letters are not for splitting at commas
    with_sign = [k for k in range(0, len(pieces), 2) if has_top(pieces[k], ("=",))]
    if len(with_sign) != 1 or with_sign[0] != 0 or re.search(r"\\(text|mbox|textrm|hbox)", "".join(_top(pieces[0]))):
        return None
    sides = split_top(pieces[0], ("=",))
    others = (
        "<",
        ">",
        "\\to",
        "\\in",
        "\\leq",
        "\\geq",
        "\\Rightarrow",
        "\\implies",
        "\\iff",
        "\\land",
        "\\forall",
        "\\exists",
        "\\neq",
        "\\rightarrow",
        ":",
        "\\colon",
        "|",
        "\\mid",
        "\\Leftrightarrow",
        "\\mapsto",
        "\\approx",
        "\\pmod",
        *OTHERS,
    )
    if sides is None or len(sides) != 3 or has_top(pieces[0], others) or not sides[0].strip() or not sides[2].strip():
        return None
    tail = re.search(r"(?:\s|\\[,;:! ]|[.])*$", sides[2])
    assert tail
    return f"{sides[2][: tail.start()]}={sides[0]}{tail.group()}" + "".join(pieces[1:])


def commuted(tex: str) -> str | None:
    """a + b - c = d -> -c + b + a = d on the first side with several terms."""
    pieces = split_top(tex, (",", "\\quad", "\\qquad", ";"))
    if (
        pieces is None
        or "..." in tex
        or re.search(r"\\(text|mbox)", tex)
        or has_top(
            tex,
            (
                *_NOT_TOP,
                "\\pm",
                "\\mp",
                "\\ldots",
                "\\cdots",
                "\\dots",
                "\\dotsb",
                "\\sum",
                "\\prod",
                "\\int",
                "\\lim",
                "\\oplus",
                "\\to",
                "\\in",
                ":",
                "\\forall",
                "\\exists",
                "\\text",
                "\\mbox",
                "\\pmod",
                "|",
                "\\|",
                "\\mid",
                *OTHERS,
            ),
        )
    ):
        return None
    sides = split_top(pieces[0], ("=", "<", ">", "\\leq", "\\geq", "\\approx", "\\equiv", "\\neq", "\\sim", "\\propto"))
    if sides is None:
        return None
    for k in range(0, len(sides), 2):
        terms = split_top(sides[k], ("+", "-"))
        if not terms or len(terms) < 3:
            continue
        if not terms[0].strip():
            terms = terms[1:]
        else:
            terms = ["+", *terms]
        pairs = [(terms[i], terms[i + 1]) for i in range(0, len(terms), 2)]
        if (
            len(pairs) < 2
            or any(not body.strip() for _, body in pairs)
            or any(re.search(r"\\(cdot|times|cup|cap)\s*$|[*/]\s*$", body) for _, body in pairs)
        ):
            continue
        tail = re.search(r"(?:\s|\\[,;:! ]|[.])*$", pairs[-1][1])
        assert tail
        pairs[-1] = (pairs[-1][0], pairs[-1][1][: tail.start()])
        if any(not body.strip(" \\,;:!") for _, body in pairs):
            continue
        text = " " + " ".join(sign + body for sign, body in reversed(pairs)).lstrip("+")
        sides[k] = text + tail.group()
        return "".join(sides) + "".join(pieces[1:])
    return None


_LETTER = re.compile(
    r"\\(?:rm|mathsf|mathtt|mathit|begin|end|text|textrm|mbox|operatorname\*?|mathrm|hbox|textbf|textit)\s*\{[^{}]*\}|\\[A-Za-z]+\*?|\\.|[A-Za-z]",
    re.S,
)
_GREEK = "alpha beta gamma eta theta kappa lambda nu xi rho sigma tau phi chi omega zeta".split()
_KEPT = set("deiDTxyztOE")


def renamed(tex: str, seed: int) -> str:
    """Swap variables for others, one to one; d, e, i and the letters that mark derivatives stay."""
    rng = random.Random(seed)
    lower = [c for c in "abcfghjklmnopqrsuvw"]
    upper = [c for c in "ABCFGHIJKLMNPQRSUVWXYZ"]
    greek = ["\\" + name for name in _GREEK]
    table: dict[str, str] = {}
    for names in (lower, upper, greek):
        shuffled = names[:]
        rng.shuffle(shuffled)
        table.update(zip(names, shuffled, strict=True))

    def replace(found: re.Match[str]) -> str:
        token = found.group()
        new = table.get(token, token)
        return new + " " if new[0] == "\\" else new

    if re.search(
        r"\\(?:mathrm|rm|text|mbox|hbox|operatorname)\b(?!\s*\{[^{}]*\})|[a-zA-Z]{4}|(?<![\\A-Za-z])(sin|cos|exp|log|max|min|mod|ln|tan)(?![A-Za-z])",
        re.sub(r"\\[A-Za-z]+\*?(\s*\{[A-Za-z\s]*\})?", " ", tex),
    ):
        return tex  # words spelled in plain letters are no variables
    return _LETTER.sub(replace, tex)


def restyled(tex: str, seed: int) -> str:
    """Spacing, \\displaystyle, \\left…\\right, grouping braces and entities."""
    rng = random.Random(seed)
    choice = rng.randrange(6)
    if choice == 0:
        return "{\\displaystyle " + tex + "}"
    if choice == 1:
        return "\\displaystyle " + tex.replace("=", "\\,=\\;") + "\\,."
    if choice == 2:
        return tex.replace("<", "&lt;").replace(">", "&gt;")
    if choice == 3 and "\\left" not in tex and "\\big" not in tex.lower():
        pieces = tokens(tex)
        if (
            pieces.count("(") == pieces.count(")")
            and "]" not in pieces
            and "[" not in pieces
            and "&" not in pieces
            and "\\over" not in pieces
            and "\\\\" not in pieces
        ):
            return "".join({"(": "\\left(", ")": "\\right)"}.get(piece, piece) for piece in pieces)
    if choice == 4:
        return "$" + re.sub(r"\s+", " ", tex) + "$"
    return re.sub(r"\\frac(?![A-Za-z])", r"\\dfrac", tex).replace("+", " + ").replace("=", " = ")


def scripted(tex: str, label: str, seed: int) -> str | None:
    """Give one variable without scripts a label or an index, wherever it stands; None where there is none."""
    pieces = tokens(tex)
    rng = random.Random(seed)
    letters = sorted(
        {p for k, p in enumerate(pieces) if p in set("ABCFGHKLMNPQRSVWabcfghklmnpqrsvw") | {"\\" + g for g in _GREEK}}
    )
    rng.shuffle(letters)
    for letter in letters:
        places = [k for k, p in enumerate(pieces) if p == letter]
        if all(_free(pieces, k) for k in places):
            out = [p + label if k in places else p for k, p in enumerate(pieces)]
            return "".join(out)
    return None


def _free(pieces: list[str], k: int) -> bool:
    """No script, prime or letter directly beside it, and not inside a script, an accent or a word itself."""
    after = next((p for p in pieces[k + 1 :] if p.strip()), "")
    before = next((p for p in reversed(pieces[:k]) if p.strip()), "")
    if after in ("_", "^", "'", "(", "\\left", "[", "\\big", "{", "\\bigl", "\\Big") or before in (
        "_",
        "^",
        "\\frac",
        "\\sqrt",
        "d",
        "\\partial",
        "\\rm",
        "\\bf",
        "\\not",
    ):
        return False
    depth = 0
    for j in range(k - 1, -1, -1):
        if pieces[j] == "}":
            depth += 1
        elif pieces[j] == "{":
            depth -= 1
            if depth < 0:
                opener = next((p for p in reversed(pieces[:j]) if p.strip()), "")
                if opener in ("_", "^") or (
                    opener.startswith("\\")
                    and opener
                    not in (
                        "\\frac",
                        "\\sqrt",
                        "\\left",
                        "\\right",
                        "\\cdot",
                        "\\times",
                        "\\le",
                        "\\leq",
                        "\\in",
                        "\\dfrac",
                        "\\tfrac",
                    )
                ):
                    return False
                depth = 0
    return True


# name -> (the key that must be kept, the share that the project promises, the mutation of a formula with a seed)
MUTATIONS: dict[str, tuple[str, float, Callable[[str, int], str | None]]] = {
    "over": ("K1", 0.995, lambda tex, _: fractions(tex, "over")),
    "slash": ("K1", 0.99, lambda tex, _: fractions(tex, "slash")),  # f^* \sup ((1)/(N)) \sum and the like are ambiguous
    "grouped slash": ("K1", 0.995, lambda tex, _: fractions(tex, "grouped_slash")),
    "plain slash": ("K1", 0.995, lambda tex, _: fractions(tex, "plain_slash")),
    "dfrac": ("K1", 0.995, lambda tex, _: fractions(tex, "dfrac")),
    "tfrac": ("K1", 0.995, lambda tex, _: fractions(tex, "tfrac")),
    "swapped sides": ("K1", 0.99, lambda tex, _: swapped(tex)),
    "commuted terms": ("K1", 0.995, lambda tex, _: commuted(tex)),
    "styling": ("K1", 1.0, restyled),
    "renaming": ("K5", 0.995, renamed),
    "label below": ("K3", 0.995, lambda tex, seed: scripted(tex, "_{eff}", seed)),
    "index below": ("K3", 0.995, lambda tex, seed: scripted(tex, "_{i}", seed)),
    "label above": ("K3", 0.995, lambda tex, seed: scripted(tex, "^{tot}", seed)),
    "upright label": ("K3", 0.995, lambda tex, seed: scripted(tex, r"_{\mathrm{max}}", seed)),
}
