"""Scheduled runs and what an operator asks of them: the run, its log and history, `status` and `doctor`."""
