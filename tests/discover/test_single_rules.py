"""Single rules of discovery by their values: what a bare window gives, how wide a name is, what is numeric, how a search by name scores."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from bot import store
from bot.discover.candidate_filters import _is_bound, _is_combination, _states_opposite, is_numeric
from bot.discover.corpus_gaps import missing_corpus_data
from bot.discover.cues.cue_language import article_language
from bot.discover.cues.letters import spell_title_letters, spoken_letter
from bot.discover.cues.mentions import mentions
from bot.discover.cues.prose import _bare, _bare_kind, _ratio, _spelt_out, _symbol_named
from bot.discover.label_scope import name_scope
from bot.discover.name_search import _ConceptFormulas, _score
from bot.formula.alignment.equivalence_evidence import NoPriorKnowledge
from bot.messages import Message
from bot.records import UNKNOWN_LANGUAGE, FormulaConcept, NameCandidate, NameHint, Occurrence, Representation
from bot.settings import Settings
from bot.store import Workspace

EN = article_language("en")


# -- names in prose ------------------------------------------------------------------------------------------------------------
def test_runs_of_up_to_three_words_of_a_bare_window_may_be_names() -> None:
    assert dict(_bare("heat equation state gas. kinetic energy")) == {
        "kinetic": "close", "kinetic energy": "close_quantity", "energy": "close", "heat": "near", "heat equation": "near_law",
        "heat equation state": "close_pair_long", "equation": "near", "equation state": "close_law", "equation state gas": "close_law",
        "state": "close", "state gas": "close_pair", "gas": "close",
    }  # fmt: skip
    assert list(dict(_bare("heat equation. kinetic energy")))[:3] == ["kinetic", "kinetic energy", "energy"]


@pytest.mark.parametrize(
    ("run", "kind"),
    [
        ("equation", ""),
        ("following equation", ""),
        ("equation state", "_law"),
        ("heat equation", "_law"),
        ("kinetic energy", "_quantity"),
        ("mean kinetic energy", "_quantity_long"),
        ("red ball", "_pair"),
        ("red big ball", "_pair_long"),
    ],
)
def test_what_a_run_of_bare_words_is_headed_like(run: str, kind: str) -> None:
    assert _bare_kind(run.split()) == kind


def test_a_ratio_is_of_two_things_and_a_quantity_in_the_plural() -> None:
    name = "proton to electron mass ratio"
    assert _ratio("ratio proton electron masses".split()) == name
    assert _ratio("the ratio proton electron masses here".split()) == name
    assert _ratio("ratio proton electron mass".split()) == ""
    assert _ratio("ratio proton masses".split()) == ""


def test_how_running_text_spells_a_symbol() -> None:
    spelt = {
        "P": "P",
        "KE": "KE",
        "v_avg": "vavg",
        "α": "α",
        "v_averag": "vaverag",
        "v_average": "",
        "Ke": "",
        "v_α": "",
        "12": "",
    }
    assert {symbol: _spelt_out(symbol) for symbol in spelt} == spelt


@pytest.mark.parametrize(
    ("text", "symbol", "found"),
    [
        ("The power, P, of a lens is", "P", [("power", "apposition")]),
        ("The flow rate Q is measured", "Q", [("flow rate", "apposition"), ("rate", "apposition_part")]),
        ("the kinetic energy (KE) is", "KE", [("kinetic energy", "apposition"), ("energy", "apposition_part")]),
        ("the flow rate ⟦1⟧ is", "Q", [("flow rate", "apposition"), ("rate", "apposition_part")]),
        ("the flow rate ⟦2⟧ is", "Q", []),  # another symbol
        ("⟦1⟧ is called the flow rate here", "Q", [("flow rate", "symbol_called")]),
        ("the speed vavg, then", "v_avg", [("speed", "apposition")]),
        ("the speed Qs", "Q", []),
        ("The power, P, of a lens is", "", []),
    ],
)
def test_what_the_words_beside_its_left_side_call_it(text: str, symbol: str, found: list[tuple[str, str]]) -> None:
    assert list(_symbol_named(text, symbol, {1: "Q", 2: "R"}, EN)) == found


def test_a_mention_stands_where_the_name_is_nearest() -> None:
    window = "The heat law is old. This is the heat law and ⟦1⟧ holds beside ⟦0⟧. Preheat laws, heat law9 and again the heat law end it."
    (found,) = mentions(Occurrence("d", 0, "a=b", True, window, cues=(NameHint("called", "heat law"),)))
    assert (found.name, found.kind, found.words, found.formulas) == ("heat law", "called", 3, 1)
    assert found.sentence.startswith("This is the heat law")
    assert found.nearness == pytest.approx(2.718281828 ** (-3 / 8) * 0.6)
    assert found.confidence > 0.3
    (behind,) = mentions(
        Occurrence("d", 0, "a=b", True, "⟦0⟧ is the heat\n law.", cues=(NameHint("called", "heat law"),))
    )
    assert (behind.words, behind.formulas) == (2, 0)
    parts_only = Occurrence("d", 0, "a=b", True, "⟦0⟧ is the preheat law.", cues=(NameHint("called", "heat law"),))
    assert list(mentions(parts_only)) == []


def test_letters_are_spoken_as_words() -> None:
    words = {r"\gamma": "gamma", r"\chi^2": "chi-squared", "L^p": "Lp", "L^{p}": "Lp", "x^2": "x-squared", "n^3": "n3", "σ": "sigma", "ab": "", r"\sum": ""}  # fmt: skip
    assert {tex: spoken_letter(tex, "squared") for tex in words} == words
    assert spoken_letter(r"\chi^2", "") == ""
    assert spell_title_letters(r"The \chi^2 distribution", EN) == "The chi-squared distribution"
    assert spell_title_letters("L^p spaces", EN) == "Lp spaces"
    assert spell_title_letters(r"\sum of all", EN) == r"\sum of all"


@pytest.mark.parametrize(
    ("name", "label", "width"),
    [
        ("torque", "torque", "same"),
        ("forces", "force", "same"),
        ("density d", "density", "same"),
        ("torque vector", "torque", "general"),
        ("the velocity", "velocity", "general"),
        ("density of a substance", "density", "general"),
        ("magnitude of the force", "force", "general"),
        ("instantaneous velocity of an object", "velocity", "general"),
        ("average velocity", "velocity", "narrow"),
        ("period of a pendulum", "period", "narrow"),
        ("velocity of sound", "velocity", "narrow"),
        ("force per area", "force", "narrow"),
        ("energy density", "energy", ""),
        ("rate of change of velocity", "velocity", ""),
        ("velocity-dependent", "velocity", ""),
        ("velocity's", "velocity", ""),
        ("reinforce", "force", ""),
        ("work done", "work", ""),
        ("of", "of", ""),
    ],
)
def test_how_wide_a_name_is_beside_a_label(name: str, label: str, width: str) -> None:
    assert name_scope(name, label) == width


# -- what can be a concept -------------------------------------------------------------------------------------------------------
NUMERIC = {
    "v=3": True, "F=2a": False, r"v=\frac{1}{2}gt^2": False, "F=(2.0)(9.8)": True, "F=(2.0)(9.8)=19.6": True, "x=0": False, "a+b=0": False,
    "1.2a+2.5b=0": True, r"\sin^2t+\cos^2t=1": False, r"\cos t=1": True, r"E_n=-\frac{13.6\,\text{eV}}{n^2}": False, r"\Delta H=EA=-328.2": True,
    r"E=\text{5 kJ}": True, "v=20.5t": True, "v=2t": False, "v=25t+1.5": True, r"\nabla\cdot B=0": False, "x=5,n=1,2,3": True,
    r"\lambda=\frac{h}{p},n=1,2,3": False, r"a=\text{x}=5.5": True, "x^{2.5}=y": False,
}  # fmt: skip


def test_numbers_that_were_put_in_for_symbols() -> None:
    assert {tex: is_numeric(tex) for tex in NUMERIC} == NUMERIC


def test_bounds_of_symbols_and_words_put_together() -> None:
    bounds = {"0<t<1": True, "x>0": True, "|x|<1": True, "1.5<2.5": True, "x_1<x_2": True, r"E\geq mc^2": False, r"\Delta x\Delta p\geq\frac{\hbar}{2}": False}  # fmt: skip
    assert {tex: _is_bound(tex) for tex in bounds} == bounds
    together = {
        r"\text{distance}/\text{time}": True, r"\text{distance}": False, r"\frac{d_i d_o}{d_i+d_o}": True, "d": False, r"[\text{A}][\text{B}]": True,
        r"5\text{time}/2": False, r"\text{abc}/d_x": True, r"\text{abc}/2": False,
    }  # fmt: skip
    assert {tex: _is_combination(tex) for tex in together} == together
    turned = {("F_{AB}", "-F_{BA}"): True, ("F_{12}", "-F_{21}"): True, ("F_{AB}", "F_{AB}"): False, ("F_{AB}", "-G_{BA}"): False, ("F_{AB}", "-F_{BC}"): False, (r"p_{\rm vac}", r"-\rho_{\rm vac}"): True, (r"p_\Lambda", r"-\rho_\Lambda"): True, ("T_e", "T_i"): False, ("T_e", "S_e"): False, ("a_y", "-g"): False}  # fmt: skip
    assert {sides: _states_opposite(*sides) for sides in turned} == turned


# -- search by name ----------------------------------------------------------------------------------------------------------------
def concept(tex: str, *names: tuple[str, float], spelt: tuple[tuple[str, str], ...] = ()) -> FormulaConcept:
    candidates = tuple(NameCandidate(*each) for each in names)
    return FormulaConcept(
        "k", tex, 1, 1, names=candidates, representations=tuple(Representation(*each) for each in spelt)
    )


def test_a_formula_is_as_near_to_the_concept_s_as_its_strictest_spelling() -> None:
    known = _ConceptFormulas(["E=mc^2", r"F=G\frac{m_1m_2}{r^2}"], NoPriorKnowledge())
    levels = {
        "E=mc^2": "K0",
        "E = m c^{2}": "K1",
        "E_0=mc^2": "K3",
        r"m=\frac{E}{c^2}": "K4",
        "e=mc^2": "K5",
        r"a=b\frac{c_1c_2}{d^2}": "",
        "x": "",
    }
    assert {tex: known.level(concept(tex)) for tex in levels} == levels
    assert known.near(r"F=G\frac{Mm}{r^2}") == [r"F=G\frac{m_1m_2}{r^2}"]
    assert known.near("E=mv") == ["E=mc^2"]
    assert known.near("E=hf") == []
    # Only spellings that a looser level brought together are looked at beside the first.
    spelt = (("E=mc^2", "K3"),)
    assert known.level(concept(r"m=\frac{E}{c^2}", spelt=spelt)) == "K0"
    assert known.level(concept(r"m=\frac{E}{c^2}", spelt=(("E=mc^2", "K2"),))) == "K4"
    assert _ConceptFormulas([], NoPriorKnowledge()).level(concept("E=mc^2")) == ""


@pytest.mark.parametrize(
    ("names", "level", "score"),
    [
        ([("energy", 0.8)], "", 0.8),
        ([("kinetic energy", 0.8)], "", 0.4),
        ([("energies", 0.8)], "", 0.8),
        ([("energy", 0.5), ("kinetic energy", 0.9)], "", 0.5),
        ([("energy", 0.4), ("kinetic energy", 0.9)], "", 0.45),
        ([("synergy", 0.9)], "", 0.0),
        ([], "K0", 0.6),
        ([], "K4", 0.36),
        ([], "K6", 0.06),
        ([("energy", 0.5)], "K2", 0.785),
    ],
)
def test_the_score_is_the_best_name_s_and_an_equal_formula_closes_the_gap(
    names: list[tuple[str, float]], level: str, score: float
) -> None:
    assert _score(concept("x=y", *names), {"energy"}, level) == score


# -- what a corpus lacks -------------------------------------------------------------------------------------------------------------
def fill(workspace: Workspace, languages: list[str], formulas: list[int], names: list[list[float]]) -> None:
    with workspace.engine.begin() as db:
        for n, language in enumerate(languages):
            db.execute(store.documents.insert().values(id=f"d{n}", language=language))
        for n, number in enumerate(formulas):
            db.execute(store.sources.insert().values(path=f"s{n}", formulas=number, notes=[]))
        for n, scores in enumerate(names):
            rows = [{"name": "x", "score": score} for score in scores]
            db.execute(store.concepts.insert().values(key=f"k{n}", documents=n, names=rows))
    assert workspace.engine.connect().scalar(sa.select(sa.func.count()).select_from(store.concepts)) == len(names)


def test_without_formulas_nothing_else_is_said(workspace: Workspace) -> None:
    assert missing_corpus_data(workspace, Settings()) == (Message("gap.formulas", n=0),)
    fill(workspace, ["en", "de"], [0], [])
    assert missing_corpus_data(workspace, Settings(), 0) == (Message("gap.formulas", n=2),)


def test_a_corpus_with_everything_lacks_nothing(workspace: Workspace) -> None:
    fill(workspace, ["en", "en-GB"], [3, 4], [[], [0.1], [0.95, 0.1]])
    assert missing_corpus_data(workspace, Settings()) == ()
    assert missing_corpus_data(workspace, Settings(), 7) == ()
    assert missing_corpus_data(workspace, Settings(), 0) == (Message("gap.sources"),)


def test_what_a_corpus_lacks_is_named_in_the_order_of_the_data(workspace: Workspace) -> None:
    rules = Settings().discovery
    fill(workspace, [UNKNOWN_LANGUAGE], [5], [])
    assert missing_corpus_data(workspace, Settings()) == (
        Message("gap.one_document"),
        Message("gap.foreign", n=1, m=1, languages="not declared 1"),
        Message("gap.concepts", m=5, n=rules.min_documents, shortest=rules.min_length, longest=rules.max_length),
    )


def test_concepts_without_a_good_name_and_documents_in_other_languages(workspace: Workspace) -> None:
    fill(workspace, ["en", "it", "de", "it", "fr", "pl", ""], [5], [[0.1], []])
    assert missing_corpus_data(workspace, Settings()) == (
        Message("gap.foreign", n=7, m=3, languages="it 2, pl 1"),
        Message("gap.names", m=2),
    )
