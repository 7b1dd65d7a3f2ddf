"""Macros of authors: their definitions (LaTeX, plain TeX, xparse, amsmath, mathtools) and their expansion."""

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from bot.corpus.latex.latex_commands import is_unit
from bot.corpus.latex.stream import TokenStream
from bot.formula.tex.tokenizer import KINDS
from bot.formula.validity.texvc_macros import KNOWN

NO_VALUE = "-NoValue-"
_VALUE_TESTS = frozenset(f"If{what}{end}" for what in ("NoValue", "Value", "Boolean") for end in ("TF", "T", "F"))
_TRUE, _FALSE = "\\BooleanTrue", "\\BooleanFalse"
_UNDEFINED = frozenset([r"\undefined", r"\@undefined"])
_PARAMETER = re.compile(r"#(#|[1-9])")
ENDS_IN_WORD = re.compile(r"\\[A-Za-z@]+\Z")
_NUMBER = re.compile(r"\s*([0-9])\s*\Z")
_OF_XPARSE = re.compile(r"Document(?:Command|Environment)\Z|TColorBox\Z")  # commands that take its argument types
_MODIFIERS = re.compile(r"(?<![tTuU])[+!](?=\s*[A-Za-z>])")  # before a type; behind `t` they are its sign
_DEF_HEAD = re.compile(r"([^{}\\]*+(?:\\(?:[A-Za-z@]++|.)[^{}\\]*+)*+)\{", re.S)
_CODE = re.compile(r"\s*=?\s*(?:\"([0-9A-Fa-f]{1,4})|(\d{1,5}))")
_COMMAND = re.compile(r"\\[A-Za-z@]+")
_DRAWN = re.compile(r"\\(?:ooalign|ialign|halign|symbol)(?![A-Za-z])")
_PROGRAM = re.compile(r"\\[A-Za-z@]+_[A-Za-z@_]*:")  # in the language of LaTeX3, which TeX alone can follow
_OPTION = re.compile(r"(?:[^,{}]|\{(?:[^{}]|\{[^{}]*\})*\})+")  # between the commas of a list
_TITLE_KEYS = ("title", "name", "heading", "frametitle")
_THEOREM_KEYS = {*_TITLE_KEYS, "label", "restate", "continues"}
# As characters, not as signs of TeX
_ESCAPED_SIGNS = {"\\": "\\backslash "} | {sign: f"\\{sign}" for sign in "%#&$_{}"}
_MAX_BODY_CHARACTERS = 200_000  # characters; a longer one is a text, not an abbreviation


@dataclass(frozen=True, slots=True)
class MacroParameter:
    """How one argument is taken: mandatory, optional between two signs, a sign (`opening`) that may stand there, or up to a delimiter."""

    kind: str  # m, o, t, u
    default: str | None = None
    opening: str = "["
    closing: str = "]"


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro with its body cut at the parameters: text and numbers (from 0) in turn. `end_parts` is an environment's."""

    parts: tuple[str | int, ...]
    parameters: tuple[MacroParameter, ...] = ()
    prefix: str = ""  # what \def demands before the first argument
    end_parts: tuple[str | int, ...] | None = None
    primitive: str = ""  # \let to a command of TeX's own

    def arguments(self, stream: TokenStream) -> list[str]:
        """Read the arguments of a call."""
        if self.prefix:
            stream.skip_blanks()
            if stream.top.text.startswith(self.prefix, stream.top.position):
                stream.top.position += len(self.prefix)
        return [_argument(parameter, stream) for parameter in self.parameters]


@dataclass(frozen=True, slots=True)
class Theorem:
    """A theorem-like environment: how it is printed, and how many arguments in braces its title and label are."""

    title: str
    braced: int = 0


_STAR = MacroParameter("t", opening="*")


def _argument(parameter: MacroParameter, stream: TokenStream) -> str:
    if parameter.kind == "m":
        return stream.argument()
    if parameter.kind == "t":
        present = stream.peek() == parameter.opening
        stream.top.position += present
        return _TRUE if present else _FALSE
    if parameter.kind == "u":
        return stream.until(parameter.closing)
    value = stream.optional(parameter.opening, parameter.closing)
    if value is not None:
        return value
    return NO_VALUE if parameter.default is None else parameter.default


def split_at_parameters(body: str) -> tuple[str | int, ...]:
    """Cut a body at its parameters."""
    if "#" not in body:
        return (body,)
    parts: list[str | int] = []
    at = 0
    for found in _PARAMETER.finditer(body):
        parts.append(body[at : found.start()])
        at = found.end()
        parts.append("#" if found[1] == "#" else int(found[1]) - 1)
    parts.append(body[at:])
    return tuple(parts)


