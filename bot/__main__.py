"""`python -m bot` is `formula-bot`."""

from bot.cli import main

main()
