"""Expansion: the author's macros, conditionals and files taken in, within bounds; what text and mathematics have in common."""

import posixpath
import re
from collections import Counter
from collections.abc import Callable

from bot.corpus.latex import glossary_entries
from bot.corpus.latex import macros as latex_macros
from bot.corpus.latex.displays import node_texts
from bot.corpus.latex.latex_commands import DISPLAYED, REGISTERS, TOKEN_LISTS, VALUED
from bot.corpus.latex.project import SourceTree
from bot.corpus.latex.stream import TokenStream
from bot.errors import DocumentError
from bot.messages import Message

Note = Callable[[Message], None]

# Bounds of one document, far above what papers and books need (the deepest met were 12 deep; expansions made one character for each of the source).
_MAX_DEPTH = 200  # expansions within expansions: beyond, a macro calls itself for ever
_MAX_OF_CALL = 500_000  # characters that one call in a file expands to: beyond, it counts as calling itself for ever
_MAX_DROPPED_CALLS = 10  # that do not count among the next
_MAX_EXPANDED = 2_000_000  # characters that expansions make, and _MAX_GROWTH the length of the source
_MAX_GROWTH = 20
_MAX_FILES = 2000
_MAX_OPEN = 50  # conditionals that are never closed, before they are taken for something else
_MAX_INCLUDED = 64 * 2**20  # characters of all files taken in
_MAX_NESTING = 30  # footnotes in captions in cells
_MAX_END = 500  # characters of what an environment's end becomes, in which the end of another is looked for
_BRANCH = re.compile(
    r"\\newif\s*\\[A-Za-z@]+|\\iff(?![A-Za-z@])|%[^\n]*|\\(?P<word>if[A-Za-z@]*|else|fi|or)(?![A-Za-z@])|\\.", re.S
)
_NUMERIC = re.compile(
    r"\s*(?P<a>-?\d+|\\[A-Za-z@]+(?:\{[^{}]*\})?)\s*(?P<sign>[<>=])\s*(?P<b>-?\d+|\\[A-Za-z@]+(?:\{[^{}]*\})?)\s?"
)
_LENGTHS = re.compile(r"\s*[^<>=\n$]{1,60}[<>=]\s*-?\d*(?:[.,]\d*)?\s*(?:\\[A-Za-z@]+|[A-Za-z]{2})\s?")
_ONE_NUMBER = re.compile(r"\s*(?:-?\d+|\\[A-Za-z@]+(?:\{[^{}]*\})?)\s?")
_RULE_SIZES = re.compile(r"(?:\s*(?:height|depth|width)\s*-?[\d.,]*\s*(?:[a-z]{2}|\\[A-Za-z@]+)\s?)*")
_DIMENSION = r"-?\s*(?:\\(?:wd|ht|dp)\s*(?:\d+|\\[A-Za-z@]+)|(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:\s*(?:true\s*)?(?:pt|mm|cm|in|e[mx]|pc|bp|sp|dd|cc|mu|fil+)\b|\\[A-Za-z@]*(?:width|height|skip|size|indent|sep|p@|unit)(?![A-Za-z@]))?|\\magstep(?:half|\s?\d)|\\[A-Za-z@]+)"
_VALUE = re.compile(rf"(?:\s*`\\?.)?\s*=?\s*{_DIMENSION}(?:\s*(?:plus|minus)\s*{_DIMENSION})*\s?")
_REGISTER = re.compile(r"\s*(\d+|\\[A-Za-z@]+)\s?")
_BOX = re.compile(r"\\(?:box|copy|unhbox|unhcopy)" + _REGISTER.pattern)
_MAX_BOX = 2000  # characters
REGISTER_SET = re.compile(r"\s?=" + _VALUE.pattern)  # of a register
_FONT = re.compile(
    r"\s*(\\[A-Za-z@]+)\s*=?\s*[\w./-]*(?:\s*(?:scaled\s*(?:\d+|\\magstep\w*\s*\d?)|at\s*[\d.]+\s*(?:true)?\s*[a-z]{2}))?\s?"
)
_COMMAND = re.compile(r"\\[A-Za-z@]+\s*")
_COMMAND_NAME = re.compile(r"\\[A-Za-z@]+")
_DRAWING = re.compile(r"(?:[^;{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}){0,500}?;")
_FILE_NAME = re.compile(r"\s*([^\s{}\\%]+)")
# Conditionals that are macros with arguments in braces, and need no \fi.
_BRACED_IFS = ("ifthenelse", "ifdefempty", "ifstrequal", "ifstrempty", "ifblank", "ifbool", "iftoggle", "ifcsdef", "ifundef", "ifcsundef", "ifnumequal", "ifboolexpr", "ifdef", "ifpackageloaded", "ifclassloaded")  # fmt: skip
# Tests of where a page ends: what both branches print is the same, in other places.
_OF_PAGES = re.compile(
    r"\\(?:isodd|pageref|thepage|value\s*\{page\}|lengthtest|checkoddpage)(?![A-Za-z])|\\c@page(?![A-Za-z])"
)
_SWITCH = re.compile(r"(?P<not>\\(?:NOT|not)\s*)?\\(?:boolean|bool|toggle)\s*\{(?P<name>[^{}]*)\}|(?P<bare>[A-Za-z@]+)")
_EQUAL = re.compile(
    r"(?P<not>\\(?:NOT|not)\s*)?\\(?:equal\s*\{(?P<one>(?:[^{}]|\{[^{}]*\})*)\}|isempty)\s*\{(?P<other>(?:[^{}]|\{[^{}]*\})*)\}"
)
_FALSE_IFS = frozenset("ifpdf ifxetex ifluatex ifpdftex ifLuaTeX ifXeTeX ifeof ifvoid ifhbox ifvbox ifinner".split())
_GROUP = re.compile(r"\s*\{")
_PLAIN_IFS = _FALSE_IFS | frozenset(
    "if ifcat ifx ifnum ifdim ifodd ifvmode ifhmode ifmmode iftrue iffalse ifcase ifdefined ifcsname iffontchar".split()
)
_INCLUDE_COMMANDS = frozenset(
    "input include loadglsentries subfile subfileinclude import subimport includefrom inputfrom InputIfFileExists @input".split()
)


