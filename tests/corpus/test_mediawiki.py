"""MediaWiki exports and pages: one document for each article, whatever else stands in the file."""

from __future__ import annotations

import io

import pytest

from bot.corpus.draft import NoArticle
from bot.corpus.html.mediawiki_html import read_mediawiki_html
from bot.corpus.mediawiki_xml import read_dump
from bot.errors import DocumentError
from bot.records import Document, NameHint, Occurrence

HEAD = '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/" xml:lang="en"><siteinfo><base>https://wiki.example/wiki/Main_Page</base></siteinfo>'


def entry(title: str, text: str, ns: str = "0", more: str = "") -> str:
    return f"<page><title>{title}</title><ns>{ns}</ns>{more}<revision><model>wikitext</model><text xml:space='preserve'>{text}</text></revision></page>"


class CollectedNotices(list[tuple[str, str]]):
    def __call__(self, path: str, reason: object) -> None:
        self.append((path, str(reason)))


def dump(data: str) -> tuple[list[tuple[Document, tuple[Occurrence, ...]]], CollectedNotices, CollectedNotices]:
    skipped, ignored = CollectedNotices(), CollectedNotices()
    found = [each for _, each in read_dump(io.BytesIO(data.encode()), "w/dump.xml", skipped, ignored)]
    return found, skipped, ignored


def test_the_address_is_that_of_the_revision_that_was_read() -> None:
    text = entry("Ohm&#39;s law", "&lt;math&gt;V=IR&lt;/math&gt;").replace(
        "<revision>", "<id>5</id><revision><id>71</id>"
    )
    ((document, _),), _, _ = dump(f"{HEAD}{text}</mediawiki>")
    assert document.url == "https://wiki.example/wiki/Ohm%27s_law?oldid=71"


def test_each_article_is_a_document_with_address_and_language() -> None:
    found, skipped, _ = dump(
        f"{HEAD}{entry('Ohm&#39;s law', '&lt;math&gt;V=IR&lt;/math&gt;')}{entry('Other', 'x')}</mediawiki>"
    )
    assert [d.title for d, _ in found] == ["Ohm's law", "Other"]
    assert found[0][0].url == "https://wiki.example/wiki/Ohm%27s_law"
    assert found[0][0].id == "w/dump.xml#Ohm's law"
    assert [o.tex for o in found[0][1]] == ["V=IR"]
    assert not skipped


def test_redirects_and_other_namespaces_are_ignored_not_skipped() -> None:
    pages = (
        entry("A", "x", more='<redirect title="B"/>')
        + entry("Talk:B", "x", ns="1")
        + entry("C", "#REDIRECT [[D]]")
        + entry("D", "text")
    )
    found, skipped, ignored = dump(f"{HEAD}{pages}</mediawiki>")
    assert [d.title for d, _ in found] == ["D"]
    assert [path for path, _ in ignored] == ["#A", "#Talk:B", "#C"]
    assert not skipped


def test_pages_without_a_root_are_read() -> None:
    assert [d.title for d, _ in dump(f"  {entry('A', 'x')}\n{entry('B', 'y')}")[0]] == ["A", "B"]


def test_a_broken_page_is_skipped_alone() -> None:
    broken = "<page><title></title><ns>0</ns><revision><text>x</wrong></page>"
    found, skipped, _ = dump(f"{HEAD}{entry('A', 'x')}{broken}{entry('B', 'y')}</mediawiki>")
    assert [d.title for d, _ in found] == ["A", "B"]
    assert len(skipped) == 1


def test_harmless_damage_is_mended() -> None:
    text = "Black & white \x0b &lt;math&gt;a=b&lt;/math&gt; holds."
    found, skipped, _ = dump(f"{HEAD}{entry('A', text)}</mediawiki>")
    assert [o.tex for o in found[0][1]] == ["a=b"]
    assert not skipped


