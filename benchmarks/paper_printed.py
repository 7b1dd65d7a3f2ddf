"""What the paper prints in its tables and text, and what a strict reading of the authors' own data leaves of it."""

from __future__ import annotations

# Source: MRR, Top10 Recall, Top1 Recall (table "FCR as Formula Concept Search problem").
SEARCH = {
    "arXiv LaTeX": (0.70, 0.48, 0.27),
    "arXiv constituents": (0.71, 0.11, 0.07),
    "Wikidata LaTeX": (0.75, 0.68, 0.44),
    "Wikidata constituents": (0.54, 0.17, 0.05),
    "Wikipedia LaTeX": (0.78, 0.74, 0.48),
    "Wikipedia constituents": (0.66, 0.40, 0.21),
    "Approach0": (0.64, 0.44, 0.21),
    "Google": (0.63, 0.55, 0.26),
}
# Of the 68 hits counted for Wikidata LaTeX 45 hold: top-1, top-10, MRR@10.
SEARCH_STRICT = {"Wikidata LaTeX": (0.29, 0.52, 0.36)}

# Encoding: {classes: (accuracy, purity)}. The table heads its second and third column the wrong way round: what it calls Content Doc2Vec
# are the figures of Semantics TF-IDF. Here they stand under the encoding they belong to.
SEPARATION = {
    "content TF-IDF": {3: (0.93, 0.91), 4: (0.93, 0.88), 5: (0.93, 0.86), 6: (0.92, 0.83), 7: (0.92, 0.80), 8: (0.92, 0.79), 9: (0.92, 0.78), 10: (0.91, 0.77)},
    "semantics TF-IDF": {3: (0.95, 0.94), 4: (0.95, 0.92), 5: (0.96, 0.89), 6: (0.96, 0.87), 7: (0.96, 0.85), 8: (0.95, 0.84), 9: (0.94, 0.83), 10: (0.94, 0.83)},
    "content Doc2Vec": {3: (0.88, 0.87), 4: (0.86, 0.84), 5: (0.84, 0.80), 6: (0.83, 0.77), 7: (0.82, 0.75), 8: (0.80, 0.74), 9: (0.81, 0.72), 10: (0.79, 0.67)},
    "semantics Doc2Vec": {3: (0.86, 0.84), 4: (0.81, 0.79), 5: (0.79, 0.76), 6: (0.76, 0.72), 7: (0.76, 0.69), 8: (0.73, 0.68), 9: (0.71, 0.67), 10: (0.73, 0.60)},
}  # fmt: skip
# Ten classes, measured strictly on the same data: accuracy of Doc2Vec fed with words instead of characters; and the best known figures from
# TeX alone (accuracy, standard purity, adjusted Rand index).
ACCURACY_STRICT = {"content TF-IDF": 0.91, "content Doc2Vec": 0.90, "semantics Doc2Vec": 0.93}
BEST_KNOWN = {"accuracy": 0.96, "purity": 0.82, "ari": 0.67}

# Thirty examples of three classes, two principal components: mean distance of the clusters' centroids.
CENTROIDS = {"content TF-IDF": 0.57, "content Doc2Vec": 0.81, "semantics TF-IDF": 0.73, "semantics Doc2Vec": 0.11}
# Of the thirty, the share that fuzzy matching puts into its class by the highest sum of similarities.
FUZZY_OF_THIRTY = 0.93

# -- Formula Concept Discovery ----------------------------------------------------------------------------------------------
# Fifty samples: equivalents that were found, samples with any, names, items; the share that each encoding finds.
EQUIVALENTS, WITH_ANY, NAMED, WITH_ITEM = 163, 34, 36, 41
ENCODING_SHARES = {"math2vec": 0.71, "math tf-idf": 0.04, "semantics2vec": 0.11, "semantics tf-idf": 0.15}
# Coverage of the first fifty by name candidates, by the characters on each side of the formula.
COVERAGE = {500: 1.0, 400: 1.0, 300: 1.0, 200: 0.17, 100: 0.11}
# Method 3, the first formulas of up to five language versions: other representations among them, of how many versions, and formulas with any.
LANGUAGES = (53, 155), (19, 32)
# The last column of its table, row by row; - where the paper has none.
LANGUAGE_ROWS = (
    "3/5 4/5 0/5 0/5 0/5 - 2/5 - 4/5 4/5 1/5 0/5 1/5 4/5 0/5 0/5 - - - 0/5 0/5 0/5 1/5 1/5 4/5 4/5 - 0/5 2/5 - - 3/5 - 2/5 - 0/5 4/5 - - - 2/5"
    " - - - 4/5 - - 0/5 0/5 3/5"
).split()

# What is printed and not repeated here, and why: part of the paper, what, value, reason.
NOT_REPEATED = (
    ("discovery", "formulas of the NTCIR arXiv data searched for duplicates", "60 million in 105,120 sections", "the collection is given out on request only; the 3,495 formulas of the authors' subset are used"),
    ("discovery", "coverage at ±500 to ±100 characters on the authors' own pages", "1 1 1 .17 .11", "the pages are not released: repeated on other LaTeXML pages"),
    ("discovery", "first formulas of 50 articles in five languages", "53/155, 19/32", "the articles as they were in 2018 are not released: the printed table is added up"),
    ("recognition 1, search", "top 1 and top 10 as the authors judged their ten results", "eight sources", "the result lists are not released, only the ranks: MRR of all is computed from these"),
    ("recognition 1, search", "Google and Approach0", ".26/.55, .21/.44", "services whose answers have changed since"),
    ("recognition 2, classes", "all choices of three to ten classes", "252 choices of five", "a fixed sample of 16 choices (4 for Doc2Vec) for the time; its deviation is printed"),
    ("recognition 3, similarity", "map of unlabelled random equations beside the labelled ones", "a figure", "which equations were drawn is not released"),
    ("recognition 3, similarity", "numbers of common items of two equations, as a matrix", "a figure", "semantics fuzzy and TF-IDF show the same likeness"),
)  # fmt: skip
KMEANS_OF_THIRTY, RANDOM_OF_THIRTY = 29, 8
