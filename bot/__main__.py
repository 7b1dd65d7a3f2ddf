"""`formula-bot`, which is also `python -m bot`."""

import signal


def main() -> None:
    """Run the command line; until it is there to answer them, Ctrl-C and SIGTERM wait."""
    signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
    from bot.cli import main as run

    run()


if __name__ == "__main__":
    main()
