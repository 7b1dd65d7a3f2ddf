"""Seeded mutations of formulas and of documents: what a hostile or careless writer might hand in, the same in every run."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import re
import tarfile
import zipfile
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from html import escape

from cli_runner import CORPUS, ITEMS
from time_limit import at_most

LONG = bool(os.environ.get("FORMULA_BOT_LONG"))
SECONDS = 2.0  # of the processor for one input
_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\.|\d+|.", re.S)
_BITS = (
    "( [ { \\{ \\left( \\langle \\lfloor | \\begin{matrix} \\frac{ \\sqrt{ ^{ _{ ^ _ ! ' & \\\\ $ \0 \ud800 ² ٣ ½ \u202e \\prod \\ldots (^) "
    "\\sum_{i=1}^{99999} \\partial^{99999999} \\frac{d^{9999999999}}{dx^{9999999999}} % # \\left \\right \\def\\a{\\a\\a} A^T 1/ /0 0 = + , "
    "\\int \\pm !! \\sqrt[999999]{ \\overset () [] {} ^{9^{9^9}} ^99999999 \\binom{99999}{9} \\operatorname \\text \\mbox{$ \\end{matrix}"
).split(" ")
_MARKUP = (
    b"<math> </math> <math display='block'> {{ }} [[ ]] {| |} <ref> == ''' &#xD800; &amp; &lt; &bogus; &#99999999; <![CDATA[ ]]> <!-- --> <!DOCTYPE "
    b"<m:math xmlns:m='http://www.w3.org/1998/Math/MathML'> <mrow> </mrow> <msup> <mfrac> <mtable> <mtr> <table> <tr> <td> </td> morerows='\xc2\xb2' "
    b"\xff \x00 \xed\xa0\x80 alttext='x=' encoding='utf-7' \\frac{ ^{ <a href='x'> <p> </p> <div> </div> <title> <span class='ltx_Math'> </html>"
).split(b" ")

_WIKI = """'''Ohm's law''' says that <math>V = I R</math>, where ''R'' is the [[electrical resistance|resistance]].<ref>{{cite book|title=A}}</ref>
: <math display="block">P = \\frac{V^2}{R}</math>
{{Infobox law|name=Ohm's law|formula={{math|''V'' {{=}} ''IR''}}}}
{| class="wikitable"
! Name !! Formula
|-
| [[Power (physics)|power]] || <math>P=IV</math>
|}
== References ==
* A book.
"""
_PARSOID = """<!DOCTYPE html><html prefix="mw: http://mediawiki.org/rdf/"><head><meta charset="utf-8"/><meta property="mw:PageProp" content="x"/>
<title>Ohm's law</title><link rel="canonical" href="https://wiki.example/wiki/Ohm%27s_law"/></head><body lang="en" class="mw-parser-output">
<section data-mw-section-id="0"><p><b>Ohm's law</b> says that <span class="mwe-math-element" typeof="mw:Extension/math"><math
xmlns="http://www.w3.org/1998/Math/MathML" alttext="{\\displaystyle V=IR}"><semantics><mrow><mi>V</mi><mo>=</mo><mi>I</mi><mi>R</mi></mrow>
<annotation encoding="application/x-tex">{\\displaystyle V=IR}</annotation></semantics></math><img alt="{\\displaystyle V=IR}"/></span>.</p>
<table class="infobox"><tr><th>Formula</th><td><span class="texhtml"><i>P</i> = <i>V</i><sup>2</sup>/<i>R</i></span></td></tr></table>
<table class="wikitable"><tr><th rowspan="2">Name</th><th>Formula</th></tr><tr><td><span class="mwe-math-element"><img
alt="P=IV"/></span></td></tr></table></section></body></html>"""
_SKIN = """<!DOCTYPE html><html lang="en"><head><meta name="generator" content="MediaWiki 1.43.0"/><title>Hooke's law - A wiki</title>
<script>RLCONF={"wgTitle":"Hooke's law","wgPageContentLanguage":"en","wgNamespaceNumber":0,"wgWikibaseItemId":"Q170282"};</script></head>
<body class="mediawiki"><h1 id="firstHeading">Hooke's law</h1><div id="mw-content-text"><div class="mw-parser-output"><p><b>Hooke's law</b> is
<span class="mwe-math-element"><span class="mwe-math-mathml-inline"><math alttext="{\\displaystyle F=-kx}"><semantics><mi>F</mi><annotation
encoding="application/x-tex">{\\displaystyle F=-kx}</annotation></semantics></math></span><img alt="F=-kx"/></span>.</p>
<h2>References</h2><ol class="references"><li>A book.</li></ol></div></div></body></html>"""


def formulas() -> list[str]:
    rows = [json.loads(line) for line in ITEMS.read_text(encoding="utf-8").splitlines()]
    return [tex for row in rows for tex in row["formulas"]]


def documents() -> list[tuple[str, bytes]]:
    return [(path.name, path.read_bytes()) for path in sorted(CORPUS.rglob("*")) if path.is_file()]


def wiki_documents() -> list[tuple[str, bytes]]:
    """Return a dump of three pages, a page as Parsoid and one as a skin writes it."""
    head = '<mediawiki xml:lang="en"><siteinfo><base>https://wiki.example/wiki/Main_Page</base></siteinfo>'
    page = "<page><title>{}</title><ns>0</ns><revision><model>wikitext</model><text>{}</text></revision></page>"
    dump = (
        head + "".join(page.format(title, escape(_WIKI)) for title in ("Ohm's law", "Power", "Talk")) + "</mediawiki>"
    )
    return [("dump.xml", dump.encode()), ("parsoid.html", _PARSOID.encode()), ("skin.html", _SKIN.encode())]


def packed(files: Sequence[tuple[str, bytes]], kind: str) -> tuple[str, bytes]:
    """Return an archive of the files (of the first alone, for "gz") with its name."""
    if kind == "gz":
        return files[0][0] + ".gz", gzip.compress(files[0][1], mtime=0)
    made = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in files:
                archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    else:
        with tarfile.open(fileobj=made, mode="w:gz" if kind == "tar.gz" else "w") as tar:
            for name, data in files:
                member = tarfile.TarInfo(name)
                member.size = len(data)
                tar.addfile(member, io.BytesIO(data))
    return f"pages.{kind}", made.getvalue()


def mutated(tex: str, others: Sequence[str], rng: random.Random) -> str:
    """Return a formula with one to six changes of its tokens."""
    parts = _TOKEN.findall(tex)[:400]
    for _ in range(rng.randint(1, 6)):
        at, kind = rng.randrange(len(parts) + 1), rng.randrange(8)
        if kind < 3:
            parts[at:at] = [rng.choice(_BITS)] * rng.choice([1, 1, 2, 3, 9, 16, 40])
        elif kind == 3:
            del parts[at : at + rng.randint(1, 5)]
        elif kind == 4:
            parts[at:at] = parts[at : at + rng.randint(1, 6)] * rng.choice([1, 2, 8, 40])
        elif kind == 5:
            parts = [p for p in parts if p not in ")}]"] if rng.random() < 0.3 else parts[:at]
        elif kind == 6:
            parts[at:at] = [rng.choice(["", "^{", "_{"]), rng.choice(["-1", "7", "19", "9" * 28, "9" * 29, "9" * 4400])]
        else:
            parts[at:at] = _TOKEN.findall(rng.choice(others))[:60]
    return "".join(parts)


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return a document with one to five damages of its bytes."""
    for _ in range(rng.randint(1, 5)):
        at, kind = rng.randrange(len(data) + 1), rng.randrange(6)
        if kind < 3:
            bit = rng.choice(_MARKUP) * rng.choice([1, 1, 1, 2, 40, 400])
            data = data[:at] + bit + data[at:]
        elif kind == 3:
            data = data[:at] + data[at + rng.randint(1, 400) :]
        elif kind == 4:
            data = data[:at] + data[at : at + 300] * rng.choice([2, 2, 20]) + data[at:]
        else:
            data = data[:at] if rng.random() < 0.3 else data[:at] + bytes([rng.randrange(256)]) + data[at + 1 :]
    return data


def json_value(rng: random.Random, depth: int = 0) -> object:
    """Return some JSON: odd texts, numbers and nestings."""
    makers: list[Callable[[], object]] = [
        lambda: rng.choice(["", "\ud800", "\0", "²", "Ada", "approve", "reject", "=1+1", "x" * 6000, "Q1", "a\nb"]),
        lambda: rng.choice([0, -1, 1.5, 10**30, 10**4000, True, None, float("inf")]),
        lambda: [json_value(rng, depth + 1) for _ in range(rng.randrange(3))],
        lambda: {str(json_value(rng, 9)): json_value(rng, depth + 1) for _ in range(rng.randrange(3))},
    ]
    return rng.choice(makers[: 4 if depth < 3 else 2])()


def in_time(what: object) -> AbstractContextManager[None]:
    """Assert that one input takes no longer than it may."""
    return at_most(SECONDS, what)
