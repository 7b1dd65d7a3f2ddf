"""What an encyclopaedia's article is about, as a formula: the defining one of its many, with reasons, or none."""

from bot.discover.articles.choose import Defining, defining_formula

__all__ = ["Defining", "defining_formula"]
