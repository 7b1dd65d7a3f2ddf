"""Tables of the TeX that formulas are written in: what each token is, and its one canonical name.

The parser looks a token up once; everything that is not a command or letter is found here or is a plain symbol.
"""

_GREEK = (
    "alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ varkappa ϰ "
    "lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ "
    "chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω digamma ϝ "
    "Alpha Α Beta Β Epsilon Ε Zeta Ζ Eta Η Iota Ι Kappa Κ Mu Μ Nu Ν Omicron Ο Rho Ρ Tau Τ Chi Χ varGamma Γ varDelta Δ "
    "varTheta Θ varLambda Λ varPi Π varSigma Σ varPhi Φ varPsi Ψ varOmega Ω"
).split()
_LETTERLIKE = (
    "hbar ħ hslash ħ ell ℓ imath ı jmath ȷ wp ℘ Re ℜ Im ℑ aleph ℵ beth ℶ gimel ℷ daleth ℸ nabla ∇ partial ∂ Box □ square □ "
    "eth ð complement ∁ mho ℧ AA Å P ¶ S § sect § part ∂ real ℜ image ℑ weierp ℘ alef ℵ alefsym ℵ thetasym ϑ"
).split()

# identifiers: token -> canonical name
LETTERS: dict[str, str] = {
    **{"\\" + name: sign for name, sign in zip(_GREEK[::2], _GREEK[1::2], strict=True)},
    **{"\\" + name: sign for name, sign in zip(_LETTERLIKE[::2], _LETTERLIKE[1::2], strict=True)},
    "\\R": "bb.R", "\\C": "bb.C", "\\N": "bb.N", "\\Z": "bb.Z", "\\Q": "bb.Q", "\\reals": "bb.R", "\\Reals": "bb.R", "\\Complex": "bb.C", "\\natnums": "bb.N", "\\cnums": "bb.C",
    "ℏ": "ħ", "𝑑": "d", "µ": "μ", "ℝ": "bb.R", "ℂ": "bb.C", "ℕ": "bb.N", "ℤ": "bb.Z", "ℚ": "bb.Q",
}  # fmt: skip

# ordinary symbols that are neither variables nor operators
SYMBOLS: dict[str, str] = {
    "\\infty": "∞", "∞": "∞", "\\emptyset": "∅", "\\varnothing": "∅", "∅": "∅", "\\top": "⊤", "\\bot": "⊥", "\\angle": "∠", "\\triangle": "△",
    "\\dagger": "†", "\\dag": "†", "†": "†", "\\ddagger": "‡", "\\ddag": "‡", "\\Dagger": "‡", "\\infin": "∞", "\\empty": "∅", "\\exist": "∃", "\\ang": "∠", "\\prime": "′", "\\backprime": "‵", "\\degree": "°", "°": "°", "\\forall": "∀", "∀": "∀",
    "\\exists": "∃", "∃": "∃", "\\nexists": "∄", "\\neg": "¬", "\\lnot": "¬", "¬": "¬", "!": "!", "\\flat": "♭", "\\sharp": "♯", "\\natural": "♮",
    "\\clubsuit": "♣", "\\diamondsuit": "♢", "\\heartsuit": "♡", "\\spadesuit": "♠", "\\bigstar": "★", "\\checkmark": "✓", "\\%": "%", "%": "%",
    "\\#": "#", "#": "#", "\\$": "$", "$": "$", "\\_": "_", "\\copyright": "©", "?": "?", "@": "@", '"': '"', "`": "`",
    "\\ldots": "…", "\\dots": "…", "\\cdots": "…", "\\dotsb": "…", "\\dotsc": "…", "\\dotsm": "…", "\\dotsi": "…", "\\dotso": "…", "…": "…",
    "\\hdots": "…", "⋯": "…", "\\vdots": "⋮", "\\ddots": "⋱", "\\textellipsis": "…", "\\hellipsis": "…", "\\lq": "`", "\\rq": "'",
    "\\sun": "☉", "\\surd": "√", "\\blacksquare": "■", "\\Diamond": "◇", "\\lozenge": "◊", "\\measuredangle": "∡", "\\Finv": "Ⅎ",
}  # fmt: skip

