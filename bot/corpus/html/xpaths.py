"""What to look for in HTML pages, in one place: XPaths, and the classes that decide how an element is read."""

from __future__ import annotations

_OF_CLASS = "//*[contains(concat(' ', @class, ' '), ' {} ')]"
# Titles, best first; each gives text.
LATEXML_TITLES = (
    *(_OF_CLASS.format(f"ltx_title_{part}") for part in ("document", "chapter", "section")),
    "//title",
    "//h1",
)
MEDIAWIKI_TITLES = ("//h1[@id='firstHeading']", "//title", "//h1")
MEDIAWIKI_CONTENT = (
    _OF_CLASS.format("mw-parser-output"),
    "//*[@id='mw-content-text']",
    "//*[@id='bodyContent']",
    "//body",
)
LANGUAGE = "string((//html/@lang | //html/@*[name()='xml:lang'])[1])"
CANONICAL = "string((//link[@rel='canonical']/@href)[1])"
LICENCE = (
    "string((//*[@rel='license']/@href)[1])",
    "string((//meta[translate(@name, 'DCRIGHTS', 'dcrights')='dc.rights']/@content)[1])",
)
DOI = "string((//meta[@name='citation_doi' or @name='dc.identifier.doi']/@content)[1])"
ARXIV = "string((//meta[@name='citation_arxiv_id']/@content)[1])"
CHAPTER = f"boolean({_OF_CLASS.format('ltx_chapter')} | {_OF_CLASS.format('ltx_part')})"

# Never read: no prose of the page.
SKIPPED_TAGS = frozenset(
    "head script style noscript nav footer svg button form input select template iframe object video audio".split()
)
BLOCK_TAGS = frozenset(
    "p div section article blockquote center ul ol dl table figure main aside header address pre hr tr caption figcaption".split()
)
LINE_TAGS = frozenset("li dt dd".split())
HEADING_TAGS = frozenset("h1 h2 h3 h4 h5 h6".split())

# Classes of LaTeXML without their "ltx_" (versions before 0.7.9 had none).
LATEXML_SKIPPED = frozenset(
    "bibliography toc TOC toclist page_header page_footer page_navbar page_logo authors author_notes tag note_mark tag_note ERROR index indexlist dates "
    "eqn_eqno eqn_center_padleft eqn_center_padright eqn_left_padleft eqn_pad classification keywords pubyear biblist ref_missing".split()
)
LATEXML_EQUATION = frozenset(["equation", "equationgroup", "eqnarray", "eqn_table"])
LATEXML_TABLE = frozenset(["tabular"])
LATEXML_CAPTION = frozenset(["caption"])
LATEXML_NOTE = frozenset(["role_footnote", "role_endnote", "role_margin"])

# Classes of MediaWiki and the templates of the Wikipedias.
MEDIAWIKI_SKIPPED = frozenset(
    "navbox vertical-navbox sidebar toc reflist references refbegin mw-references-wrap mw-editsection noprint hatnote dablink metadata ambox mbox-small "
    "reference shortdescription mw-empty-elt printfooter catlinks navigation-not-searchable mw-jump-link authority-control portal portalbox sistersitebox "
    "mw-cite-backlink error mw-indicators magnify thumbimage side-box stub autocollapse Inline-Template rt-commentedText".split()
)
MEDIAWIKI_CAPTION = frozenset(["thumbcaption", "gallerytext"])

# Sections after which an article has no prose of its own.
CLOSING_SECTIONS = frozenset(
    "see also|references|external links|further reading|bibliography|notes|footnotes|sources|citations|notes and references|references and notes|literature"
    "|works cited|general references|cited sources|siehe auch|literatur|weblinks|einzelnachweise|quellen|anmerkungen|voir aussi|références|bibliographie"
    "|liens externes|notes et références|articles connexes|véase también|referencias|bibliografía|enlaces externos|notas".split(
        "|"
    )
)