def substitute_arguments(parts: tuple[str | int, ...], arguments: list[str]) -> str:
    """Return a body with its arguments put in; a blank separates a command from a letter behind it."""
    if len(parts) == 1:
        return str(parts[0])
    out: list[str] = []
    before = ""
    for part in parts:
        text = part if isinstance(part, str) else arguments[part] if part < len(arguments) else ""
        if not text:
            continue
        if text[0].isalpha() and ENDS_IN_WORD.search(before):
            out.append(" ")
        out.append(text)
        before = text
    return "".join(out)


def expand_value_test(word: str, stream: TokenStream) -> bool:
    """Replace a test of xparse by its branch (\\IfNoValueTF, \\IfValueT, \\IfBooleanTF …); return whether `word` is one."""
    if word not in _VALUE_TESTS:
        return False
    value = stream.argument()
    holds = value == _TRUE if word.startswith("IfBoolean") else (value == NO_VALUE) == word.startswith("IfNo")
    branches = {case: stream.argument() for case in ("TF" if word.endswith("TF") else word[-1])}
    stream.push(branches.get("T" if holds else "F", ""), stream.top.depth + 1)
    return True


@cache
def package_definitions() -> dict[str, str]:
    """Return the definitions of well-known packages, by package."""
    return tomllib.loads(resources.files(__package__).joinpath("packages.toml").read_text(encoding="utf-8"))