_RELATIONS = (
    "= = < < > > : : \\colon : \\lt < \\gt > \\le ≤ \\leq ≤ \\leqslant ≤ ≤ ≤ \\ge ≥ \\geq ≥ \\geqslant ≥ ≥ ≥ \\ne ≠ \\neq ≠ ≠ ≠ \\equiv ≡ ≡ ≡ "
    "\\approx ≈ ≈ ≈ \\approxeq ≈ \\simeq ≃ ≃ ≃ \\cong ≅ ≅ ≅ \\sim ∼ ∼ ∼ \\propto ∝ ∝ ∝ \\varpropto ∝ \\ll ≪ ≪ ≪ \\gg ≫ ≫ ≫ \\in ∈ ∈ ∈ "
    "\\isin ∈ \\notin ∉ ∉ ∉ \\ni ∋ \\owns ∋ \\subset ⊂ ⊂ ⊂ \\subseteq ⊆ ⊆ ⊆ \\sub ⊂ \\sube ⊆ \\subsetneq ⊊ \\supset ⊃ \\supseteq ⊇ \\supsetneq ⊋ "
    "\\to → \\rightarrow → → → \\longrightarrow → \\gets ← \\leftarrow ← ← ← \\longleftarrow ← \\mapsto ↦ ↦ ↦ \\longmapsto ↦ \\leftrightarrow ↔ "
    "\\longleftrightarrow ↔ ↔ ↔ \\Rightarrow ⇒ \\implies ⇒ ⇒ ⇒ \\Longrightarrow ⇒ \\Leftarrow ⇐ \\Longleftarrow ⇐ \\impliedby ⇐ \\Leftrightarrow ⇔ "
    "\\iff ⇔ ⇔ ⇔ \\Longleftrightarrow ⇔ \\hookrightarrow ↪ \\hookleftarrow ↩ \\rightharpoonup ⇀ \\rightharpoondown ⇁ \\rightleftharpoons ⇌ "
    "\\leftrightharpoons ⇋ \\rightleftarrows ⇄ \\leftrightarrows ⇆ \\rightrightarrows ⇉ \\twoheadrightarrow ↠ \\rightarrowtail ↣ \\uparrow ↑ "
    "\\downarrow ↓ \\updownarrow ↕ \\Uparrow ⇑ \\Downarrow ⇓ \\nearrow ↗ \\searrow ↘ \\swarrow ↙ \\nwarrow ↖ \\leadsto ⇝ \\rightsquigarrow ⇝ "
    "\\mid | \\nmid ∤ \\parallel ∥ \\nparallel ∦ \\perp ⟂ \\vdash ⊢ \\dashv ⊣ \\models ⊨ \\vDash ⊨ \\Vdash ⊩ \\nvdash ⊬ \\asymp ≍ \\doteq ≐ "
    "\\triangleq ≜ \\prec ≺ \\succ ≻ \\preceq ⪯ \\succeq ⪰ \\preccurlyeq ≼ \\succcurlyeq ≽ \\sqsubseteq ⊑ \\sqsupseteq ⊒ \\sqsubset ⊏ \\sqsupset ⊐ "
    "\\bowtie ⋈ \\smile ⌣ \\frown ⌢ \\lesssim ≲ \\gtrsim ≳ \\lessapprox ⪅ \\gtrapprox ⪆ \\lessgtr ≶ \\gtrless ≷ \\nless ≮ \\ngtr ≯ \\nleq ≰ "
    "\\ngeq ≱ \\subsetneqq ⊊ \\nsubseteq ⊈ \\coloneqq := \\eqqcolon =: \\coloneq := ≔ := \\vartriangleleft ⊲ \\triangleleft ⊲ \\trianglelefteq ⊴ "
    "\\vartriangleright ⊳ \\triangleright ⊳ \\trianglerighteq ⊵ \\blacktriangleleft ◀ \\blacktriangleright ▶ \\therefore ∴ \\because ∵ \\lll ⋘ "
    "\\larr ← \\rarr → \\lArr ⇐ \\Larr ⇐ \\rArr ⇒ \\Rarr ⇒ \\harr ↔ \\lrarr ↔ \\hArr ⇔ \\Harr ⇔ \\lrArr ⇔ \\Lrarr ⇔ \\uarr ↑ \\darr ↓ \\supe ⊇ "
    "\\lhd ⊲ \\rhd ⊳ \\unlhd ⊴ \\unrhd ⊵ \\vcentcolon : \\restriction ↾ \\ggg ⋙ \\bumpeq ≏ \\Bumpeq ≎ \\backsim ∽ \\thicksim ∼ \\thickapprox ≈ \\between ≬ \\pitchfork ⋔ \\leqq ≤ \\geqq ≥ \\lneq ⪇ \\gneq ⪈ "
    "\\lneqq ≨ \\gneqq ≩ \\nsim ≁ \\ncong ≇ \\varsubsetneq ⊊ \\nrightarrow ↛ \\nRightarrow ⇏ \\nleftarrow ↚ \\Rrightarrow ⇛ \\upharpoonright ↾ "
    "\\multimap ⊸ \\circeq ≗ \\eqcirc ≖ \\risingdotseq ≓ \\fallingdotseq ≒ \\curvearrowright ↷ \\xmapsto ↦ \\lessdot ⋖ \\gtrdot ⋗ \\eqsim ≂"
).split()
RELATIONS: dict[str, str] = dict(zip(_RELATIONS[::2], _RELATIONS[1::2], strict=True))
SYMMETRIC = frozenset("= ≠ ≡ ≈ ≃ ≅ ∼ ⇔ ↔ ⇌ ⟂ ∥ ≍ ≐ ≜ ≏ ≎ :=".split())
FLIPPED = {
    ">": "<", "≥": "≤", "≫": "≪", "⊃": "⊂", "⊇": "⊆", "⊋": "⊊", "∋": "∈", "⇐": "⇒", "≻": "≺", "⪰": "⪯", "≽": "≼",
    "⊒": "⊑", "⊐": "⊏", "≳": "≲", "⪆": "⪅", "⊳": "⊲", "⊵": "⊴", "⋙": "⋘", "≱": "≰", "≯": "≮", "=:": ":=", "↩": "↪", "⋗": "⋖", "⪈": "⪇", "≩": "≨",
}  # fmt: skip