@pytest.mark.parametrize("reference", ["&#xD800;", "&#xdFfF;", "&#55296;", "&#x000D800;", "&#057343;"])
def test_half_a_surrogate_pair_is_left_out(reference: str) -> None:
    found, skipped, _ = dump(
        f"{HEAD}{entry('A', f'Here{reference} &lt;math&gt;a=b&lt;/math&gt; holds&#x2e;')}</mediawiki>"
    )
    assert [o.tex for o in found[0][1]] == ["a=b"]
    assert found[0][1][0].window == "Here ⟦0⟧ holds."
    assert not skipped


def test_a_file_that_breaks_off_keeps_what_came_before() -> None:
    found, skipped, _ = dump(f"{HEAD}{entry('A', 'x')}{entry('B', 'y')[:60]}")
    assert [d.title for d, _ in found] == ["A"]
    assert skipped == [("#page 2", "the file ends inside this page")]


def test_entities_of_a_dtd_are_never_expanded() -> None:
    laughs = '<!DOCTYPE m [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>'
    found, _, _ = dump(f"{laughs}{HEAD}{entry('A', 'x &b; &f; &lt;math&gt;a=b&lt;/math&gt;')}</mediawiki>")
    assert all("ha" not in o.window and "root" not in o.window for _, os in found for o in os)


HTML = """<!DOCTYPE html><html lang="en"><head><title>Some law - Example Wiki</title><link rel="canonical" href="https://wiki.example/wiki/Some_law">
<script>RLCONF={"wgNamespaceNumber":0,"wgPageContentLanguage":"en","wgWikibaseItemId":"Q42"}</script></head><body><h1 id="firstHeading">Some law</h1>
<div id="mw-content-text"><div class="mw-parser-output"><table class="infobox"><tr><!-- --><th>Common symbols</th><td>MATH0</td></tr></table>
<p><b>Some law</b> says that <span class="texhtml"><i>F<sub>s</sub></i> = <i>kx</i></span>,<sup class="reference">[1]</sup> or</p><dl><dd>MATH1</dd></dl>
<div class="navbox">MATH2</div><h2><span class="mw-headline">Proof</span><span class="mw-editsection">[edit]</span></h2><p>So IMAGE.</p>
<h2>References</h2><ol class="references"><li>MATH2</li></ol></div></div></body></html>"""


def element(tex: str) -> str:
    picture = f'<img class="mwe-math-fallback-image-inline" alt="{tex}"/>'
    return f'<span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display: none;"><math alttext="{tex}"><semantics><mi>x</mi><annotation encoding="application/x-tex">{tex}</annotation></semantics></math></span>{picture}</span>'


def html_page(text: str = HTML) -> tuple[Document, tuple[Occurrence, ...]]:
    for name, tex in (("MATH0", r"{\displaystyle s}"), ("MATH1", r"{\displaystyle F=kx.}"), ("MATH2", "no")):
        text = text.replace(name, element(tex))
    text = text.replace("IMAGE", '<span class="mwe-math-element"><img alt="{\\displaystyle a=b}"></span>')
    ((document, occurrences),) = read_mediawiki_html(text.encode(), path="w/Some_law.html")
    return document, occurrences


def test_a_page_gives_title_address_item_and_each_formula_once() -> None:
    document, found = html_page()
    assert (document.title, document.url, document.identifiers) == (
        "Some law",
        "https://wiki.example/wiki/Some_law",
        (("qid", "Q42"),),
    )
    assert [o.tex for o in found] == ["s", "F_s = kx", "F=kx", "a=b"]


def test_infobox_bold_title_and_display_are_told() -> None:
    symbol, inline, display, image = html_page()[1]
    assert symbol.role == "infobox"
    assert NameHint("infobox", "Common symbols") in symbol.hints
    assert NameHint("bold_title", "Some law") in inline.hints
    assert (inline.display, display.display) == (False, True)
    assert "says that ⟦1⟧, or ⟦2⟧." in display.window
    assert image.heading == "Proof"


def test_a_talk_page_is_no_article() -> None:
    with pytest.raises(NoArticle):
        html_page(HTML.replace('"wgNamespaceNumber":0', '"wgNamespaceNumber":1'))


