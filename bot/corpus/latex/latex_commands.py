"""What the scanner knows of LaTeX's own commands and environments, as tables; numbers and units of siunitx to plain TeX."""

import re

# Environments of one formula, and of rows of formulas: how the cells of a row stand, and how many arguments come first.
SINGLE = frozenset("equation displaymath math dmath darray smallequation".split())
ALIGNED = frozenset("align flalign alignat xalignat xxalignat aligneq subalign dgroup dseries IEEEeqnarray".split())
ARRAYED = frozenset("eqnarray".split())
GATHERED = frozenset("gather".split())
JOINED = frozenset("multline".split())  # its rows are one formula
ROWS = ALIGNED | ARRAYED | GATHERED | JOINED
DISPLAYED = SINGLE | ROWS
COUNTED = frozenset("alignat xalignat xxalignat IEEEeqnarray".split())  # with an argument before the first row

# Environments whose content is no prose: found by their end alone. Figure labels in a drawing are no formulas of the text.
OPAQUE = frozenset(
    "verbatim verbatim* Verbatim BVerbatim LVerbatim SaveVerbatim alltt lstlisting minted listing code pycode sagesilent sageblock filecontents filecontents* comment "
    "tikzpicture tikzcd pspicture picture pgfpicture asy asydef circuitikz feynmandiagram fmffile axis xy luacode luacode* python pyconsole algorithmic algorithm2e "
    "thebibliography CCSXML forest dot2tex gnuplot filecontentsdef lrbox SaveEnvironment forest* prooftree ganttchart chemfig bibdiv biblist theindex keywords "
    "tcblisting Sinput Soutput Schunk Highlighting HighlightingOff IN OUT sourcecode console".split()
)
# Environments with arguments before their content, in the letters of ARGUMENTS.
ENVIRONMENTS = {
    "minipage": "oom", "multicols": "mo", "wrapfigure": "omom", "wraptable": "omom", "floatingfigure": "om", "adjustbox": "m", "adjustwidth": "mm", "list": "mm",
    "spacing": "m", "CJK": "omm", "CJK*": "omm", "addmargin": "om", "columns": "o", "column": "om", "frame": "aoo", "subfigure": "om", "subtable": "om", "turn": "m",
    "rotate": "m", "tcolorbox": "o", "mdframed": "o", "enumerate": "o", "itemize": "o", "description": "o", "figure": "o", "table": "o", "figure*": "o",
    "table*": "o", "center": "", "quote": "", "sidewaystable": "o", "sidewaysfigure": "o", "subequations": "", "letter": "m", "otherlanguage": "m",
    "otherlanguage*": "m", "textblock": "m", "scope": "o", "onlyenv": "", "overlayarea": "mm", "parcolumns": "om", "labeling": "om", "asparaenum": "o",
    "tabbing": "", "marginfigure": "o", "margintable": "o",
}  # fmt: skip
TABLES = {
    "tabular": "om", "tabular*": "mom", "tabularx": "mom", "tabulary": "mom", "longtable": "om", "array": "om", "deluxetable": "m", "deluxetable*": "m",
    "supertabular": "om", "xtabular": "om", "longtabu": "m", "tabu": "m", "tblr": "om", "ruledtabular": "", "planotable": "m", "mpxtabular": "om",
    "threeparttable": "o", "NiceTabular": "om",
}  # fmt: skip

# Theorem-like environments that classes define, by the words with which authors name them; and which are no statements.
EXAMPLE_WORDS = ("example", "exam", "exmp", "eg", "beispiel", "bsp", "exemple", "ejemplo", "esempio", "illustration")
EXERCISE_WORDS = (
    "exercise", "exer", "problem", "question", "homework", "aufgabe", "übung", "uebung", "exercice", "exo", "ejercicio", "esercizio", "tutoriat",
)  # fmt: skip
THEOREMS = frozenset(
    "theorem thm lemma lem lemme proposition prop corollary cor corol coro definition defn defi definizione example exmp exam remark rem rmk conjecture claim fact "
    "axiom property assumption exercise problem question law principle postulate notation theo theoreme theorème théorème satz hilfssatz korollar beispiel "
    "bemerkung definicion teorema proposizione proposicion exemple exercice remarque propriete propriété aufgabe".split()
)