# infix operators that bind like a product and keep their sign in the tree
INFIX: dict[str, str] = {
    "\\times": "×", "×": "×", "\\cdot": "·", "·": "·", "⋅": "·", "\\sdot": "·", "*": "*", "\\ast": "*", "\\star": "⋆", "\\circ": "∘", "∘": "∘", "\\bullet": "•", "\\bull": "•",
    "\\otimes": "⊗", "⊗": "⊗", "\\odot": "⊙", "\\wedge": "∧", "∧": "∧", "\\land": "∧", "\\and": "∧", "\\&": "∧", "\\vee": "∨", "\\lor": "∨", "\\or": "∨", "\\cap": "∩", "∩": "∩",
    "\\cup": "∪", "∪": "∪", "\\setminus": "∖", "\\smallsetminus": "∖", "\\backslash": "∖", "\\sqcup": "⊔", "\\sqcap": "⊓", "\\amalg": "⨿",
    "\\wr": "≀", "\\ltimes": "⋉", "\\rtimes": "⋊", "\\div": "÷", "÷": "÷", "\\bmod": "mod", "\\mod": "mod", "\\diamond": "⋄", "\\boxtimes": "⊠",
    "\\divideontimes": "⋇", "\\uplus": "⊎", "\\intercal": "⊺", "\\veebar": "⊻", "\\barwedge": "⊼", "\\doublebarwedge": "⩞",
    "\\bigtriangleup": "△", "\\bigtriangledown": "▽", "\\Cap": "⋒", "\\doublecap": "⋒", "\\Cup": "⋓", "\\doublecup": "⋓", "\\boxdot": "⊡", "\\centerdot": "·", "\\oslash": "⊘",
    "\\bigcirc": "◯", "\\circledast": "⊛", "\\llcorner": "⌞", "\\lrcorner": "⌟", "\\ulcorner": "⌜", "\\urcorner": "⌝", "\\leftthreetimes": "⋋", "\\rightthreetimes": "⋌",
}  # fmt: skip
COMMUTATIVE_INFIX = frozenset("·∩∪∨")

PLUS: dict[str, str] = {
    "+": "+", "-": "-", "−": "-", "–": "-", "\\pm": "±", "\\plusmn": "±", "±": "±", "\\mp": "∓", "∓": "∓", "\\oplus": "⊕", "⊕": "⊕", "\\ominus": "⊖",
    "\\dotplus": "∔", "\\boxplus": "⊞", "\\boxminus": "⊟",
}  # fmt: skip

