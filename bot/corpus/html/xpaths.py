"""XPaths for HTML pages, and the classes that decide how an element is read.

A class with a dot in front stands for the first element of that class. What an XPath finds has in it one of the longer words that it quotes.
"""

# Titles, best first; each gives text.
LATEXML_TITLES = (".ltx_title_document", ".ltx_title_chapter", ".ltx_title_section", "//title", "//h1")
MEDIAWIKI_TITLES = ("//h1[@id='firstHeading']", "//title", "//h1")
MEDIAWIKI_CONTENT = (".mw-parser-output", "//*[@id='mw-content-text']", "//*[@id='bodyContent']", "//body")
STATED_TITLES = (
    "string((//meta[@name='citation_title']/@content)[1])",
    "string((//meta[translate(@name, 'DCTILE', 'dctile')='dc.title']/@content)[1])",
)
CONTENT = ("//main", "//*[@role='main']", "//article", "//*[@id='content']")
CANONICAL = "string((//link[@rel='canonical']/@href)[1])"
VERSION_OF = "string((//link[@rel='dc:isVersionOf']/@href)[1])"
LANGUAGES = (
    "string((//meta[@name='citation_language']/@content)[1])",
    "string((//meta[translate(@name, 'DCLANGUE', 'dclangue')='dc.language']/@content)[1])",
    "string((//meta[translate(@http-equiv, 'CL', 'cl')='content-language']/@content)[1])",
)
ADDRESSES = (
    CANONICAL,
    "string((//meta[@property='og:url']/@content)[1])",
    "string((//meta[@name='citation_public_url']/@content)[1])",
)
LICENCE = (
    "string((//*[contains(concat(' ', @rel, ' '), ' license ')]/@href)[1])",
    "string((//meta[translate(@name, 'DCRIGHTS', 'dcrights')='dc.rights']/@content)[1])",
    "string((//a[contains(@href, 'creativecommons.org/licenses/') or contains(@href, 'creativecommons.org/publicdomain/')]/@href)[1])",
)
DOI = "string((//meta[@name='citation_doi' or @name='dc.identifier.doi']/@content)[1])"
ARXIV = "string((//meta[@name='citation_arxiv_id']/@content)[1])"
CHAPTERS = (".ltx_chapter", ".ltx_part")

# Never read: no prose of the page.
SKIPPED_TAGS = frozenset(
    "head script style noscript nav footer svg button form input select template iframe object video audio".split()
)
# What a page holds and does not show, or shows as struck out; and the words of classes of what a reader can open.
UNSHOWN = "//*[self::del or self::s or self::strike or @hidden or @aria-hidden='true' or contains(translate(translate(@style, ' ', ''), 'DISPLAYNOE', 'displaynoe'), 'display:none')]"
UNSHOWN_WORDS = ("hidden", "display:", "<del", "<s>", "<strike")
OPENED_CLASSES = ("collaps", "toggle", "tab", "accordion", "spoiler", "solution", "proof", "answer", "hint", "fold", "details", "dropdown", "modal", "content")  # fmt: skip
BLOCK_TAGS = frozenset(
    "p div section article blockquote center ul ol dl table figure main aside header address pre hr tr caption figcaption".split()
)
LINE_TAGS = frozenset("li dt dd".split())
NOTE_TAGS = frozenset("d-footnote dt-fn".split())  # of Distill: footnotes where their marks stand
HEADING_TAGS = frozenset("h1 h2 h3 h4 h5 h6".split())

# Formulas: what has been set by MathJax or KaTeX, what they would set, what they leave alone, pictures.
MATHJAX = frozenset(
    "MathJax MathJax_Preview MathJax_Display MathJax_SVG MathJax_SVG_Display MathJax_CHTML MathJax_PHTML MathJax_MathML MathJax_PlainSource "
    "MJXc-display mjx-chtml mjx-full-width".split()
)
MATHJAX_DISPLAYS = frozenset("MathJax_Display MathJax_SVG_Display MJXc-display".split())
KATEX = frozenset("katex katex-error".split())
RAW_TEX = frozenset("language-math js-render-math".split())
TEX_TAGS = frozenset("d-math dt-math".split())  # of Distill
NO_TEX_TAGS = frozenset("script style noscript textarea pre code annotation annotation-xml title option".split())
TEX_IGNORED = frozenset("tex2jax_ignore mathjax_ignore nolatex".split())
# What a page of PreTeXt opens on a click ("hidden-content") is typeset then.
TEX_PROCESSED = frozenset("tex2jax_process mathjax_process math arithmatex output_area output hidden-content".split())
FORMULA_PICTURES = frozenset(
    "math latex tex mathtex formula formulainl formuladsp formulaInl formulaDsp displaymath inline-formula disp-formula inline-equation equation "
    "inlineequation displayequation eqn".split()
)

