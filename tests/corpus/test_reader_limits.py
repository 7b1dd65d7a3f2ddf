"""Each limit on size that readers of documents keep holds where it is said to: what is just within is read, what is just beyond is not."""

from __future__ import annotations

import string
from collections.abc import Callable
from itertools import pairwise, product
from typing import Any

import pytest
from test_html_page import read as read_page
from test_latex import read_text, tex_of

from bot.corpus.crawl.journal import file_name
from bot.corpus.crawl.web_source import SiteMap
from bot.corpus.decode import is_binary
from bot.corpus.draft import Draft, _noun_phrase
from bot.corpus.html.page_formulas import _parsoid_data
from bot.corpus.html.page_tree import short_text
from bot.corpus.html.tex_delimiters import macros_in
from bot.corpus.latex.glossary_entries import Glossary
from bot.corpus.latex.macros import MacroTable
from bot.corpus.latex.project import _only_definitions, definition_files
from bot.corpus.latex.stream import TokenStream
from bot.corpus.markdown.front_matter import _mappings, split
from bot.corpus.markdown.markdown_math import DelimitedMath
from bot.corpus.markdown.markdown_reader import _MarkdownReader, _shown_formula, read_markdown
from bot.corpus.markdown.mdx_components import formula_component
from bot.corpus.mathml.mathml_scan import scan_mathml
from bot.corpus.restructured_text import read_restructured_text
from bot.corpus.siblings import FilesInMemory, SiblingFiles
from bot.corpus.single_dollars import formula_at_dollar
from bot.corpus.tex_equations import display_equations, readable_tex, without_delimiters
from bot.corpus.tex_macros import TexMacros, macros_in_text
from bot.corpus.wikitext import read_wikitext
from bot.corpus.xml_parsing import parse_xml
from bot.errors import DocumentError
from bot.records import NameHint, Occurrence
from bot.wikibase import Json

NAMES = ["".join(letters) for letters in product("abcdefghijk", string.ascii_lowercase, string.ascii_lowercase)]


def _of_latex(text: str, before: str = "") -> list[str]:
    try:
        return tex_of(rf"{before}\begin{{document}}Words of $o=0$. {text}\end{{document}}")[1:]
    except DocumentError:
        return []


def _of_markdown(text: str) -> tuple[list[str], list[str]]:
    [(_, found)] = read_markdown(text.encode(), path="a.md", siblings=SiblingFiles("a.md", FilesInMemory({})))
    return [o.tex for o in found], [hint.name for o in found for hint in o.hints]


def _wikitext(text: str) -> Occurrence:
    [(_, (found,))] = read_wikitext(text.encode(), path="a.wiki")
    return found


def _included(n: int) -> int:
    files = {f"{k}.txt": b":math:`x=1`\n" for k in range(n)}
    text = "".join(f".. include:: {k}.txt\n\n" for k in range(n)).encode()
    siblings = SiblingFiles("a.rst", FilesInMemory({"a.rst": text, **files}))
    [(_, found)] = read_restructured_text(text, path="a.rst", siblings=siblings)
    return len(found)


def _nested(depth: int) -> Json:
    found: Json = {"macros": {"RR": "x"}}
    for _ in range(depth):
        found = {"a": found}
    return found


def _macros(definitions: dict[str, str]) -> TexMacros:
    found = TexMacros()
    found.add(definitions)
    return found


def _chain(n: int) -> dict[str, str]:
    return {name: "\\" + after for name, after in pairwise(NAMES[:n])} | {NAMES[n - 1]: "x=1"}


def _body_of(n: int) -> int:
    table, stream = MacroTable(), TokenStream(rf"\newcommand{{\a}}{{{'x' * n}}}")
    table.read_definition(stream.command(), stream)
    return len(str(table.commands["\\a"].parts[0]))


def _undeclared(n: int) -> bool:
    try:
        return parse_xml(f"<a>{''.join(f'<n{k}:b/>' for k in range(n))}</a>", "a.xml") is not None
    except DocumentError:
        return False


def _emphasised(text: str) -> bool:
    return _MarkdownReader(Draft("a.md"), DelimitedMath()).emphasis_runs(text)[0] == ("strong", "a")


def _glossary_field(n: int) -> int:
    found = Glossary()
    found.define("newacronym", TokenStream(f"{{k}}{{K}}{{{'x' * n}}}"))
    return len(found.entries["k"]["long"])


