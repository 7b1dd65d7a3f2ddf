"""A small Wikibase to rehearse on: Action API, entity data and SPARQL on loopback. It is no Wikidata."""

from bot.sandbox.accounts import BOT_PASSWORD, BOT_PASSWORD_NAME, BOT_USER
from bot.sandbox.open_wiki import open_world, serve
from bot.sandbox.wiki_server import Sandbox

__all__ = ["BOT_PASSWORD", "BOT_PASSWORD_NAME", "BOT_USER", "Sandbox", "open_world", "serve"]