@dataclass(slots=True)
class MacroTable:
    """All definitions in force. Groups are ignored: a definition holds from its place to the end of the document."""

    commands: dict[str, Macro] = field(default_factory=dict)
    environments: dict[str, Macro] = field(default_factory=dict)
    theorems: dict[str, Theorem] = field(default_factory=dict)
    columns: dict[str, Macro] = field(default_factory=dict)  # of tables, by the letter an author gives them
    drawn: set[str] = field(default_factory=set)  # commands for signs that are drawn, and those made of them
    switches: dict[str, bool] = field(default_factory=dict)  # of \newif
    units: dict[str, str] = field(default_factory=dict)  # of siunitx, as an author declares them

    def load_package(self, package: str) -> None:
        """Add the definitions of a package of `package_definitions`."""
        stream = TokenStream(package_definitions()[package])
        while command := stream.command():
            self.read_definition(command, stream)

    def read_definition(self, command: str, stream: TokenStream) -> bool:
        """Read a definition if `command` starts one; return whether it does."""
        reader = _DEFINITION_READERS.get(command)
        if reader is None:
            return False
        reader(self, command, stream)
        return True

    def define_command(self, name: str, macro: Macro) -> None:
        """Store a definition, unless it would redefine a command that structures the document."""
        body = " ".join(part for part in macro.parts if isinstance(part, str))
        if _DRAWN.search(body) or (self.drawn and not self.drawn.isdisjoint(_COMMAND.findall(body))):
            self.drawn.add(name)
            return  # a sign that is drawn out of others in ways that only TeX can follow: the command says more
        if _PROGRAM.search(body):
            return
        if r"\dospecials" in body:  # what follows would be read sign by sign, as in verbatim
            macro = Macro(("",))
        is_fixed = name in _NOT_REDEFINABLE or (name in _DEFAULT_ACCENTS and name in self.commands)
        if name.startswith("\\") and len(name) > 1 and not is_fixed:
            self.commands[name] = macro

    # -- the kinds of definition: each reads what follows its command -------------------------------------------------
    def newcommand(self, command: str, stream: TokenStream) -> None:
        stream.skip_star()
        name = _name(stream)
        parameters = _parameters(stream, command)
        body = stream.argument()
        if command == "\\providecommand" and name in self.commands:
            return
        self.define_command(name, Macro(split_at_parameters(body[:_MAX_BODY_CHARACTERS]), parameters))

    def plain_def(self, command: str, stream: TokenStream) -> None:
        name = stream.command()
        top = stream.top
        head = _DEF_HEAD.match(top.text, top.position, top.position + 400)
        if not name or not head:
            return
        top.position = head.end() - 1
        body = stream.group()
        prefix, *rest = re.split(r"#[1-9]", head[1].strip())
        delimiters = map(str.strip, rest)
        parameters = tuple(MacroParameter("u", closing=sign) if sign else MacroParameter("m") for sign in delimiters)
        if len(body) <= _MAX_BODY_CHARACTERS:
            self.define_command(name, Macro(split_at_parameters(body), parameters, prefix))

    def let(self, command: str, stream: TokenStream) -> None:
        name = stream.command()
        if stream.peek() == "=":
            stream.top.position += 1
        target = stream.command() or stream.argument()
        if name == target:
            return
        if target in _UNDEFINED or (target == r"\relax" and name[1:] in KNOWN):  # so that a package may define it
            self.commands.pop(name, None)
            return
        macro = Macro(("",)) if target == r"\relax" else self.commands.get(target)
        if name[1:] in KNOWN and not macro and target.startswith("\\") and not _is_known(target):
            return  # the same sign, of another font
        self.define_command(name, macro or Macro((target,), primitive=target if target.startswith("\\") else ""))

    def character(self, command: str, stream: TokenStream) -> None:
        """\\chardef and \\mathchardef: a command for one character, where that is one of ASCII."""
        name = stream.command()
        found = _CODE.match(stream.top.text, stream.top.position)
        if not name or not found:
            return
        stream.top.position = found.end()
        code = int(found[1], 16) if found[1] else int(found[2])
        if 32 < code & 0xFF < 127:
            sign = chr(code & 0xFF)
            self.define_command(name, Macro((_ESCAPED_SIGNS.get(sign, sign),)))

    def operator(self, command: str, stream: TokenStream) -> None:
        starred = "*" if stream.skip_star() else ""
        name = _name(stream)
        self.define_command(name, Macro((rf"\operatorname{starred}{{{stream.argument()}}}",)))

    def newenvironment(self, command: str, stream: TokenStream) -> None:
        stream.skip_star()
        name = stream.argument().strip()
        parameters = _parameters(stream, command)
        opening, ending = stream.argument(), stream.argument()
        self._environment(name, opening, ending, parameters)

    def _environment(self, name: str, opening: str, ending: str, parameters: tuple[MacroParameter, ...]) -> None:
        is_sound = len(opening) + len(ending) <= _MAX_BODY_CHARACTERS and not _PROGRAM.search(opening + ending)
        if is_sound and name not in _ENVIRONMENTS_NOT_REDEFINABLE:
            parts, end_parts = split_at_parameters(opening), split_at_parameters(ending)
            self.environments[name] = Macro(parts, parameters, end_parts=end_parts)

    def environ(self, command: str, stream: TokenStream) -> None:
        """environ: \\NewEnviron{name}{… \\BODY …}"""
        name = stream.argument().strip()
        parameters = _parameters(stream, command)
        opening, body, ending = stream.argument().partition("\\BODY")
        if body:
            self._environment(name, opening, ending, parameters)

    def package_option(self, command: str, stream: TokenStream) -> None:
        """\\DeclareOption{name}{code} of a class or package: carried out where the option is."""
        name = stream.argument().strip()
        self.define_command(rf"\ds@{name}", Macro(split_at_parameters(stream.argument())))

    def newtheorem(self, command: str, stream: TokenStream) -> None:
        stream.skip_star()
        name = stream.argument().strip()
        stream.optional()
        self.theorems[name] = Theorem(stream.argument().strip())
        stream.optional()
        if command == "\\spnewtheorem":
            stream.argument(), stream.argument()

    def framed_theorem(self, command: str, stream: TokenStream) -> None:
        """mdframed: \\newmdtheoremenv has options before what \\newtheorem has."""
        stream.optional()
        self.newtheorem(command, stream)

    def boxed_theorem(self, command: str, stream: TokenStream) -> None:
        """tcolorbox: \\begin{law}{title}{label}, and \\begin{law*}{title}."""
        stream.optional()
        name, title = stream.argument().strip(), stream.argument().strip()
        stream.argument(), stream.argument()
        self.theorems[name], self.theorems[name + "*"] = Theorem(title, 2), Theorem(title, 1)

    def box(self, command: str, stream: TokenStream) -> None:
        """tcolorbox: an environment is a box with options of its own, in which its arguments may stand."""
        stream.optional()
        name = stream.argument().strip()
        parameters = _parameters(stream, command)
        self._environment(name, f"\\begin{{tcolorbox}}[{stream.argument()}]", "\\end{tcolorbox}", parameters)

    def declaretheorem(self, command: str, stream: TokenStream) -> None:
        options = stream.optional() or ""
        names = stream.argument()
        options += "," + (stream.optional() or "")
        title = keyed_title(options)
        for name in names.split(","):
            self.theorems[name.strip()] = Theorem(title or name.strip().capitalize())

    def unit(self, command: str, stream: TokenStream) -> None:
        stream.optional()
        name = _name(stream)
        self.units[name[1:]] = stream.argument()

    def declared_unit(self, name: str) -> str | None:
        """Return what a unit is that siunitx does not have, or an author has declared anew."""
        macro = None if is_unit(name) else self.commands.get("\\" + name)
        return self.units.get(name) or (str(macro.parts[0]) if macro and len(macro.parts) == 1 else None)

    def column(self, command: str, stream: TokenStream) -> None:
        letter = stream.argument().strip()
        parameters = _parameters(stream, command)
        self.columns[letter] = Macro(split_at_parameters(stream.argument()), parameters)

    def newif(self, command: str, stream: TokenStream) -> None:
        name = stream.command()[3:]
        self.switches.setdefault(name, False)

    def switch(self, command: str, stream: TokenStream) -> None:
        r"""ifthen and etoolbox: \newboolean{a} and \newtoggle{a} are false until \setboolean{a}{true} or \toggletrue{a}."""
        name = stream.argument().strip()
        if command.startswith("\\set"):
            self.switches[name] = stream.argument().strip() == "true"
        elif command.startswith(("\\new", "\\provide")):
            self.switches.setdefault(name, False)
        else:
            self.switches[name] = command.endswith("true")

    def paired_delimiter(self, command: str, stream: TokenStream) -> None:
        """mathtools: `\\abs*{x}` sets the delimiters to size, `\\abs[\\big]{x}` to the size named; both say |x|."""
        name = _name(stream)
        plain, around = command.endswith("Delimiter"), command.endswith("PP")
        count = _NUMBER.match(stream.optional() or "") if not plain else None
        before = stream.argument() if around else ""
        opening, closing = stream.argument(), stream.argument()
        after = stream.argument() if around else ""
        body = "#1" if plain else stream.argument().replace("\\delimsize", "\\middle")
        parts = split_at_parameters(f"{before}\\left{opening} {body}\\right{closing}{after}")
        arguments = [MacroParameter("m")] * (int(count[1]) if count else 1)
        parameters = (_STAR, MacroParameter("o", default=""), *arguments)
        self.define_command(name, Macro(tuple(p + 2 if isinstance(p, int) else p for p in parts), parameters))