# What a command takes before its text, or instead of one: s star, o optional, m mandatory and not text, p in round brackets.
# A braced argument that is not listed is text that is read on.
ARGUMENTS = {
    "only": "a", "onslide": "sa", "uncover": "a", "visible": "a", "invisible": "a", "alert": "a", "pause": "o", "setbeamercovered": "m", "setbeamercolor": "smm",
    "setbeamerfont": "smm", "beamertemplatenavigationsymbolsempty": "", "label": "m", "ref": "sm", "eqref": "sm", "pageref": "sm", "autoref": "sm", "cref": "sm", "Cref": "sm", "vref": "sm", "nameref": "sm", "labelcref": "sm",
    "hyperref": "o", "href": "om", "url": "m", "path": "m", "nolinkurl": "m", "hypertarget": "m", "hyperlink": "m", "hypersetup": "m",
    "vspace": "sm", "hspace": "sm", "vskip": "", "setlength": "mm", "addtolength": "mm", "setcounter": "mm", "addtocounter": "mm", "stepcounter": "m",
    "refstepcounter": "m", "newcounter": "mo", "newlength": "m", "settowidth": "mm", "setbox": "", "includegraphics": "soom", "epsfig": "m", "psfig": "m",
    "plotone": "m", "plottwo": "mm", "epsfbox": "om", "epsffile": "om", "plotfiddle": "mmmmmmm", "includesvg": "om", "includepdf": "om", "graphicspath": "m",
    "DeclareGraphicsExtensions": "m", "color": "om", "textcolor": "om", "colorbox": "m", "fcolorbox": "mm", "pagecolor": "m", "definecolor": "mmm", "colorlet": "mm",
    "bibliography": "m", "bibliographystyle": "m", "addbibresource": "om", "printbibliography": "o", "nocite": "m", "bibitem": "om", "usepackage": "omo",
    "RequirePackage": "omo", "documentclass": "omo", "documentstyle": "om", "LoadClass": "omo", "PassOptionsToPackage": "mm", "ProvidesPackage": "mo",
    "ProvidesClass": "mo", "NeedsTeXFormat": "mo", "pagestyle": "m", "thispagestyle": "m", "pagenumbering": "m", "markboth": "mm", "markright": "m",
    "index": "om", "glossary": "m", "newacronym": "ommm", "newglossaryentry": "mm", "addcontentsline": "mmm", "addtocontents": "mm", "numberwithin": "omm",
    "theoremstyle": "m", "newtheoremstyle": "mmmmmmmmm", "swapnumbers": "", "allowdisplaybreaks": "o", "geometry": "m", "linespread": "m", "fontsize": "mm",
    "selectfont": "", "usefont": "mmmm", "fontfamily": "m", "fontseries": "m", "fontshape": "m", "DeclareFixedFont": "mmmmmm", "DeclareMathAlphabet": "mmmmm",
    "DeclareSymbolFont": "mmmmm", "DeclareMathSymbol": "mmmm", "SetMathAlphabet": "mmmmmm", "DeclareFontFamily": "mmm", "DeclareFontShape": "mmmmmm",
    "SetSymbolFont": "mmmmmm", "DeclareSymbolFontAlphabet": "mm", "raisebox": "moo", "parbox": "ooom", "makebox": "poo", "framebox": "poo", "rule": "omm",
    "resizebox": "smm", "scalebox": "mo", "rotatebox": "om", "multicolumn": "mm", "multirow": "omomo", "cline": "m", "cmidrule": "opm", "hline": "",
    "tnote": "m", "input": "m", "phantom": "m", "hphantom": "m", "vphantom": "m", "todo": "om", "marginpar": "o", "bookmarksetup": "m", "pdfbookmark": "omm",
    "enlargethispage": "sm", "setstretch": "m", "tikz": "", "usetikzlibrary": "m", "tikzset": "m", "pgfplotsset": "m", "psset": "m", "lstset": "m",
    "lstinputlisting": "om", "verbatiminput": "m", "inputminted": "omm", "tikzstyle": "m", "externaldocument": "om", "selectlanguage": "m", "foreignlanguage": "m",
    "setmainfont": "om", "setsansfont": "om", "setmonofont": "om", "setmathfont": "om", "captionsetup": "om", "sisetup": "m", "floatstyle": "m", "newfloat": "mmm",
    "newcolumntype": "mom", "newsavebox": "m", "sbox": "mm", "savebox": "moom", "usebox": "m", "addto": "mm", "AtBeginDocument": "m", "AtEndDocument": "m",
    "AtBeginSection": "om", "setbeamertemplate": "mom", "usetheme": "om", "usecolortheme": "om", "DeclareUnicodeCharacter": "mm", "hyphenation": "m",
    "author": "om", "date": "m", "thanks": "m", "affil": "om", "affiliation": "m", "altaffiliation": "m", "altaffiltext": "mm", "altaffilmark": "m", "address": "om", "email": "om",
    "ead": "om", "institute": "m", "pacs": "m", "keywords": "m", "keyword": "m", "subjclass": "om", "dedicatory": "m", "preprint": "m", "authorrunning": "m",
    "titlerunning": "m", "shorttitle": "m", "shortauthors": "m", "slugcomment": "m", "received": "m", "accepted": "m", "journal": "m", "volume": "m", "thispdfpagelabel": "m",
    "curraddr": "m", "urladdr": "m", "orcid": "m", "orcidlink": "m", "corref": "m", "cortext": "om", "fntext": "om", "ifthenelse": "m", "setboolean": "mm",
    "newboolean": "m", "tablewidth": "m", "tablecolumns": "m", "tabletypesize": "m", "tablenum": "m", "newpagestyle": "mm", "titleformat": "smommmmo",
    "titlespacing": "smmmmo", "fancyhead": "om", "fancyfoot": "om", "lhead": "om", "rhead": "om", "chead": "om", "lfoot": "om", "rfoot": "om", "cfoot": "om",
    "special": "m", "write": "m", "message": "m", "typeout": "m", "PackageWarning": "mm", "errmessage": "m", "vadjust": "m", "counterwithin": "smm",
    "crefname": "mmm", "Crefname": "mmm", "crefformat": "mm", "newrefformat": "mm", "tableofcontents": "", "includeonly": "m", "endnote": "", "setdefaultlanguage": "om",
    "setmainlanguage": "om", "setotherlanguage": "om", "lettrine": "o", "arxiv": "m", "ccsdesc": "om", "copyrightyear": "m",
}  # fmt: skip
CITING = tuple(
    "cite Cite textcite parencite autocite footcite fullcite citealt citealp citeauthor citeyear citep citet onlinecite supercite".split()
)