def _maps_asked(n: int) -> int:
    source, asked = SiteMap.__new__(SiteMap), list[str]()
    source._start, source.problems = "http://a/map", []
    found: Any = {"pages": [], "maps": [f"http://a/{k}" for k in range(n)]}
    source._map = lambda address: (asked.append(address), found)[1]  # type: ignore[method-assign]
    assert list(source.targets()) == []
    return len(asked) - 1


def _draft(text: str) -> str:
    draft = Draft("a")
    draft.text(text)
    draft.formula("a=1")
    draft.text(" is.")
    return draft.occurrences()[0].window


def _opening(text: str) -> str:
    draft = Draft("a")
    draft.text(text)
    draft.heading("h")
    return draft.opening


def _titled(text: str) -> Occurrence:
    draft = Draft("a")
    draft.term("bold_title", "Law")
    draft.text(text)
    draft.formula("a=1")
    return draft.occurrences()[0]


def _unfinished(parts: int) -> str:
    draft = Draft("a")
    for word in ("Start ", *["x "] * (parts - 1)):
        draft.text(word)
    return draft.unfinished_sentence()


def _page_window(content: str) -> str:
    return read_page(f"<p>{content}</p>")[1][0].window


def _theorem_hints(n: int) -> tuple[NameHint, ...]:
    source = rf"\newtheorem{{a}}{{A}}\begin{{document}}\begin{{a}}[{'x' * n}] $b=1$ \end{{a}}\end{{document}}"
    return read_text(source)[1][0].hints


def _definition_files(n: int) -> int:
    files = {f"{k:03}.tex": rb"\newcommand{\x}{y}" for k in range(n)}
    return len(definition_files(FilesInMemory({"z.tex": b"Of $a=1$", **files}), "z.tex"))


def _cleaned(n: int) -> str:
    return read_page(rf"<p>\(\displaystyle x{'x' * (n - 15)}\)</p>")[1][0].tex


