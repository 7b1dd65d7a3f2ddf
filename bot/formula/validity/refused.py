"""What a wiki refuses and what to write instead: macros, control symbols, environments, tables of plain TeX."""

from bot.messages import Message

# Refused macros without arguments, and their replacements; an empty one: omit it.
SYNONYMS = {
    "bm": r"\boldsymbol", "pmb": r"\boldsymbol", "mathbold": r"\boldsymbol", "boldmath": "", "unboldmath": "", "mathscr": r"\mathcal", "euscr": r"\mathcal",
    "mathds": r"\mathbb", "mathbbm": r"\mathbb", "mathbbmss": r"\mathbb", "frak": r"\mathfrak", "mathnormal": r"\mathit", "mathup": r"\mathrm", "symbf": r"\mathbf",
    "textnormal": r"\text", "textup": r"\text", "textsc": r"\text", "textsl": r"\text", "textmd": r"\text", "textipa": r"\text", "mathsc": r"\mathrm", "mathsl": r"\mathit",
    "operatornamewithlimits": r"\operatorname", "lvert": "|", "rvert": "|", "coloneqq": ":=", "coloneq": ":=", "eqqcolon": "=:", "defeq": ":=", "vcentcolon": ":",
    "intop": r"\int", "ointop": r"\oint", "idotsint": r"\int\cdots\int", "nobreakspace": "~", "space": r"\ ", "thinspace": r"\,", "medspace": r"\;", "thickspace": r"\;",
    "enspace": r"\;", "enskip": r"\;", "negthinspace": r"\!", "negmedspace": r"\!", "negthickspace": r"\!", "nonumber": "", "notag": "", "nobreak": "", "allowbreak": "",
    "break": "", "nolinebreak": "", "leavevmode": "", "par": "", "noindent": "", "relax": "", "protect": "", "strut": "", "mathstrut": "", "null": "", "displaylimits": "", "middle": "", "bigm": r"\big", "Bigm": r"\Big", "biggm": r"\bigg", "Biggm": r"\Bigg", "leadsto": r"\rightsquigarrow", "lhd": r"\triangleleft",
    "rhd": r"\triangleright", "unlhd": r"\trianglelefteq", "unrhd": r"\trianglerighteq", "Join": r"\bowtie", "iddots": r"\ddots", "hdots": r"\ldots", "textellipsis": r"\ldots",
    "mathellipsis": r"\ldots", "ldotp": ".", "cdotp": r"\cdot", "textless": "<", "textgreater": ">", "textbar": "|", "textbackslash": r"\backslash", "degree": r"^{\circ}",
    "textdegree": r"^{\circ}", "la": r"\lesssim", "ga": r"\gtrsim", "lsim": r"\lesssim", "gsim": r"\gtrsim", "simlt": r"\lesssim", "simgt": r"\gtrsim", "simless": r"\lesssim",
    "simgreat": r"\gtrsim", "sun": r"\odot", "Sun": r"\odot", "astrosun": r"\odot", "earth": r"\oplus", "Earth": r"\oplus", "eqdef": r"\triangleq", "doubleprime": "''",
    "underrightarrow": r"\underset{\to}", "underleftarrow": r"\underset{\gets}", "dddot": r"\overset{...}", "ddddot": r"\overset{....}", "mathring": r"\overset{\circ}", "widebar": r"\overline", "bigtimes": r"\times",
    "nsubset": r"\not\subset", "nsupset": r"\not\supset", "notni": r"\not\ni", "longleadsto": r"\rightsquigarrow", "dashrightarrow": r"\to", "circledR": r"\text{®}",
    "copyright": r"\text{©}", "pounds": r"\text{£}", "yen": r"\text{¥}", "aa": r"\text{å}", "o": r"\text{ø}", "ss": r"\text{ß}", "AE": r"\text{Æ}", "i": r"\imath", "j": r"\jmath",
    "varhbar": r"\hbar", "rq": "'", "lq": "'", "smallint": r"\int", "lgroup": "(", "rgroup": ")", "lmoustache": r"\lbrace", "rmoustache": r"\rbrace", "normalsize": "", "large": "",
    "Large": "", "small": "", "tiny": "", "footnotesize": "", "scriptsize": "", "updelta": r"\delta", "upmu": r"\mu", "uppi": r"\pi",
    "partialup": r"\partial", "textmu": r"\mu", "micro": r"\mu", "ohm": r"\Omega", "sl": r"\it", "em": r"\it", "itshape": r"\it", "upshape": r"\rm", "rmfamily": r"\rm", "bfseries": r"\bf",
    "mit": r"\it", "ensuremath": "", "fbox": r"\text", "framebox": r"\text", "makebox": r"\text", "boxed": "", "smash": "", "nonscript": "", "dag": r"\dagger", "ddag": r"\ddagger", "slash": "/", "lbag": "(", "rbag": ")",
}  # fmt: skip
# Names of functions that texvc lacks; each is an operator name.
OPERATORS = frozenset(
    "sech csch arcosh arsinh artanh arcoth arsech arcsch arccosh arcsinh arctanh asin acos atan sh ch th cth tg ctg cosec erf erfc erfi lcm tr Tr rank rk span diag sign "
    "argmax argmin grad curl rot Res Hom End Aut Ker coker im Coker supp vol id Id Var Cov Spec Gal Sym Ext Tor Mor Ob Li Ei Si Ci Ai Bi sinc card conv dom ran cl "
    "ord adj ad Ad GL SL SO SU Sp erfcx haversin hav vers exsec Lie Der Ric Vol diam dist essinf esssup plim".split()
)
SYMBOLS = {
    **dict.fromkeys("/-*^()[]@", ""),
    **{sign: sign for sign in "'~\"=.<"},
    **{":": r"\;", ">": r"\;", "`": "'", "\n": r"\ "},
}
ASCII = {"#": r"\#", "`": "'"}
ENVIRONMENTS = {
    **dict.fromkeys(("gather", "gathered", "multline", "eqnarray", "split", "align", "flalign", "aligned", "IEEEeqnarray", "eqalign", "subequations"), "aligned"),
    **dict.fromkeys(("alignat", "alignedat", "xalignat"), "alignedat"), "dcases": "cases", "rcases": "cases", "numcases": "cases", "psmallmatrix": "pmatrix", "bsmallmatrix": "bmatrix",
    "vsmallmatrix": "vmatrix", "subarray": "smallmatrix", "tabular": "array", "darray": "array",
    **{name: name for name in ("matrix", "pmatrix", "bmatrix", "Bmatrix", "vmatrix", "Vmatrix", "cases", "array", "smallmatrix")},
    **dict.fromkeys(("equation", "displaymath", "math", "subequation", "center", "flushleft", "minipage", "dmath", "small"), ""),
}  # fmt: skip
PLAIN_TABLES = {
    **{name: name for name in ("matrix", "pmatrix", "bmatrix", "cases")},
    **dict.fromkeys(("eqalign", "displaylines", "eqalignno"), "aligned"),
    **dict.fromkeys(("substack", "shortstack"), "smallmatrix"),
}


def with_advice(why: Message, macro: str) -> Message:
    r"""Return why a macro (given without \) is refused, with a replacement if one is known."""
    name = macro.removeprefix("begin{").removesuffix("}")
    if macro.startswith("begin{"):
        instead = ENVIRONMENTS.get(name.rstrip("*"))
        if instead == "":
            return Message("verdict.leave_environment", why=why)
        instead = f"\\begin{{{instead}}}" if instead else None
    elif macro in OPERATORS:
        instead = f"\\operatorname{{{macro}}}"
    elif macro in ("label", "tag", "eqno", "ref", "hspace", "vspace", "kern", "hskip", "nonumber", "notag"):
        instead = ""
    elif macro in PLAIN_TABLES:
        instead = f"\\begin{{{PLAIN_TABLES[macro]}}}"
    else:
        instead = SYNONYMS.get(macro, SYMBOLS.get(macro) if not macro.isalpha() else None)
    if instead is None:
        return why
    return (
        Message("verdict.use", why=why, code=instead.strip()) if instead.strip() else Message("verdict.leave", why=why)
    )
