"""What a wiki's math language (texvc) knows, from texvc_macros.toml: the macros by the arguments they take."""

import tomllib
from importlib import resources

_FILE = tomllib.loads(resources.files(__package__).joinpath("texvc_macros.toml").read_text(encoding="utf-8"))
_SETS = {name: frozenset(words.split()) for name, words in _FILE.items() if isinstance(words, str)}

ONE_ARGUMENT, TWO_ARGUMENTS, OPTIONAL = _SETS["one_argument"], _SETS["two_arguments"], _SETS["optional"]
INFIX, DECLARATIONS, BOXES, BIG = _SETS["infix"], _SETS["declarations"], _SETS["boxes"], _SETS["big"]
DELIMITERS, ENVIRONMENTS = _SETS["delimiters"], _SETS["environments"]
NO_ARGUMENT = frozenset(" ".join(_FILE["no_argument"].values()).split())

# Control symbols that are a sign or a space by themselves, and those that are delimiters.
ESCAPED = frozenset(", ;!_#%$&")
ESCAPED_DELIMITERS = frozenset("{}|")

KNOWN = NO_ARGUMENT.union(*(words for name, words in _SETS.items() if name != "environments"))
