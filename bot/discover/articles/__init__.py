"""The defining formula of an encyclopaedia article, with reasons, or none.

article (what is there) → clues (why) → choose (which one) → languages (do an item's articles agree)
"""

from bot.discover.articles.languages import ArticleReading, article_readings
from bot.discover.articles.selection import DefiningFormula, defining_formula

__all__ = ["ArticleReading", "DefiningFormula", "article_readings", "defining_formula"]
