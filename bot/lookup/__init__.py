"""Reading Wikidata (or another Wikibase): SPARQL, entity JSON, cache, manners. Names and QIDs in, Items out.

The only package that imports SPARQLWrapper. A request that fails raises LookupFailed; it is never an empty answer.
"""

from bot.lookup.articles import FetchedArticle
from bot.lookup.client import Cached, Client
from bot.lookup.values import MathVerdict

__all__ = ["Cached", "Client", "FetchedArticle", "MathVerdict"]
