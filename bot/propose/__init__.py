"""Proposing: ItemMatch + Item -> Proposal in the queue, and the dry-run report. Nothing here decides or writes.

Matches are merged into one entry for each item and canonical formula, compared with what the item says, given their
sources, checked, and saved under an id and a hash that are made from their content.
"""
