"""Fixtures for every test, and the guard: nothing here can reach anything but this machine."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa
from local_only import local_only, tried_hosts
from werkzeug.routing import Rule

# The hundreds of processes that tests start would compile every module anew.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# Ten thousand folders with databases: in memory they are made and removed ten times as fast as on a disk.
IN_MEMORY, ROOM = Path("/dev/shm"), 4 << 30  # bytes
if "TMPDIR" not in os.environ and os.access(IN_MEMORY, os.W_OK) and shutil.disk_usage(IN_MEMORY).free > ROOM:
    os.environ["TMPDIR"] = tempfile.tempdir = str(IN_MEMORY)

# Else the libraries look through the whole environment for a proxy, twice for each of the many thousand requests.
os.environ["no_proxy"] = os.environ["NO_PROXY"] = "127.0.0.1,localhost"

from bot import file_permissions, store  # noqa: E402
from bot.cli_common import compute_in_one_thread, tune_garbage_collection  # noqa: E402
from bot.store import Workspace  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


# Modules of more than five seconds of processor time, the longest first.
LONGEST = tuple(
    f"test_{name}.py"
    for name in (
        "web_parallel quality robustness cli web_axe fault_matrix doc_blocks web_pages scheduled run_writes bad_input unchanged_runs "
        "web_hostile parser migrations builtin_list web_schema honest one_answer prove web_browser discover configured_wiki rate_limit "
        "kill_points incremental web_gadget latex formats web_small formulas_without_item paper_tables days_of_runs hostile_input nights "
        "without_builtin mutations account web_answers web_unsent recorded_digests"
    ).split()
)


def _compile_urls_once() -> None:
    """Each app, of a page or of a rehearsal wiki, compiles how its URLs are built: half of the time that it takes to start one."""
    compile_builder = Rule._compile_builder
    made: dict[object, Any] = {}

    def compiled(rule: Rule, append_unknown: bool = True) -> Any:
        key = (*rule._trace, repr(rule.defaults), append_unknown)
        return made.get(key) or made.setdefault(key, compile_builder(rule, append_unknown))

    Rule._compile_builder = compiled  # type: ignore[method-assign]


def _compile_statements_once() -> None:
    """Each workspace has an engine, which would compile its statements anew."""
    make = store._engine_naming_bad_cells
    readers: list[Any] = []
    first = sa.create_engine("sqlite://", json_deserializer=lambda text: readers[-1](text), query_cache_size=2000)
    first.connect().close()

    def engine(address: str | sa.URL, folder: Path) -> sa.Engine:
        made = make(address, folder)
        if made.dialect.name == "sqlite":
            readers[:] = [made.dialect._json_deserializer]  # looks for a bad cell in the workspace opened last
            made.dialect, made._compiled_cache = first.dialect, first._compiled_cache
        return made

    store._engine_naming_bad_cells = engine


def _report_results_only(config: pytest.Config) -> None:
    """Have a worker send what a test came to, not that it began, was set up and ended: that took half of a short test."""
    for worker in (each for each in config.pluginmanager.get_plugins() if hasattr(each, "sendevent")):
        send = worker.sendevent

        def send_result(name: str, send: Any = send, **values: Any) -> None:
            report = values.get("data", {})
            is_step = report.get("when") != "call" and report.get("outcome") == "passed"
            if not is_step and name not in ("logstart", "logfinish"):
                send(name, **values)

        worker.sendevent = send_result


def pytest_configure(config: pytest.Config) -> None:
    if config.option.durations is None:
        _report_results_only(config)
    _compile_urls_once()
    _compile_statements_once()
    tune_garbage_collection()  # as every command does
    compute_in_one_thread()
    # A job in the background of a shell ignores Ctrl-C, and so would every command that a test starts and interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    config.addinivalue_line(
        "markers", "aims_outside: tries on purpose to leave this machine, to see the guard refuse it"
    )


def pytest_collection_finish() -> None:
    gc.freeze()  # what was collected stays to the end: looking through it for cycles again and again finds none


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest modules first, then those with most tests, so that no worker is busy alone at the end."""
    sizes = Counter(item.path for item in items)

    def turn(item: pytest.Item) -> tuple[int, int, str]:
        name = item.path.name
        return LONGEST.index(name) if name in LONGEST else len(LONGEST), -sizes[item.path], str(item.path)

    items.sort(key=turn)


@pytest.fixture(autouse=True, scope="session")
def _no_network() -> Iterator[None]:
    """Guard every test, and fixtures of every scope too."""
    with local_only():
        yield


@pytest.fixture(autouse=True)
def _nothing_tried(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test whose attempt was caught by what it calls, as pywikibot's retries catch everything."""
    yield
    tried = ", ".join(sorted(set(tried_hosts)))
    tried_hosts.clear()
    if tried and not request.node.get_closest_marker("aims_outside"):
        pytest.fail(f"a test tried to connect to {tried}, and what it called hid that", pytrace=False)


@pytest.fixture(autouse=True, scope="module")
def _every_workspace_is_closed() -> Iterator[None]:
    """Fail where a module leaves a workspace open: it would keep the umask narrow for the modules after it."""
    before = file_permissions._open_workspaces
    yield
    assert file_permissions._open_workspaces == before, "a test left a workspace open"


@pytest.fixture(autouse=True, scope="module")
def _every_server_has_stopped() -> Iterator[None]:
    """Fail where a module leaves a server's thread: its socket's number becomes another's, and it asks that one for ever."""
    before = set(threading.enumerate())
    yield
    left = [t for t in threading.enumerate() if t not in before and ("serve_forever" in t.name or t.name == "sandbox")]
    for thread in left:
        thread.join(5)  # it may be at its last line
    assert [thread.name for thread in left if thread.is_alive()] == [], "a test left a server running"


@pytest.fixture(scope="session")
def proposed_examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace after discover, match and propose on the examples; made once for all workers, to be copied."""
    from cli_runner import STAGES, call, stage

    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    path = base / "proposed-examples"
    with (base / "proposed-examples.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            making = Path(tempfile.mkdtemp(dir=base)) / "w"
            for name in STAGES:
                call(*stage(name, making)).well()
            making.rename(path)
    return path


@pytest.fixture
def shared_data() -> Path:
    """The development data beside the checkout; tests that need it say so when it is absent."""
    if not SHARED.exists():
        pytest.skip("the development data is not beside this checkout")
    return SHARED


@pytest.fixture(scope="session")
def _new_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a new workspace: made once, as making it takes longer than many a test."""
    folder = tmp_path_factory.mktemp("new") / "w"
    Workspace.open(folder).close()
    return folder / "bot.db"


@pytest.fixture
def workspace(tmp_path: Path, _new_database: Path) -> Iterator[Workspace]:
    (tmp_path / "workspace").mkdir(mode=0o700)
    shutil.copy(_new_database, tmp_path / "workspace")
    with Workspace.open(tmp_path / "workspace") as opened:
        yield opened


@pytest.fixture(scope="session")
def running_browser() -> Iterator[Browser]:
    from web_chromium import chromium

    with chromium() as made:
        yield made


@pytest.fixture
def browser(running_browser: Browser) -> Iterator[Browser]:
    """The browser of this run, without what the test before left open: a page that nobody looks at goes on asking its server."""
    yield running_browser
    for context in running_browser.contexts:
        context.close()