class Expander:
    """Reads a stream; `resolve_command` says whether a command was the author's or one of those that steer reading."""

    def __init__(self, text: str, tree: SourceTree, note: Note) -> None:
        self.tree, self.note = tree, note
        self.stream = TokenStream(text, file=tree.main_file)
        self.macros = latex_macros.MacroTable(dict(latex_macros.default_macros()))
        self.glossary = glossary_entries.Glossary()
        self.length = len(text)
        self.expanded = self.included = self.files = self.nesting = 0
        self.in_mathematics = False
        self.boxes: dict[str, str] = {}  # mathematics that is set aside, by register
        self.at_is_letter = False
        # For each open environment of the author's, what its end becomes
        self.defined_environment_ends: list[tuple[str, str]] = []
        self.ends_by_command: Counter[str] = Counter()  # of environments that began by a command, as endequation
        self.open_conditionals = 0
        self.options: dict[str, str] = {}  # with which a package or class is loaded, by its name
        self.endless: set[str] = set()  # macros and environments, reported once, however often they are redefined
        self.call = ""  # the last one in a file itself, and how many characters were made before it
        self.expanded_before_call = self.dropped_calls = 0

    def resolve_command(self, word: str) -> bool:
        """Carry out a definition, an author's macro, a conditional or an include; return False for any other command."""
        name = "\\" + word
        macro = self.macros.commands.get(name)
        if macro is not None and not macro.primitive:
            self.expand(name, macro)
            return True
        if self.macros.read_definition(name, self.stream):
            return True
        if word.startswith("if") and word != "iff":
            self.read_conditional(word)
        elif word in ("else", "or"):
            self._skip_branch(to_else=False)
        elif word in _INCLUDE_COMMANDS:
            self.include_file(word)
        elif word in ("usepackage", "RequirePackage"):
            options = self.stream.optional() or ""
            names = [name.strip() for name in self.stream.argument().split(",")]
            self.packages_used(options, names)
            self.options |= {f"{name}.sty": options for name in names}
            for name in reversed(names):
                self.read_package(name + ".sty")
        elif word == "tikz":
            self.read_drawing()
        elif word in ("ExecuteOptions", "ProcessOptions"):
            self.carry_out_options(word)
        elif word == "csname":
            command = _COMMAND.sub(self._meaning, self.stream.csname()).strip()
            if command and "\\" not in command:
                self.stream.push(_display_delimiter(command) or f"\\{command} ", self.stream.top.depth + 1)
        elif word in ("@ifnextchar", "kernel@ifnextchar", "@ifstar"):
            self._look_ahead(word)
        elif word == "@dblarg":  # of a command whose option is by default its argument
            command = self.stream.argument()
            option = self.stream.optional()
            argument = self.stream.argument()
            self._push(name, f"{command}[{argument if option is None else option}]{{{argument}}}")
        elif word in ("makeatletter", "makeatother"):
            self.at_is_letter = word == "makeatletter"
        elif word in ("vrule", "hrule"):
            self._skip_rule(word)
        elif word in VALUED:
            self.skip(_VALUE)
            if word == "hskip" and not self.in_mathematics:
                self.stream.push(" ", self.stream.top.depth + 1)
        elif word in REGISTERS:
            self.stream.argument()
        elif word in TOKEN_LISTS or word in _ARITHMETIC or word == "setbox":
            self._skip_assignment(word)
        elif word in ("box", "copy", "unhbox", "unhcopy"):
            if (found := self.skip(_REGISTER)) and self.in_mathematics:
                self._push("\\box", self.boxes.get(found[1], ""))
        elif word == "font":
            if found := self.skip(_FONT):
                self.macros.define_command(found[1], latex_macros.Macro(("",)))
        elif word in self.macros.environments:  # called by the command that begins it
            self.expand(name, self.macros.environments[word])
        elif word.startswith("If") and latex_macros.expand_value_test(word, self.stream):
            pass
        elif word not in _IGNORED_COMMANDS:
            return self._set_switch(word) or self._glossary_entry(word) or self._environment_by_command(word)
        return True

    def _environment_by_command(self, word: str) -> bool:
        """Begin or end an environment by its command, as `\\equation … \\endequation`; any but a display only where an environment of the author's ends so."""
        end = self.defined_environment_ends[-1][1] if self.defined_environment_ends else ""
        if self.ends_by_command[word]:
            self.ends_by_command[word] -= 1
            self._push(f"\\{word}", f"\\end{{{word[3:]}}}")
        elif f"\\end{word}" in _COMMAND_NAME.findall(end, 0, _MAX_END) or self._begins_display(word):
            self.ends_by_command[f"end{word}"] += 1
            self._push(f"\\{word}", f"\\begin{{{word}}}")
        else:
            return False
        return True

    def _begins_display(self, word: str) -> bool:
        return word in _BEGIN_DISPLAYS and not self.in_mathematics and not self.ends_by_command[f"end{word}"]

    def _glossary_entry(self, word: str) -> bool:
        """Read the definition of a glossary entry, or print one; return False for any other command."""
        if word in glossary_entries.DEFINING:
            text: str | None = self.glossary.define(word, self.stream)
        else:
            text = self.glossary.text(word, self.stream)
        if text:
            self.expand("\\" + word, latex_macros.Macro((text,)))
        return text is not None

    def expand(self, name: str, macro: latex_macros.Macro, *, wrap: bool = False) -> None:
        """Read the expansion of a macro's call next; a call that never ends is dropped from here on."""
        if self.stream.top.depth >= _MAX_DEPTH:
            self._drop(name)
            return
        text = latex_macros.substitute_arguments(macro.parts, macro.arguments(self.stream))
        self._push(name, f"{{{text}}}" if wrap else text)

    def begin_defined_environment(self, name: str) -> bool:
        """Expand the beginning of an environment that the author defined; return False for any other."""
        own = self.macros.environments.get(name)
        if own is None:
            return False
        if self.stream.top.depth >= _MAX_DEPTH:
            self._drop(name)
            return True
        arguments = own.arguments(self.stream)
        self.defined_environment_ends.append((name, latex_macros.substitute_arguments(own.end_parts or (), arguments)))
        self._push(name, latex_macros.substitute_arguments(own.parts, arguments))
        return True

    def end_defined_environment(self, name: str) -> bool:
        """Expand the end of an open environment that the author defined, which ends those that it began; return False for any other."""
        ends = self.defined_environment_ends
        for index in range(len(ends))[: -_MAX_NESTING - 1 : -1]:
            if ends[index][0] == name:
                self._push(name, ends.pop(index)[1])
                return True
        return False

    def _drop(self, name: str) -> None:
        """Leave out a macro or environment that expands for ever, here and from here on, and name it."""
        kind = "macro" if name.startswith("\\") else "environment"
        if name not in self.endless:
            self.note(Message(f"unread.{kind}", name=name))
        self.endless.add(name)
        if kind == "macro":
            self.macros.commands[name] = latex_macros.Macro(("",))
        else:
            self.macros.environments.pop(name, None)
        self.stream.leave_expansions()

    def _push(self, name: str, text: str) -> None:
        if self.stream.top.file:
            self.call, self.expanded_before_call = name, self.expanded
        self.expanded += len(text) + 1
        if self.expanded > (most := _MAX_EXPANDED + _MAX_GROWTH * (self.length + self.included)):
            raise DocumentError("macros_expand", most=most, macro=name, where=self.tree.main_file)
        if self.expanded - self.expanded_before_call > _MAX_OF_CALL:
            self.dropped_calls += 1
            if self.dropped_calls < _MAX_DROPPED_CALLS:
                self.expanded = self.expanded_before_call
            self._drop(self.call)
            return
        self.stream.push(text, self.stream.top.depth + 1)

    def read_separately(self, text: str, read: Callable[[], None]) -> None:
        """Read a text in a separate stream with the current definitions, then continue here."""
        if self.nesting >= _MAX_NESTING:
            return
        before, self.stream = self.stream, TokenStream(text, self.stream.top.depth + 1)
        self.nesting += 1
        read()
        self.nesting -= 1
        self.stream = before

    def _look_ahead(self, word: str) -> None:
        """Choose the branch of \\@ifnextchar or \\@ifstar by the sign behind it."""
        stream = self.stream
        sign = "*" if word == "@ifstar" else stream.argument()
        yes, no = stream.argument(), stream.argument()
        if sign and stream.peek() == sign:
            stream.top.position += word == "@ifstar"
            no = yes
        stream.push(no, stream.top.depth + 1)

    def skip(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Skip what a pattern matches at this position, and return it."""
        top = self.stream.top
        found = pattern.match(top.text, top.position)
        top.position = found.end() if found else top.position
        return found

    def _skip_assignment(self, word: str) -> None:
        """Skip \\headline={…}, \\setbox0=\\hbox{…}, \\textfont1=\\big and \\advance\\n by 1."""
        register = self.skip(_REGISTER) if word == "setbox" else None
        if word not in TOKEN_LISTS and not register:
            self.stream.argument()
        if self.stream.peek() == "=":
            self.stream.top.position += 1
        if word in _ARITHMETIC:
            self.skip(_BY)
            self.skip(_VALUE)
        elif word == "setbox":
            self.stream.command()
            self.skip(_BOX_SIZE)
        if word not in _ARITHMETIC and self.stream.peek() == "{":
            content = self.stream.group()
            if register and self.in_mathematics:
                content = _BOX.sub(lambda box: self.boxes.get(box[1], ""), content).strip().strip("$")
                self.boxes[register[1]] = content[:_MAX_BOX]

    def _skip_rule(self, word: str) -> None:
        """Skip a rule of TeX with its sizes; one in a formula that has none is a bar of it."""
        sizes = self.skip(_RULE_SIZES)
        if not (sizes and sizes[0]) and word == "vrule" and self.in_mathematics:
            self.stream.push("|", self.stream.top.depth + 1)

    # -- files --------------------------------------------------------------------------------------------------------
    def include_file(self, word: str) -> None:
        """Continue in another file of the same folder or archive; a missing or already open one is skipped."""
        stream = self.stream
        folder = stream.argument().strip() if word.endswith(("import", "from")) else ""
        if word == "loadglsentries":
            stream.optional()
        if stream.peek() == "{":
            name = stream.group().strip()
        else:
            name = (self.skip(_FILE_NAME) or ("", ""))[1]
        if word == "InputIfFileExists":
            stream.argument(), stream.argument()
        self._open(_COMMAND.sub(self._meaning, f"{folder}/{name}" if folder else name))

    def _meaning(self, command: re.Match[str]) -> str:
        """Return what a command in a name stands for, or the command."""
        macro = self.macros.commands.get(command[0].strip())
        return str(macro.parts[0]) if macro and len(macro.parts) == 1 and not macro.parameters else command[0]

    def read_drawing(self) -> None:
        """Read the words in a drawing within a line, such as a marked word, and nothing else of it."""
        self.stream.optional()
        drawing = self.stream.group() if self.stream.peek() == "{" else (self.skip(_DRAWING) or [""])[0]
        words = " ".join(node_texts(f"{drawing};"))
        self._push("\\tikz", rf"\text{{{words}}}" if words and self.in_mathematics else words)

    def carry_out_options(self, word: str) -> None:
        """Read the code of the options that a package or class executes, or is loaded with."""
        if word == "ExecuteOptions":
            options = self.stream.argument()
        else:
            self.stream.skip_star()
            options = self.options.get(posixpath.basename(self._current_file()), "")
        names = [rf"\ds@{option.strip()}" for option in options.split(",")]
        codes = [str(macro.parts[0]) for name in names if (macro := self.macros.commands.get(name)) and macro.parts]
        self._push(f"\\{word}", "".join(codes))

    def packages_used(self, options: str, names: list[str]) -> None:
        """React to \\usepackage[options]{names}."""

    def read_package(self, name: str) -> None:
        """Read the definitions of a package or class of the author's."""
        file = self.tree.find_package(name, self._current_file())
        if file and file.endswith(".cls") and self.tree.is_generated(file):
            return  # a publisher's class is for the page: it defines no notation, and much that TeX alone can follow
        if file:
            self._open(file)
        elif definitions := latex_macros.package_definitions().get(name[:-4]):
            self.stream.push(definitions, self.stream.top.depth)

    def _open(self, name: str) -> None:
        file = self.tree.find(name, self._current_file())
        if not file or file in self.stream.open_files():
            return
        text = self.tree.text(file)
        self.files += 1
        self.included += len(text)
        if self.files > _MAX_FILES or self.included > _MAX_INCLUDED:
            raise DocumentError("many_included", files=_MAX_FILES, most=_MAX_INCLUDED >> 20, where=self.tree.main_file)
        self.stream.push(text, 0, file)

    def _current_file(self) -> str:
        return next(reversed(self.stream.open_files()), self.tree.main_file)

    # -- conditionals -------------------------------------------------------------------------------------------------
    def read_conditional(self, word: str) -> None:
        """Read a conditional and skip the branch that does not apply. An unknown test counts as true."""
        if word in _BRACED_IFS:
            test = self.stream.argument().strip()
            holds = self._switch_of(test)
            if holds is None and _OF_PAGES.search(test):
                holds = True
            # In the text both branches are read where the source does not determine which: they are of two editions.
            if self.in_mathematics or holds is not None:
                holds = self._braced_condition_holds(word, test) if holds is None else holds
                branches = self.stream.argument(), self.stream.argument()
                self.stream.push(branches[not holds], self.stream.top.depth + 1)
            elif word == "ifstrequal":
                self.stream.argument()
        elif not self._condition_holds(word):
            self._skip_branch(to_else=True)

    def _switch_of(self, test: str) -> bool | None:
        """Return what the source has set a switch to that is the whole of a test, of ifthen or etoolbox; None for any other test."""
        found = _SWITCH.fullmatch(test)
        holds = self.macros.switches.get((found["bare"] or found["name"]).strip()) if found else None
        return None if holds is None or not found else holds != bool(found["not"])

    def _braced_condition_holds(self, word: str, test: str) -> bool:
        """Say whether the test of a conditional with its arguments in braces holds, as one does that the source does not determine."""
        if word == "ifstrequal":
            return test == self.stream.argument().strip()
        if word in ("ifstrempty", "ifblank"):
            return not test
        name = test if test.startswith("\\") else f"\\{test}"
        if word in ("ifdef", "ifcsdef", "ifundef", "ifcsundef"):
            return (name in self.macros.commands) == word.endswith("sdef" if "cs" in word else "fdef")
        if word == "ifdefempty":
            return name not in self.macros.commands or self.macros.commands[name].parts == ("",)
        found = _EQUAL.fullmatch(test) if word == "ifthenelse" else None
        return found is None or ((found["one"] or "").strip() == found["other"].strip()) != bool(found["not"])

    def _condition_holds(self, word: str) -> bool:
        stream, commands_ = self.stream, self.macros.commands
        if word == "iffalse" or word in _FALSE_IFS:
            return False
        if word == "ifmmode":
            return self.in_mathematics
        if word[2:] in self.macros.switches:
            return self.macros.switches[word[2:]]
        if word in ("ifx", "if", "ifcat"):
            one, other = _next_token(stream), _next_token(stream)
            macros = commands_.get(one), commands_.get(other)
            if "\\undefined" in (one, other) or "\\@undefined" in (one, other):
                return macros == (None, None)
            same = one == other or (None not in macros and macros[0] == macros[1])
            return same or {one, other} <= {"\\empty", "\\@empty", ""}
        if word == "ifdefined":
            return stream.command() in commands_
        if word == "ifcsname":
            return "\\" + stream.csname() in commands_
        pattern = {"ifnum": _NUMERIC, "ifdim": _LENGTHS, "ifodd": _ONE_NUMBER, "ifcase": _ONE_NUMBER}.get(word)
        if pattern is None:
            return True
        found = self.skip(pattern)
        if not found:
            return True
        if pattern is _NUMERIC and found["a"].lstrip("-").isdigit() and found["b"].lstrip("-").isdigit():
            a, b = int(found["a"]), int(found["b"])
            return a < b if found["sign"] == "<" else a > b if found["sign"] == ">" else a == b
        return word in ("ifodd", "ifcase")

    def _skip_branch(self, *, to_else: bool) -> None:
        """Skip to the \\fi of this conditional, or to its \\else; where there is none, nothing is skipped."""
        top = self.stream.top
        depth = 0
        if self.open_conditionals > _MAX_OPEN:
            return
        for found in _BRANCH.finditer(top.text, top.position):
            word = found["word"]
            if not word or self._is_braced(word, top.text, found.end()):
                continue
            if word == "fi":
                if not depth:
                    top.position = found.end()
                    return
                depth -= 1
            elif word in ("else", "or"):
                if to_else and not depth and word == "else":
                    top.position = found.end()
                    return
            else:
                depth += 1
        self.open_conditionals += 1

    def _is_braced(self, word: str, text: str, position: int) -> bool:
        """Tell whether a conditional is one with its branches in braces and without \\fi, as those of biblatex."""
        plain = word in _PLAIN_IFS or word[2:] in self.macros.switches or not word.startswith("if")
        return word in _BRACED_IFS or (not plain and bool(_GROUP.match(text, position)))

    def _set_switch(self, word: str) -> bool:
        """\\drafttrue, \\draftfalse of a \\newif."""
        for ending, value in (("true", True), ("false", False)):
            if word.endswith(ending) and word[: -len(ending)] in self.macros.switches:
                self.macros.switches[word[: -len(ending)]] = value
                return True
        return False


_ARITHMETIC = frozenset(["advance", "multiply", "divide", "textfont", "scriptfont", "scriptscriptfont"])
_BEGIN_DISPLAYS = DISPLAYED - {"math", "subalign"}
_BY = re.compile(r"\s*by(?![a-z])")
_BOX_SIZE = re.compile(r"\s*(?:to|spread)\s*[^{\n]{0,30}")
_IGNORED_COMMANDS = frozenset(
    "fi expandafter noexpand protect relax long global outer immediate leavevmode unskip ignorespaces begingroup endgroup bgroup egroup".split()
)


def _display_delimiter(name: str) -> str:
    """Return what begins or ends a display that is called by its command: `\\csname equation*\\endcsname`."""
    command, environment = ("end", name[3:]) if name.startswith("end") else ("begin", name)
    return f"\\{command}{{{environment}}}" if environment.rstrip("*") in DISPLAYED else ""


def _next_token(stream: TokenStream) -> str:
    """Return the next command or character, without going into groups."""
    return stream.command() if stream.peek() == "\\" else stream.argument()