# Classes of LaTeXML without their "ltx_" (versions before 0.7.9 had none).
LATEXML_SKIPPED = frozenset(
    "bibliography toc TOC toclist page_header page_footer page_navbar page_logo authors author_notes tag note_mark tag_note ERROR index indexlist dates "
    "eqn_eqno eqn_center_padleft eqn_center_padright eqn_left_padleft eqn_pad classification keywords pubyear biblist ref_missing".split()
)
LATEXML_EQUATION = frozenset(["equation", "equationgroup", "eqnarray", "eqn_table"])
LATEXML_TABLE = frozenset(["tabular"])
LATEXML_CAPTION = frozenset(["caption"])
LATEXML_NOTE = frozenset(["role_footnote", "role_endnote", "role_margin"])

# Other pages: what themes of documentation tools and notebooks put around and into the text.
PAGE_SKIPPED = frozenset(
    "headerlink anchor-link anchor sphinxsidebar related toctree-wrapper toc table-of-contents breadcrumbs breadcrumb navbar sidebar bd-sidebar bd-toc "
    "wy-nav-side wy-breadcrumbs rst-footer-buttons prev-next-area prev-next-footer md-sidebar md-header md-footer nav-wrapper nav-chapters mobile-nav-chapters "
    "sidebar-toggle menu-bar prompt input_prompt output_prompt input_area jp-InputArea jp-InputPrompt jp-OutputPrompt highlight codehilite sourceCode cell_input "
    "assistive skip-link permalink footnotes-back eqno linenos related-links familylinks visually-hidden sr-only cookie-banner edit-page citation-tools ref-list references bibliography".split()
)
EXAMPLES = frozenset("example example-like".split())
EXERCISES = frozenset("exercise exercise-like exercises exercisegroup".split())
PAGE_ROLES = frozenset(
    "navigation search banner contentinfo doc-toc doc-bibliography doc-pagelist menu toolbar".split()
)

# Classes of MediaWiki and the templates of the Wikipedias.
MEDIAWIKI_SKIPPED = frozenset(
    "navbox vertical-navbox sidebar toc reflist references refbegin mw-references-wrap mw-editsection noprint hatnote dablink metadata ambox mbox-small "
    "reference mw-ref shortdescription mw-empty-elt printfooter catlinks navigation-not-searchable mw-jump-link authority-control portal portalbox sistersitebox "
    "mw-cite-backlink error mw-indicators magnify thumbimage side-box stub autocollapse Inline-Template rt-commentedText".split()
)
MEDIAWIKI_SKIPPED_IDS = frozenset(["siteSub", "contentSub", "jump-to-nav"])  # of skins before 1.30
MEDIAWIKI_CAPTION = frozenset(["thumbcaption", "gallerytext"])

# Sections after which an article has no prose of its own.
CLOSING_SECTIONS = frozenset(
    "see also|references|external links|further reading|bibliography|notes|footnotes|sources|citations|notes and references|references and notes|literature"
    "|works cited|general references|cited sources|siehe auch|literatur|weblinks|einzelnachweise|quellen|anmerkungen|voir aussi|références|bibliographie"
    "|liens externes|notes et références|articles connexes|véase también|referencias|bibliografía|enlaces externos|notas"
    "|bibliografia|voci correlate|collegamenti esterni|altri progetti|ver também|referências|ligações externas|zie ook|bronnen|externe links|noten"
    "|zobacz też|przypisy|linki zewnętrzne|см. также|примечания|литература|ссылки|参见|參見|参考文献|參考文獻|参考资料|參考資料|外部链接|外部連結|注释|註釋|関連項目|脚注|外部リンク".split(
        "|"
    )
)