LIMITS: dict[str, tuple[int, Callable[[int], bool]]] = {
    "a name made by \\csname": (9990, lambda n: bool(TokenStream("a" * n + "\\endcsname").csname())),
    "front matter": (100_000, lambda n: bool(split(f"---\ntitle: {'x' * (n - 15)}\n---")[0])),
    "depth of settings": (12, lambda n: bool([*_mappings(_nested(n), 0)])),
    "a file of definitions": (200_000, lambda n: _only_definitions("\\def\\a{b}" + " " * (n - 9))),
    "an output of a notebook": (2000, lambda n: bool(_shown_formula({"data": {"text/latex": f"$x={'y' * (n - 4)}$"}}))),
    "a definition": (2000, lambda n: macros_in_text(rf"\def\a{{{'x' * (n - 8)}}}")["\\a"].parts == ("x" * (n - 8),)),
    "macros of settings": (2000, lambda n: _macros(dict.fromkeys(NAMES[:n], "x=1")).expand("\\" + NAMES[n - 1]) == "x=1"),
    "macros in macros": (100, lambda n: _macros(_chain(n)).expand("\\" + NAMES[0]) == "x=1"),
    "what a macro becomes": (50_000, lambda n: _macros({"a": "x" * n}).expand("\\a") != "\\a"),
    "macros of a page": (500, lambda n: len(macros_in("macros:{" + ",".join(f'{name}:"x"' for name in NAMES[:n]) + "}")) == n),
    "a formula of a page": (19_998, lambda n: bool(read_page(rf"<p>\({'x' * n}\)</p>")[1])),
    "a macro of LaTeX": (200_000, lambda n: _body_of(n) == n),
    "environments in each other": (39, lambda n: bool(_of_latex("$" + r"\begin{a}" * n + "x" + r"\end{a}" * n + "$"))),
    "tokens of a formula": (7999, lambda n: bool(_of_latex("$" + "\\a" * n + "$"))),
    "expansions in each other": (200, lambda n: _of_latex(f"$\\{NAMES[0]}$", "".join(f"\\def\\{k}{{{v}}}" for k, v in _chain(n).items())) == ["x=1"]),
    "conditionals that are never closed": (50, lambda n: _of_latex(r"\iffalse " * n + r"\iffalse $a=1$\fi $b=1$") == ["b=1"]),
    "words in formulas in each other": (30, lambda n: _of_latex(r"$\text{a " * n + "$x=1$" + "}$" * n)[0].endswith("x=1")),
    "options of a diagram": (99, lambda n: _of_latex(r"$\xymatrix" + "@" * n + "{a}=1$") == ["=1"]),
    "delimiters in each other": (4, lambda n: without_delimiters(r"\(" * n + "x" + r"\)" * n) == "x"),
    "a file name": (200, lambda n: file_name("a" * n) == "a" * n),
    "included files": (50, lambda n: _included(n) == n),
    "a heading of wikitext": (499, lambda n: _wikitext(f"={'a' * (n - 2)}=\n<math>x=1</math>").heading != ""),
    "templates in each other": (40, lambda n: _wikitext("{{a|" * n + "<math>x=1</math>" + "}}" * n).window == "⟦0⟧"),
    "data of Parsoid": (99_999, lambda n: bool(_parsoid_data('{"a":"' + "x" * (n - 8) + '"}'))),
    "where a NUL tells binary data": (4096, lambda n: is_binary(b"x" * (n - 1) + b"\0")),
    "text that is formulas alone": (5000, lambda n: bool(short_text(parse_xml(f"<p>{'x' * n}</p>", "a.xml")))),
    "rows of a display": (20_000, lambda n: len(display_equations(rf"\begin{{align}}a&=b\\c&={'d' * (n - 33)}\end{{align}}")) == 2),
    "a formula of a title": (39, lambda n: readable_tex(rf"\mathbf{{{'x' * n}}}") == "x" * n),
    "a display of Markdown": (19_996, lambda n: bool(_of_markdown(f"a\n\n$${'x' * n}$$\n")[0])),
    "a formula in a line": (1998, lambda n: bool(formula_at_dollar(f"${'x' * n}$", 0))),
    "prefixes without a declaration": (10, _undeclared),
    "a formula that is cleaned": (4000, lambda n: not _cleaned(n).startswith("\\")),
    "markup in a line of Markdown": (50_000, lambda n: _emphasised("**a**" + "x" * (n - 5))),
    "a field of a glossary": (2000, lambda n: _glossary_field(n) == n),
    "site maps of an index": (500, lambda n: _maps_asked(n) == n),
    "characters before a formula": (500, lambda n: _draft("S" + "y" * (n - 3) + ". ").startswith("S")),
    "the opening of an article": (600, lambda n: _opening("x" * n) == "x" * n),
    "characters behind a bold title": (250, lambda n: bool(_titled(f" {'y' * (n - 6)}. ").hints)),
    "parts of an unfinished sentence": (40, lambda n: _unfinished(n).startswith("Start")),
    "elements beside a copy": (20, lambda n: "b = 1" not in _page_window(f"<span aria-hidden='true'>b = 1</span> \\(b=1\\) {'<i>x</i>' * (n - 1)}")),
    "characters of a copy": (299, lambda n: "zz" not in _page_window(f"<span aria-hidden='true'>{'z' * n}</span> \\(b=1\\)")),
    "a bold name of Markdown": (80, lambda n: bool(_of_markdown(f"The **{'x' * n}** is $a=1$")[1])),
    "a bold name of a page": (80, lambda n: bool(read_page(rf"<p>The <b>{'x' * n}</b> is \(a=1\)</p>")[1][0].hints)),
    "the name of a theorem": (80, lambda n: bool(_theorem_hints(n))),
    "files of definitions in a folder": (300, lambda n: _definition_files(n) == n),
    "a component of MDX": (19_989, lambda n: formula_component(f">{'x' * n}_1=2</Math>", 0, "Math") is not None),
    "elements of MathML in each other": (100, lambda n: scan_mathml("<mrow>" * n + "<mi>x</mi>" + "</mrow>" * n) == "x"),
    "words of a meaning": (12, lambda n: bool(_noun_phrase("word " * n))),
}  # fmt: skip


@pytest.mark.parametrize("what", LIMITS)
def test_a_limit_holds_where_it_is_said_to(what: str) -> None:
    most, within = LIMITS[what]
    assert (within(most), within(most + 1)) == (True, False)


def test_an_end_is_searched_less_far_after_each_one_that_was_not_found() -> None:
    stream = TokenStream("x")
    found = []
    for failures in (0, 19, 20, 40, 10_000):
        stream.unclosed_groups = failures
        found.append(stream._search_limit())
    assert found == [400_000, 400_000, 10_000, 5000, 40]