BARE = '<html><head><title>Geometry - Wiki</title></head><body><div id="mw-content-text"><div class="mw-parser-output"><p>It is old.</p>{}</div></div></body></html>'


@pytest.mark.parametrize(
    "aside", ['<div class="navbox">MATH1</div>', '<h2>References</h2><ol class="references"><li>MATH1</li></ol>']
)
def test_an_article_with_formulas_in_navigation_or_notes_alone_is_read_without_any(aside: str) -> None:
    document, occurrences = html_page(BARE.format(aside))
    assert (document.title, occurrences) == ("Geometry", ())


def test_an_article_none_of_whose_formulas_could_be_read_is_not_one_without_any() -> None:
    with pytest.raises(DocumentError, match="nothing could be read as mediawiki_html"):
        html_page(BARE.format("<p>So $\\alpha=1$ holds.</p>"))


OLD_SKIN = """<html lang="en"><head><title>Stretch - Wiki</title></head><body class="mediawiki"><div id="content"><h1 id="firstHeading">Stretch</h1><div id="bodyContent">
<h3 id="siteSub">From Wiki</h3><div id="contentSub">(Redirected from <a>Spring</a>)</div><div id="jump-to-nav">Jump to: <a>search</a></div>
<p>The force is</p><p><img class="tex" alt="F = kx"/></p><p>for a spring<sup class="mw-ref"><a><span>[7]</span></a></sup> of steel.</p>
<table><tr><th>Metal</th><th>Stiffness</th></tr><tr><td>Steel</td><td><img class="tex" alt="k = 3"/></td></tr></table></div></div></body></html>"""


def test_lines_of_the_skin_and_marks_of_notes_are_no_text_and_cells_are_apart() -> None:
    force, stiffness = html_page(OLD_SKIN)[1]
    assert (force.tex, force.display, force.heading) == ("F = kx", True, "")
    assert force.window == "The force is ⟦0⟧ for a spring of steel.\n\nMetal Stiffness\n\nSteel ⟦1⟧"
    assert (stiffness.tex, stiffness.display) == ("k = 3", False)


def test_the_newest_revision_of_a_page_is_read() -> None:
    def revision(id: int, year: int, tex: str) -> str:
        return f"<revision><id>{id}</id><timestamp>{year}-01-01T00:00:00Z</timestamp><text>&lt;math&gt;{tex}&lt;/math&gt;</text></revision>"

    oldest_first = f"<page><title>A</title><ns>0</ns>{revision(1, 2001, 'a=b')}{revision(2, 2009, 'a=c')}</page>"
    newest_first = f"<page><title>B</title><ns>0</ns>{revision(4, 2009, 'b=c')}{revision(3, 2001, 'b=a')}</page>"
    found, _, _ = dump(f"{HEAD}{oldest_first}{newest_first}</mediawiki>")
    assert [(o[0].tex, d.url[-1]) for d, o in found] == [("a=c", "2"), ("b=c", "4")]


def test_a_namespace_of_definitions_holds_articles_with_their_own_titles() -> None:
    head = HEAD.replace(
        "</siteinfo>",
        '<namespaces><namespace key="102" case="first-letter">Definition</namespace><namespace key="100">Portal</namespace></namespaces></siteinfo>',
    )
    pages = entry("Definition:Group", "x", ns="102") + entry("Portal:Algebra", "x", ns="100")
    found, _, ignored = dump(f"{head}{pages}</mediawiki>")
    assert [(d.title, d.url) for d, _ in found] == [("Group", "https://wiki.example/wiki/Definition:Group")]
    assert [path for path, _ in ignored] == ["#Portal:Algebra"]


def test_pages_cut_out_of_a_dump_have_the_language_of_its_name() -> None:
    found = list(
        read_dump(io.BytesIO(entry("A", "x").encode()), "w/dewiki-20130602-id1.xml", lambda *_: None, lambda *_: None)
    )
    assert [d.language for _, (d, _) in found] == ["de"]
