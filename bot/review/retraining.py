"""The weights of matching, fitted anew to decisions: both sets, and what they say of items that the fit had not seen."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from bot.match.model import EvidenceModel, shipped
from bot.match.training import Quality, held_out, quality, train
from bot.messages import Message
from bot.review.judgements import Judgements

# How hard the shipped weights hold: that many decisions move one of them about halfway where they contradict it. They stand
# for about a thousand judged pairs, and a workspace's decisions are only of what was queued.
STRENGTH = 10.0


@dataclass(frozen=True, slots=True)
class Retrained:
    """The new models by name, and the quality of the weights in use and of the new ones on the same decisions."""

    models: Mapping[str, EvidenceModel]
    before: Quality
    after: Quality


def retrained(found: Judgements, in_use: EvidenceModel, builtin: bool) -> Retrained:
    """Fit both sets, each near its shipped weights; figures are of the set that is `in_use`, those after in folds by item."""
    accepted = [pair.accepted for pair in found.pairs]
    note = str(Message("told.weights_fitted", n=len(found.pairs), accepted=sum(accepted)))
    models, after = {}, None
    for name, uses_list in (("matching", True), ("matching_without_list", False)):
        made = train(found.pairs, shipped(name), strength=STRENGTH)
        models[name] = replace(made.model, note=note)
        if uses_list is builtin:
            after = quality(made.held_out, accepted)
    assert after is not None
    return Retrained(models, quality(held_out(found.pairs, in_use), accepted), after)
