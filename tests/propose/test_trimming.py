from __future__ import annotations

import pytest
from propose_records import TODAY, entry, settings, world

from bot.propose.build import build
from bot.propose.trimming import trimmed


@pytest.mark.parametrize(
    ("tex", "value"),
    [
        (r"v=\frac{s}{t}\quad\text{or}\quad s=vt", r"v=\frac{s}{t}"),
        (r"v=s/t,\text{so}\,ds=v\,dt", "v=s/t"),
        (r"v^2=2as\;(\text{constant}\,a)", "v^2=2as"),
        (r"\displaystyle v=\displaystyle\frac{s}{t_{}}", r"v=\frac{s}{t}"),
        (r"P(\text{head})=p", r"P(\text{head})=p"),  # no remark behind the formula
        (r"f=\begin{cases}a & \text{or}\\ b\end{cases}", r"f=\begin{cases}a & \text{or}\\ b\end{cases}"),
        (r"v=s/t\quad\text{for }t>0", r"v=s/t\quad\text{for }t>0"),  # a condition
        (r"x'=x-vt\quad\text{and}\quad t'=t", r"x'=x-vt\quad\text{and}\quad t'=t"),  # a second equation
        (r"a\;\text{or}\;b=c", r"a\;\text{or}\;b=c"),  # nothing is stated before
    ],
)
def test_what_an_editor_would_store_is_kept(tex: str, value: str) -> None:
    assert trimmed(tex) == value
    assert trimmed(value) == value


def test_the_trimmed_value_is_proposed_and_what_was_left_out_is_shown() -> None:
    tex = r"v = H_0 d\quad\text{or}\quad d = v/H_0"
    whole, cut = (build(entry(each), world(), settings(), TODAY).proposal for each in ("v = H_0 d", tex))
    assert whole
    assert cut
    assert cut.tex == whole.tex == "v = H_0 d"
    assert [c.state for p in (whole, cut) for c in p.checks if c.name == "value"] == ["ok", "warn"]
    assert any(tex in str(check) for check in cut.checks)
