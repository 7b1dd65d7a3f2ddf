"""A small corpus of wikitext articles, written here."""

from __future__ import annotations

from pathlib import Path

import pytest

ARTICLES = {
    "Momentum.txt": """'''Momentum''' is the product of the mass and the velocity of a body.
It is defined as
:<math>\\mathbf{p} = m \\mathbf{v}</math>
where <math>m</math> is the mass and <math>\\mathbf{v}</math> is the velocity.

== Force ==
Newton's second law states that
:<math>F = \\frac{dp}{dt}</math>
This is known as Newton's second law. With numbers, <math>F = 3.5 \\cdot 12.1 = 42.35</math>.
""",
    "Force.txt": """A '''force''' changes the momentum of a body.
By Newton's second law,
:<math>F = \\frac{dp}{dt}.</math>
The momentum <math>p</math> is
:<math>p = mv</math>

We write <math>x = x(t)</math> for the position.
""",
    "Hooke's law.txt": """'''Hooke's law''' says how a spring pulls back:
:<math>F_s = -k x</math>
where <math>k</math> is the spring constant. The potential energy is given by
:<math>U = \\tfrac{1}{2} k x^2</math>
""",
}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "articles"
    folder.mkdir()
    for name, text in ARTICLES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder
