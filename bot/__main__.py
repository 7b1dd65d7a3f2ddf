"""`formula-bot`, which is also `python -m bot`."""

import gc
import signal


def main() -> None:
    """Run the command line; until it is there to answer them, Ctrl-C and SIGTERM wait."""
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    from bot.cli import main as run
    from bot.cli_common import restore_default_signals

    try:
        run()
    finally:
        gc.freeze()  # at its end Python would look for cycles among all objects, half a second after a large corpus
        restore_default_signals()  # Python closes what is left, and would print a traceback for a signal that comes meanwhile


if __name__ == "__main__":
    main()