BIG: dict[str, str] = {
    "\\sum": "∑", "∑": "∑", "\\prod": "∏", "∏": "∏", "\\coprod": "∐", "\\int": "∫", "∫": "∫", "\\iint": "∬", "∬": "∬", "\\iiint": "∭",
    "\\iiiint": "⨌", "\\oint": "∮", "∮": "∮", "\\oiint": "∯", "\\oiiint": "∰", "\\idotsint": "∫…∫", "\\bigcup": "⋃", "\\bigcap": "⋂",
    "\\bigoplus": "⨁", "\\bigotimes": "⨂", "\\bigodot": "⨀", "\\bigvee": "⋁", "\\bigwedge": "⋀", "\\bigsqcup": "⨆", "\\biguplus": "⨄",
    "\\varointclockwise": "∮", "\\ointctrclockwise": "∮", "\\smallint": "∫", "\\intop": "∫",
}  # fmt: skip
INTEGRALS = frozenset(["∫", "∬", "∭", "⨌", "∮", "∯", "∰", "∫…∫"])

FUNCTIONS = frozenset(
    "sin cos tan cot sec csc sinh cosh tanh coth sech csch arcsin arccos arctan arccot arcsec arccsc arsinh arcosh artanh arcsinh arccosh "
    "arctanh exp log ln lg lb sgn sign det dim ker deg gcd lcm arg max min sup inf hom Pr tr Tr div grad rot curl erf erfc erfi rank adj "
    "sinc ch sh th tg ctg cotg arctg arcsen sen cosec".split()
)
ANGULAR = frozenset("sin cos tan cot sec csc sinh cosh tanh coth sech csch sinc ch sh th tg ctg cotg sen cosec".split())
NUMERIC = ANGULAR | frozenset("arcsin arccos arctan arccot arsinh arcosh artanh log ln lg lb".split())
# Further operators, upright before their argument; Re and Pr are also numbers of fluids.
OPERATORS = frozenset(
    "%" + name for name in "Res res Var var Cov cov Corr Spec Proj Hom End Aut Gal coker supp span diag".split()
)
LIMITS = frozenset("lim limsup liminf injlim projlim varlimsup varliminf varinjlim varprojlim".split())
_FUNCTION_COMMANDS = (
    "sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan exp log ln lg det dim ker deg gcd arg max min sup inf hom Pr "
    "arccot arcsec arccsc sgn sech csch tg ctg cotg arctg sen arcsen tr Tr rank erf erfc sinc rot grad curl lim limsup liminf injlim projlim varlimsup varliminf varinjlim varprojlim"
)
NAMES: dict[str, str] = {"\\" + name: name for name in _FUNCTION_COMMANDS.split()}

OPEN: dict[str, str] = {
    "(": "(", "[": "[", "\\lbrack": "[", "\\{": "{", "\\lbrace": "{", "\\langle": "⟨", "⟨": "⟨", "\\lfloor": "⌊", "\\lceil": "⌈", "\\lvert": "|",
    "\\lVert": "‖", "⌊": "⌊", "⌈": "⌈", "\\lgroup": "(", "\\lang": "⟨", "\\llbracket": "⟦", "⟦": "⟦",
}  # fmt: skip
CLOSE: dict[str, str] = {
    ")": ")", "]": "]", "\\rbrack": "]", "\\}": "}", "\\rbrace": "}", "\\rangle": "⟩", "⟩": "⟩", "\\rfloor": "⌋", "\\rceil": "⌉", "\\rvert": "|",
    "\\rVert": "‖", "⌋": "⌋", "⌉": "⌉", "\\rgroup": ")", "\\rang": "⟩", "\\rrbracket": "⟧", "⟧": "⟧",
}  # fmt: skip
BARS: dict[str, str] = {"|": "|", "\\vert": "|", "\\|": "‖", "\\Vert": "‖", "∣": "|", "‖": "‖", "∥": "‖"}