def keyed_title(options: str) -> str | None:
    """Return the title among options, as in `label=x, title={A, b}`; None where there are no keys."""
    pairs = (option.partition("=") for option in _OPTION.findall(options))
    keys = {key.strip(): value.strip() for key, equals, value in pairs if equals}
    title = next((keys[key] for key in _TITLE_KEYS if key in keys), "")
    title = title[1:-1] if title.startswith("{") and title.endswith("}") else title
    return title if keys.keys() & _THEOREM_KEYS else None


def _is_known(command: str) -> bool:
    return command[1:] in KNOWN or command in KINDS or not command[1:].isalpha()


def _name(stream: TokenStream) -> str:
    """Return the command that is defined: bare or in braces."""
    if stream.peek() == "{":
        name = stream.group().strip()
        return f"\\{name}" if name.isascii() and name.isalpha() else TokenStream(name).command()  # as MathJax has it
    return stream.command()


def _parameters(stream: TokenStream, command: str) -> tuple[MacroParameter, ...]:
    """Read `[2][default]`, or the argument types of xparse behind a command of it."""
    if _OF_XPARSE.search(command):
        return _signature(stream.argument())
    number = _NUMBER.match(stream.optional() or "")
    count = int(number[1]) if number else 0
    default = stream.optional() if count else None
    parameters = [MacroParameter("m")] * count
    if default is not None:
        parameters[0] = MacroParameter("o", default=default)
    return tuple(parameters)


def _signature(letters: str) -> tuple[MacroParameter, ...]:
    """Read the argument types of xparse, as in `s O{1} m d()`."""
    stream = TokenStream(_MODIFIERS.sub("", letters))
    found: list[MacroParameter] = []
    while kind := stream.peek():
        stream.top.position += 1
        if kind in "mv":
            found.append(MacroParameter("m"))
        elif kind == "s":
            found.append(_STAR)
        elif kind in "oO":
            found.append(MacroParameter("o", stream.argument() if kind == "O" else None))
        elif kind in "dDrR":
            opening, closing = stream.argument(), stream.argument()
            default = stream.argument() if kind in "DR" else None
            found.append(MacroParameter("o", default, opening, closing))
        elif kind in "gG":
            found.append(MacroParameter("o", stream.argument() if kind == "G" else None, "{", "}"))
        elif kind == "t":
            found.append(MacroParameter("t", opening=stream.argument()))
        elif kind == "u":
            found.append(MacroParameter("u", closing=stream.argument()))
        elif kind in "eE>":
            stream.argument()
    return tuple(found[:9])


