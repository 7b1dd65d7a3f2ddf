"""What the built-in list and the table of symbols tell discover."""

from bot import store
from bot.match.builtin.workspace_formulas import knowledge_version
from bot.match.knowledge import LIKELY, Knowledge
from bot.result_cache import ResultCache
from bot.settings import Matching, Settings
from bot.store import Workspace


def test_the_built_in_list_calls_a_formula_by_its_label() -> None:
    hubble, nothing = Knowledge().names([r"H(t)=\dot{a}/a", r"x_{17}+q=\zeta_{3}"], ResultCache())
    assert hubble[0].name == "Hubble's law"
    assert hubble[0].probability > 0.9
    assert "Q179916" in str(hubble[0].reason)
    assert all(one.probability >= LIKELY for one in nothing)


def test_a_quantity_with_other_symbols_than_the_left_side_is_unusual() -> None:
    asked = Knowledge().is_name_unusual
    assert asked("energy density", r"\Omega=\rho/\rho_{c}")
    assert not asked("energy density", r"u=E/V")
    assert not asked("density parameter", r"\Omega=\rho/\rho_{c}")  # no symbols are known for it
    assert not asked("energy density", r"a+b=c")  # nothing stands alone on the left


def test_its_version_changes_with_what_the_workspace_knows_and_the_list_has_none(workspace: Workspace) -> None:
    assert Knowledge().version() is None
    before = Knowledge.of(workspace, Settings()).version()
    assert before == knowledge_version(workspace, Settings())
    assert before != Knowledge.of(workspace, Settings(matching=Matching(builtin=False))).version()
    row = {"id": "1", "concept": "k", "qid": "Q77", "tex": "a=b", "level": "K0", "added": "2026-01-01"}
    with workspace.engine.begin() as db:
        db.execute(store.representations.insert().values(**row))
    assert Knowledge.of(workspace, Settings()).version() != before