ACCENTS: dict[str, str] = {
    "\\hat": "hat", "\\widehat": "hat", "\\bar": "bar", "\\overline": "bar", "\\tilde": "tilde", "\\widetilde": "tilde", "\\vec": "vec",
    "\\overrightarrow": "vec", "\\overleftarrow": "leftarrow", "\\dot": "dot", "\\ddot": "ddot", "\\dddot": "dddot", "\\ddddot": "ddddot",
    "\\check": "check", "\\breve": "breve", "\\acute": "acute", "\\grave": "grave", "\\underline": "under", "\\mathring": "ring",
    "\\overleftrightarrow": "both", "\\widecheck": "check", "\\underbar": "under", "\\not": "not", "\\cancel": "cancel", "\\bcancel": "cancel",
    "\\xcancel": "cancel", "\\slashed": "slashed", "\\overparen": "paren", "\\wideparen": "paren", "\\overarc": "paren",
}  # fmt: skip
STYLES: dict[str, str] = {
    "\\mathbf": "b", "\\boldsymbol": "b", "\\bm": "b", "\\pmb": "b", "\\mathrm": "rm", "\\mathit": "", "\\mathnormal": "", "\\mathbb": "bb",
    "\\Bbb": "bb", "\\mathcal": "cal", "\\mathscr": "cal", "\\mathfrak": "frak", "\\mathsf": "sf", "\\mathtt": "tt", "\\mathup": "rm",
    "\\mathds": "bb", "\\mathbbm": "bb", "\\mathbfcal": "cal", "\\symbf": "b", "\\symrm": "rm", "\\bold": "b",
}  # fmt: skip
SWITCHES: dict[str, str] = {
    "\\bf": "b", "\\bfseries": "b", "\\boldmath": "b", "\\rm": "rm", "\\rmfamily": "rm", "\\cal": "cal", "\\it": "", "\\sl": "", "\\frak": "frak",
    "\\sf": "sf", "\\tt": "tt", "\\mit": "",
}  # fmt: skip
TEXT = frozenset(
    "\\text \\textrm \\textit \\textbf \\textsf \\texttt \\textnormal \\textup \\textsc \\textsl \\mbox \\hbox \\fbox \\emph".split()
)
OPERATOR = frozenset(["\\operatorname", "\\operatornamewithlimits", "\\DeclareMathOperator"])
WRAPPERS = frozenset(
    "\\mathop \\mathrel \\mathbin \\mathord \\mathopen \\mathclose \\mathpunct \\mathinner \\boxed \\ensuremath \\smash \\substack "
    "\\vcenter \\mathclap \\mathllap \\mathrlap \\overbrace \\underbrace \\overbracket \\underbracket".split()
)
FRACTIONS = frozenset("\\frac \\dfrac \\tfrac \\cfrac \\nicefrac \\sfrac \\xfrac".split())
BINOMIALS = frozenset("\\binom \\dbinom \\tbinom".split())
INFIX_FRACTIONS: dict[str, str] = {
    "\\over": "frac",
    "\\atop": "atop",
    "\\choose": "binom",
    "\\brace": "brace",
    "\\brack": "brack",
    "\\above": "frac",
}
# commands that only change how it looks: dropped
SILENT = frozenset(
    "\\displaystyle \\textstyle \\scriptstyle \\scriptscriptstyle \\limits \\nolimits \\displaylimits \\nonumber \\notag \\hfill \\hfil \\mathstrut "
    "\\strut \\big \\Big \\bigg \\Bigg \\bigl \\bigr \\Bigl \\Bigr \\biggl \\biggr \\Biggl \\Biggr \\bigm \\Bigm \\biggm \\Biggm \\relax \\normalsize "
    "\\small \\large \\Large \\allowbreak \\nobreak \\noindent \\hline \\hfilneg \\null \\protect \\upshape \\scriptsize \\footnotesize \\tiny "
    "\\samepage \\goodbreak \\break \\linebreak \\long \\unboldmath \\mathsurround \\centering \\em".split()
)
SPACES = frozenset("\\, \\; \\: \\! \\> \\\n ~ \\thinspace \\medspace \\thickspace \\negthinspace \\negmedspace \\negthickspace \\enspace \\enskip \\/ \\- ⁢ ⁡ \u200b".split()) | {
    "\\ ", "\\\t", "\u00a0", "\u2009", "\u2061", "\u2062", "\u2063", "\u2064",
}  # fmt: skip
WIDE = frozenset(["\\quad", "\\qquad", "\\eqno", "\\leqno"])  # the part after them is not a factor
# commands with an argument that does not belong to the formula
SWALLOW = frozenset(
    "\\label \\tag \\hspace \\vspace \\mspace \\phantom \\hphantom \\vphantom \\color \\ref \\eqref \\cite \\footnote \\pagecolor".split()
)

# Words in formulas that separate a formula from remarks about it.
CONNECTING = frozenset(
    "for if where when and with as or such otherwise let so then whenever while given provided subject on in all every any each hence thus "
    "since iff s.t. st. because which is are else unless at für wenn falls und mit avec pour si se per para wobei i.e. e.g. that".split()
)


def separates(words: str) -> bool:
    """Tell whether words (a leaf beginning with a quote) separate two statements: they begin or end with a connecting word or a comma."""
    text = words[1:].lower().split()
    if not text:
        return False
    first, last = text[0].strip(".:()"), text[-1].strip(".:()")
    if first[:1] in (",", ";") or last[-1:] in (",", ";"):
        return True
    return first in CONNECTING or (len(text) > 1 and last in CONNECTING)