_XPARSE = ("New", "Renew", "Provide", "Declare")
_DEFINITION_READERS: dict[str, Callable[[MacroTable, str, TokenStream], None]] = {
    **dict.fromkeys(("\\newcommand", "\\renewcommand", "\\providecommand", "\\DeclareRobustCommand"), MacroTable.newcommand),
    **dict.fromkeys(("\\newrobustcmd", "\\renewrobustcmd", "\\newcommandx", "\\algnewcommand", "\\algrenewcommand"), MacroTable.newcommand),
    **dict.fromkeys(("\\def", "\\gdef", "\\edef", "\\xdef"), MacroTable.plain_def),
    "\\let": MacroTable.let,
    **dict.fromkeys(("\\chardef", "\\mathchardef"), MacroTable.character),
    "\\DeclareMathOperator": MacroTable.operator,
    **dict.fromkeys((f"\\{verb}DocumentCommand" for verb in (*_XPARSE, "NewExpandable")), MacroTable.newcommand),
    **dict.fromkeys((f"\\{verb}DocumentEnvironment" for verb in _XPARSE), MacroTable.newenvironment),
    **dict.fromkeys(("\\newenvironment", "\\renewenvironment"), MacroTable.newenvironment),
    **dict.fromkeys(("\\NewEnviron", "\\RenewEnviron"), MacroTable.environ),
    "\\DeclareOption": MacroTable.package_option,
    **dict.fromkeys(("\\newtheorem", "\\spnewtheorem"), MacroTable.newtheorem),
    "\\declaretheorem": MacroTable.declaretheorem,
    "\\newmdtheoremenv": MacroTable.framed_theorem,
    **dict.fromkeys((f"\\{verb}tcbtheorem" for verb in ("new", "renew", "provide")), MacroTable.boxed_theorem),
    **dict.fromkeys((f"\\{verb}TcbTheorem" for verb in _XPARSE), MacroTable.boxed_theorem),
    **dict.fromkeys(("\\newtcolorbox", "\\renewtcolorbox"), MacroTable.box),
    **dict.fromkeys((f"\\{verb}TColorBox" for verb in _XPARSE), MacroTable.box),
    "\\DeclareSIUnit": MacroTable.unit,
    "\\newcolumntype": MacroTable.column,
    "\\newif": MacroTable.newif,
    **dict.fromkeys(("\\newboolean", "\\provideboolean", "\\setboolean"), MacroTable.switch),
    **dict.fromkeys((f"\\{verb}{kind}" for verb in ("new", "provide", "set") for kind in ("bool", "toggle")), MacroTable.switch),
    **dict.fromkeys((f"\\{kind}{value}" for kind in ("bool", "toggle") for value in ("true", "false")), MacroTable.switch),
    **dict.fromkeys((f"\\DeclarePairedDelimiter{kind}" for kind in ("", "X", "XPP")), MacroTable.paired_delimiter),
}  # fmt: skip

# The scanner reads these itself: an author's version of them only sets the page in another way.
_NOT_REDEFINABLE = frozenset(
    rf"\{name}" for name in
    "begin end section subsection subsubsection chapter part paragraph subparagraph item label ref eqref cite footnote caption input include documentclass "
    "usepackage title icmltitle author maketitle par fi else or newcommand renewcommand def let text mbox ensuremath left right frac sqrt emph textbf textit it bf em "
    "appendix today bibliography thebibliography abstract relax normalsize small footnotesize scriptsize tiny large Large LARGE huge Huge".split()
)  # fmt: skip
# Accents that authors draw out of the characters of a font, in ways that only TeX can follow; `default_macros` says what they are.
_DEFAULT_ACCENTS = frozenset([r"\widebar", r"\widecheck"])
_ENVIRONMENTS_NOT_REDEFINABLE = frozenset(
    "document equation equation* align align* eqnarray eqnarray* gather gather* multline multline* array tabular itemize enumerate description abstract "
    "figure table thebibliography proof verbatim comment cases split aligned".split()
)


@cache
def default_macros() -> dict[str, Macro]:
    """Return the macros that are known without their package."""
    found = MacroTable()
    found.load_package("always")
    return found.commands
