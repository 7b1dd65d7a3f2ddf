"""Reading Wikidata (or another Wikibase): SPARQL, entity JSON, cache, request policy. Names and QIDs in, Items out.

The only package that imports SPARQLWrapper. A request that fails raises LookupFailed; it is never an empty answer.
"""

from bot.lookup.article_client import FetchedArticle
from bot.lookup.client import CacheUse, Client
from bot.lookup.queries import MathVerdict

__all__ = ["CacheUse", "Client", "FetchedArticle", "MathVerdict"]
