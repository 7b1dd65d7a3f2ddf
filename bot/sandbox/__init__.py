"""A small Wikibase to rehearse on: Action API, entity data and SPARQL on loopback. It is not Wikidata."""

from bot.sandbox.accounts import BOT_PASSWORD, BOT_PASSWORD_NAME, BOT_USER
from bot.sandbox.wiki_server import Sandbox
from bot.sandbox.workspace_wiki import open_wiki, serve

__all__ = ["BOT_PASSWORD", "BOT_PASSWORD_NAME", "BOT_USER", "Sandbox", "open_wiki", "serve"]
