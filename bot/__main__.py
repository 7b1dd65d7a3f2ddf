"""`formula-bot`, which is also `python -m bot`."""

import signal


def main() -> None:
    """Run the command line; until it is there to answer them, Ctrl-C and SIGTERM wait."""
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    from bot.cli import main as run
    from bot.cli_common import restore_default_signals

    try:
        run()
    finally:
        restore_default_signals()  # Python closes what is left, and would print a traceback for a signal that comes meanwhile


if __name__ == "__main__":
    main()
