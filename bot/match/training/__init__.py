"""Fitting the weights of matching: judged pairs in, calibrated weights out, measured on items that no fit has seen."""

from bot.match.training.fitting import FittedModel, JudgedPair, Rediscovered, held_out, train
from bot.match.training.quality import Quality, curve, quality

__all__ = [
    "FittedModel",
    "JudgedPair",
    "Quality",
    "Rediscovered",
    "curve",
    "held_out",
    "quality",
    "train",
]
