"""The recogniser as a scikit-learn estimator: formulas in TeX in, names of concepts out, in pipelines and cross-validation."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from bot.match.builtin import builtin_formulas
from bot.match.retrieval.recognise import Recogniser
from bot.sequences import refuse_one_text


class FormulaRecogniser(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify formulas by the labelled formulas it was fitted on; learned: classes_, recogniser_.

    `abstain` is answered where no class is likely enough to be accepted, "" for none: then the likeliest class always is. A formula that cannot be read, or is like none,
    gets `abstain`, or the most frequent class. `builtin` adds what the built-in list writes for a class that is a QID of its own.
    """

    def __init__(self, abstain: str = "", builtin: bool = False) -> None:
        self.abstain = abstain
        self.builtin = builtin

    def fit(self, formulas: Sequence[str], labels: Sequence[str]) -> Self:
        """Index the formulas by their labels. Raises ValueError where their numbers differ or are zero."""
        refuse_one_text(formulas, "formulas")
        if len(formulas) != len(labels) or not len(formulas):
            raise ValueError(f"{len(formulas)} formulas and {len(labels)} labels")
        by_label: dict[str, list[str]] = defaultdict(list)
        alike = np.array([*labels])  # all of one type
        for tex, label in zip(formulas, alike, strict=True):
            by_label[str(label)].append(str(tex))
        self.classes_ = np.unique([*alike, *([self.abstain] if self.abstain else [])])
        self._commonest = max(sorted(by_label), key=lambda label: len(by_label[label]))
        rows = [{"qid": label, "label": label, "formulas": own} for label, own in by_label.items()]
        self.recogniser_ = Recogniser(rows, book=builtin_formulas() if self.builtin else {})  # type: ignore[arg-type]
        return self

    def predict(self, formulas: Sequence[str]) -> NDArray[Any]:
        """Return a label for each formula."""
        check_is_fitted(self, "recogniser_")
        refuse_one_text(formulas, "formulas")
        accept = self.recogniser_.ranker.accept if self.abstain else 0.0
        found = self.recogniser_.all_hits(list(map(str, formulas)), 1)
        unknown = self.abstain or self._commonest
        labels = [hits[0].qid if hits and hits[0].probability >= accept else unknown for hits in found]
        column_of = self._column_of()
        return self.classes_[[column_of[label] for label in labels]]

    def predict_proba(self, formulas: Sequence[str]) -> NDArray[np.float64]:
        """Return (formulas, classes): how likely each class is meant. What is left to one is that of `abstain`, or is shared out among all classes."""
        check_is_fitted(self, "recogniser_")
        refuse_one_text(formulas, "formulas")
        column_of = self._column_of()
        out = np.zeros((len(formulas), len(column_of)))
        for row, hits in zip(out, self.recogniser_.all_hits(list(map(str, formulas)), len(column_of)), strict=True):
            for hit in hits:
                row[column_of[hit.qid]] = hit.probability
            row /= max(row.sum(), 1.0)
            left = 1.0 - row.sum()
            if self.abstain:
                row[column_of[self.abstain]] += left
            else:
                row += left / len(column_of)
        return out

    def _column_of(self) -> dict[str, int]:
        """Return label, as a text -> its place in `classes_`."""
        return {str(label): n for n, label in enumerate(self.classes_)}