# Commands that set their argument as a name is set; and the switches that do so for the rest of the group.
EMPHASISED = {
    "emph": "emph", "textit": "emph", "textsl": "emph", "textbf": "bold", "defn": "emph", "dfn": "emph", "defi": "emph", "term": "emph", "textbfit": "bold",
    "it": "emph", "em": "emph", "itshape": "emph", "sl": "emph", "slshape": "emph", "bf": "bold", "bfseries": "bold",
}  # fmt: skip
SWITCHES = frozenset("it em itshape sl slshape bf bfseries".split())

HEADINGS = {
    "part": 0, "chapter": 1, "addchap": 1, "section": 2, "addsec": 2, "subsection": 3, "subsubsection": 4, "frametitle": 4,
}  # fmt: skip
RUN_IN = frozenset(["paragraph", "subparagraph", "subsubsubsection"])

SYMBOLS = {
    "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "aa": "å", "AA": "Å", "i": "ı", "j": "ȷ", "dh": "ð",
    "dag": "†", "ddag": "‡", "S": "§", "P": "¶", "copyright": "©", "pounds": "£", "euro": "€", "texteuro": "€", "textdollar": "$", "textbackslash": "\\",
    "textasciitilde": "~", "textasciicircum": "^", "textunderscore": "_", "textless": "<", "textgreater": ">", "textbar": "|", "textdegree": "°",
    "textendash": "–", "textemdash": "—", "ldots": "…", "dots": "…", "textellipsis": "…", "textquoteleft": "‘", "textquoteright": "’", "textquotedblleft": "“",
    "textquotedblright": "”", "og": "« ", "fg": " »", "guillemotleft": "«", "guillemotright": "»", "glqq": "„", "grqq": "“", "TeX": "TeX", "LaTeX": "LaTeX",
    "LaTeXe": "LaTeX2e", "BibTeX": "BibTeX", "slash": "/", "nobreakspace": " ", "space": " ", "quad": " ", "qquad": " ", "enspace": " ", "thinspace": " ",
    "textmu": "µ", "textregistered": "®", "texttrademark": "™", "textohm": "Ω", "degree": "°", "No": "№", "no": "n°", "ier": "er", "ieme": "e", "today": "",
    "lbrace": "{", "rbrace": "}", "bullet": "•", "textbullet": "•", "textperiodcentered": "·", "newline": " ", "linebreak": " ", "SS": "SS",
}  # fmt: skip
ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304", ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b",
    "c": "\u0327", "k": "\u0328", "r": "\u030a", "d": "\u0323", "b": "\u0331", "t": "\u0361",
}  # fmt: skip

