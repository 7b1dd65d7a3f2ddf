"""Articles of the encyclopaedia about items, only about possible matches, the most likely first."""

from collections.abc import Callable, Mapping

from bot.corpus import list_sources
from bot.discover.articles import ArticleReading, article_readings
from bot.errors import LookupFailed
from bot.lookup import Client
from bot.settings import Encyclopaedia


def check_encyclopaedia(client: Client, settings: Encyclopaedia) -> None:
    """Raise InputError or SettingsError for languages, addresses or dumps that cannot be used, before anything is judged."""
    client.articles.check(settings.languages)
    if settings.languages and settings.dumps:
        list_sources(settings.dumps)


def articles_of_likely(
    best: Mapping[str, float],
    client: Client,
    settings: Encyclopaedia,
    on_failure: Callable[[LookupFailed], None],
    listed_formulas: Callable[[str], tuple[str, ...] | None],
) -> Mapping[str, tuple[ArticleReading, ...]]:
    """Return the readings of the articles of likely items; `best` is the probability of each item's likeliest formula.

    What does not answer is told to `on_failure`: its articles are not known, which is not evidence either way.
    """
    try:
        return article_readings(
            client, likely_items(best, settings), settings.languages, settings.dumps, on_failure, listed_formulas
        )
    except LookupFailed as error:  # which articles the items have is not known
        on_failure(error)
        return {}


def likely_items(best: Mapping[str, float], settings: Encyclopaedia) -> list[str]:
    """Return the items whose articles are worth looking at, the likeliest first."""
    found = sorted((qid for qid in best if best[qid] >= settings.least), key=lambda qid: (-best[qid], qid))
    return found[: settings.most_items]
