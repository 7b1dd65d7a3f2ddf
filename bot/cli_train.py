"""`formula-bot train`: the weights of matching, refitted to a workspace's decisions and kept there."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from bot.cli_common import in_workspace, json_option
from bot.console import localised, print_message, table, write_json
from bot.errors import InputError
from bot.messages import Message

if TYPE_CHECKING:
    from bot.match.training import Quality
    from bot.review.judgements import Judgements
    from bot.settings import Settings
    from bot.store import Workspace
    from bot.wikibase import Json

ENOUGH = 200  # decisions: with fewer, folds by item hold too few rejections to tell a better fit from chance


@click.command()
@in_workspace
@click.option("--yes", is_flag=True, help="Keep the new weights without confirmation.")
@click.option("--reset", is_flag=True, help="Delete the workspace's weights and use the shipped ones again.")
@json_option
def train(opened: Workspace, settings: Settings, yes: bool, reset: bool, as_json: bool) -> None:
    """Refit the weights of matching to the decisions.

    It needs at least 200 decisions in the workspace, approvals and rejections. Edits that were undone, or that others
    removed, deprecated or corrected, count as rejections. Prints the quality before and after, measured on items that the
    fit did not use, and asks whether to keep the new weights. With --json or without a terminal they are kept only with --yes. They are stored in
    W/models and used from the next `match` on.

    \b
    formula-bot train --workspace w
    formula-bot train --workspace w --yes --json
    """
    from bot.match.model import MODELS_FILE, save_models

    with opened.lock("train"):
        if reset:
            path = opened.models / MODELS_FILE
            existed = path.exists()
            path.unlink(missing_ok=True)
            write_json({"reset": existed}) if as_json else print_message(
                "weights_shipped" if existed else "weights_none"
            )
            return
        from bot.match.stage import matching_model
        from bot.review.judgements import judgements, retrain

        found = judgements(opened)
        if len(found.pairs) < ENOUGH:
            raise InputError(
                "few_decisions", n=len(found.pairs), where=str(opened.path), todo="train_from", count=ENOUGH
            )
        if not found.rejections or found.rejections == len(found.pairs):
            missing_verdict = "approved" if not found.rejections else "rejected"
            raise InputError(
                "decisions_alike", n=len(found.pairs), kind=missing_verdict, where=str(opened.path), todo="decide_more"
            )
        result = retrain(found, matching_model(opened, settings), settings.matching.builtin)
        if not as_json:
            _show(result.before, result.after, found)
        keep = yes or (
            not as_json and sys.stdin.isatty() and click.confirm(localised(Message("question.keep_weights")))
        )
        if keep:
            save_models(opened.models, result.models)
    if as_json:
        write_json(
            {"before": _figures(result.before), "after": _figures(result.after), "kept": keep}
            | {"decisions": len(found.pairs)}
            | {name: getattr(found, name) for name in ("rejections", "undone", "removed", "stood", "left_out")}
        )
    else:
        print_message("weights_kept" if keep else "weights_not_kept")


def _show(before: Quality, after: Quality, found: Judgements) -> None:
    rows = [
        (name.replace("_", " "), was, is_)
        for (name, was), is_ in zip(_figures(before).items(), _figures(after).values(), strict=True)
    ]
    title = Message("table.decisions", n=before.judged, accepted=before.accepted)
    table(title, ("figure", "before", "after"), rows)
    print_message("train_undone", undone=found.undone, removed=found.removed)
    print_message("train_stood", stood=found.stood, left_out=found.left_out)


def _figures(found: Quality) -> Json:
    figures: Json = {"calibration_error": found.calibration_error, "log_loss": found.log_loss}
    for low, _, number_judged in found.accepted_from:
        share = found.share(low)
        figures[f"precision_at_{low:.0%}".rstrip("%")] = None if share is None else round(share, 4)
        figures[f"judged_at_{low:.0%}".rstrip("%")] = number_judged
    return figures