# In mathematics: what is no part of the formula, with its arguments; words; and how many arguments a command takes, so that an
# author's macro that stands as one gets braces around what it becomes.
NOT_MATHEMATICS = {
    "pause": "o", "only": "a", "onslide": "sa", "uncover": "a", "visible": "a", "alert": "a", "label": "m", "tag": "sm", "nonumber": "", "notag": "", "noindent": "", "index": "om", "footnotemark": "o", "footnote": "om", "cite": "oom", "citep": "oom",
    "citet": "oom", "ref": "sm", "eqref": "sm", "displaybreak": "o", "allowbreak": "", "nobreak": "", "null": "", "vspace": "sm", "hline": "", "eqno": "",
    "leqno": "", "qedhere": "", "qed": "", "IEEEyesnumber": "", "IEEEnonumber": "", "IEEEeqnarraynumspace": "", "protect": "", "relax": "", "xspace": "",
    "lefteqn": "", "ensuremath": "", "strut": "", "mathstrut": "", "MoveEqLeft": "o", "par": "", "noalign": "m", "raggedright": "", "thinspace": "",
    "numberthis": "", "addtocounter": "mm", "setcounter": "mm", "hfill": "", "hfil": "", "vphantom": "m", "color": "om", "pagebreak": "o", "nolinebreak": "o",
    "linebreak": "o", "goodbreak": "", "textcolor": "om", "medskip": "", "smallskip": "", "bigskip": "", "eqnum": "m", "cr": "", "hss": "",
    "setlength": "mm", "arraycolsep": "", "small": "", "footnotesize": "", "scriptsize": "", "tiny": "", "normalsize": "", "large": "", "Large": "", "singlespacing": "",
    "shoveleft": "", "shoveright": "", "unboldmath": "", "everymath": "", "includegraphics": "soom", "mathsurround": "", "upshape": "", "normalfont": "", "hypertarget": "m", "xymatrix": "g", "m@th": "",
}  # fmt: skip
WORDS = {
    **dict.fromkeys("text mbox textrm textit textbf textsf texttt textnormal textsc textup hbox intertext shortintertext fbox emph textmd vbox".split(), ""),
    "makebox": "poo", "framebox": "poo", "parbox": "ooom", "raisebox": "moo", "rotatebox": "om", "scalebox": "mo", "resizebox": "smm", "colorbox": "om", "shortstack": "o",
}  # fmt: skip
AS_WORDS = {
    "emph": "textit",
    **dict.fromkeys("textnormal textup textmd fbox makebox framebox parbox vbox raisebox rotatebox scalebox resizebox colorbox shortstack".split(), "text"),
}  # fmt: skip
ARITY = {
    **dict.fromkeys("frac dfrac tfrac cfrac binom dbinom tbinom stackrel overset underset genfrac nicefrac sfrac".split(), 2),
    **dict.fromkeys(
        "sqrt hat widehat tilde widetilde bar vec dot ddot dddot check breve acute grave mathring overline underline overrightarrow overleftarrow underbrace overbrace "
        "mathbf mathrm mathit mathcal mathbb mathfrak mathsf mathtt mathscr boldsymbol bm pmb operatorname text mbox mathop mathrel mathbin mathord mathopen mathclose "
        "slashed cancel boxed phantom xrightarrow xleftarrow substack bold Bbb".split(), 1),
}  # fmt: skip

LANGUAGES = {
    **dict.fromkeys(("german", "ngerman", "austrian", "naustrian", "nswissgerman"), "de"),
    **dict.fromkeys(("french", "francais", "frenchb", "acadian", "canadien"), "fr"),
    **dict.fromkeys(("english", "american", "british", "ukenglish", "usenglish", "canadian", "australian"), "en"),
    **dict.fromkeys(("portuguese", "portuges", "brazil", "brazilian"), "pt"),
    "spanish": "es", "italian": "it", "russian": "ru", "dutch": "nl", "polish": "pl", "czech": "cs", "swedish": "sv", "danish": "da", "norsk": "no", "finnish": "fi",
    "catalan": "ca", "greek": "el", "hungarian": "hu", "magyar": "hu", "romanian": "ro", "turkish": "tr", "ukrainian": "uk", "slovak": "sk", "croatian": "hr",
    "slovene": "sl", "latin": "la", "bulgarian": "bg", "serbian": "sr", "estonian": "et", "icelandic": "is", "vietnamese": "vi",
}  # fmt: skip
BOOKS = frozenset(
    "book report memoir scrbook scrreprt amsbook svmono tufte-book extbook extreport krantz cambridge7a octavo ucthesis thesis tufte-handout".split()
)


# Of the package's manual: units, prefixes, and what stands before or behind a unit.
_UNITS = dict(
    pair.split(":")
    for pair in (
        "ampere:A candela:cd kelvin:K kilogram:kg metre:m meter:m mole:mol second:s becquerel:Bq coulomb:C farad:F gray:Gy hertz:Hz henry:H joule:J katal:kat lumen:lm "
        "lux:lx newton:N ohm:\\Omega pascal:Pa radian:rad siemens:S sievert:Sv steradian:sr tesla:T volt:V watt:W weber:Wb astronomicalunit:au bel:B dalton:Da day:d "
        "decibel:dB degreeCelsius:{}^\\circ\\mathrm{C} celsius:{}^\\circ\\mathrm{C} electronvolt:eV hectare:ha hour:h litre:L liter:L arcminute:' arcsecond:'' minute:min "
        "neper:Np tonne:t gram:g degree:{}^\\circ percent:\\% angstrom:\\AA barn:b bar:bar knot:kn parsec:pc gauss:G atm:atm "
        "eV:eV meV:meV keV:keV MeV:MeV GeV:GeV TeV:TeV kg:kg g:g mg:mg s:s ms:ms us:\\mu\\mathrm{s} ns:ns ps:ps m:m km:km cm:cm mm:mm um:\\mu\\mathrm{m} nm:nm pm:pm fm:fm "
        "Hz:Hz kHz:kHz MHz:MHz GHz:GHz N:N kN:kN J:J kJ:kJ W:W kW:kW MW:MW V:V mV:mV kV:kV A:A mA:mA K:K mol:mol Pa:Pa kPa:kPa MPa:MPa T:T mT:mT C:C F:F pF:pF nF:nF L:L ohm:\\Omega"
    ).split()
)
_PREFIXES = dict(
    pair.split(":")
    for pair in (
        "yocto:y zepto:z atto:a femto:f pico:p nano:n micro:\\mu milli:m centi:c deci:d deca:da deka:da hecto:h kilo:k mega:M giga:G tera:T peta:P exa:E zetta:Z yotta:Y"
    ).split()
)
_NUMBER = re.compile(
    r"\s*(?P<sign>[+-]|\\pm\s*)?\s*(?P<digits>[\d.,\s]*)(?:\((?P<doubt>\d+)\))?(?:\s*(?:\\pm|\+-)\s*(?P<error>[\d.,]+))?(?:[eEdD]\s*(?P<power>[+-]?\d+))?\s*"
)
_TOKEN = re.compile(r"\\([A-Za-z]+)|\s+|([^\\\s])")
_UPRIGHT = re.compile(r"([A-Za-z]+)")


def number(text: str) -> str:
    """Return a number: `1.5e8` as 1.5\\times 10^{8}; anything else as it is."""
    found = _NUMBER.fullmatch(text)
    if not found or not (found["digits"].strip() or found["power"]):
        return text
    digits = re.sub(r"\s", "", found["digits"]).replace(",", ".")
    value = (found["sign"] or "").strip() + digits
    if found["error"]:
        value += rf"\pm {found['error'].replace(',', '.')}"
    if not found["power"]:
        return value
    power = f"10^{{{found['power'].removeprefix('+')}}}"
    if found["error"]:
        value = f"({value})"
    return rf"{value}\times {power}" if digits else value + power


def unit(text: str) -> str:
    """Return a unit: `\\metre\\per\\square\\second` as \\mathrm{m}/\\mathrm{s}^{2}."""
    out: list[str] = []
    prefix = power = ""
    per = False
    for token in _TOKEN.finditer(text):
        name, sign = token.groups()
        if name is None:
            if sign:
                out.append({"~": r"\,", ".": r"\,"}.get(sign, sign))
            continue
        if name in _PREFIXES:
            prefix = _PREFIXES[name]
        elif name == "per":
            per = True
        elif name in ("square", "cubic"):
            power = "2" if name == "square" else "3"
        elif name in ("squared", "cubed"):
            out.append("^{2}" if name == "squared" else "^{3}")
        elif name == "tothe":
            out.append("^")
        elif name in ("raiseto", "highlight", "of"):
            continue
        else:
            symbol = _UNITS.get(name, name)
            plain = symbol.isalpha() and symbol.isascii()
            if prefix == r"\mu":
                shown = rf"\mu\mathrm{{{symbol}}}"
            elif plain:
                shown = rf"\mathrm{{{prefix}{symbol}}}"
            else:
                shown = (rf"\mathrm{{{prefix}}}" if prefix else "") + symbol
            between = "/" if per else r"\," if out else ""
            out.append(between + shown + (f"^{{{power}}}" if power else ""))
            prefix = power = ""
            per = False
    return _UPRIGHT.sub(r"\\mathrm{\1}", "".join(out)) if "\\" not in text else "".join(out)
