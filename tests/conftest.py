"""What tests share: a home of their own, the real bundled model, an opened memory."""

import gc
import json
import os
from collections.abc import AsyncIterator, Generator, Iterator
from functools import cache
from pathlib import Path
from ssl import SSLContext

import httpcore2
import hypothesis
import pytest
import typer.main
import typer.testing
from hypothesis.configuration import set_hypothesis_home_dir
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # the SDK's own dependency; it has no stubs
from tests.databases import Databases, engine_variables, keep_homes, running_server
from tests.empty_home import lay_empty_home
from tests.store.postgres import PostgresServer

import memoria
from memoria import Memoria
from memoria.inference.embedder import BUNDLED, BundledEmbedder

_ROOT = Path(__file__).parents[1]
# What is kept for the next run is kept here, not in the cache of whoever runs the tests.
os.environ["XDG_CACHE_HOME"] = str(_ROOT / ".pytest_cache" / "user")  # the embedding model
set_hypothesis_home_dir(_ROOT / ".hypothesis")
if "MEMORIA_DATA" in os.environ:  # tests are run elsewhere
    os.environ["MEMORIA_DATA"] = str(Path(os.environ["MEMORIA_DATA"]).absolute())

# A machine that is slow for a moment fails no property.
hypothesis.settings.register_profile("no deadline", deadline=None)
hypothesis.settings.load_profile("no deadline")

_GARBAGE = 50_000
"""So many new objects are looked through at once."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--engine postgres` has homes kept by PostgreSQL, in all tests that are not about SQLite."""
    engines = ("sqlite", "postgres")
    parser.addoption("--engine", choices=engines, default=engines[0], help="what keeps the homes")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is about SQLite where the homes are kept elsewhere."""
    named: str = config.getoption("engine")
    for item in items:
        varied = item.callspec.params if hasattr(item, "callspec") else {}
        mark = item.get_closest_marker("sqlite")
        if mark and varied.get("engine", named) != "sqlite":
            item.add_marker(pytest.mark.skip(reason=f"SQLite alone: {mark.args[0]}"))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays to the end; nobody need look through it for garbage, now or later.

    Of what tests leave there is so little that it may lie for a while.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(_GARBAGE)
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def schemas_checked_once() -> Iterator[None]:
    """A client checks the schema of every tool it calls, for longer than the call takes.

    Each connection does so anew. What was found to be a schema is one for the whole run.
    """
    check = Draft202012Validator.check_schema
    checked: set[str] = set()

    def check_once(schema: object) -> None:
        written = json.dumps(schema, sort_keys=True)
        if written not in checked:
            check(schema)
            checked.add(written)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Draft202012Validator, "check_schema", check_once)
        yield


@pytest.fixture(scope="session", autouse=True)
def certificates_read_once() -> Iterator[None]:
    """Each client of HTTP reads all certificates of the machine, also one that speaks to no TLS.

    It takes as long as to open a home. Where the environment comes to name others, those are read.
    """
    read = httpcore2.default_ssl_context

    @cache
    def read_once(_file: str | None, _folder: str | None, is_told: bool) -> SSLContext:
        return read(_trust_env=is_told)

    def choose(*, _trust_env: bool = True) -> SSLContext:
        places = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
        return read_once(*places, _trust_env)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpcore2, "default_ssl_context", choose)
        yield


@pytest.fixture(scope="session", autouse=True)
def commands_built_once() -> Iterator[None]:
    """Typer builds all commands anew for each line, which takes as long as a short one's work."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.testing, "_get_command", cache(typer.main.get_command))
        yield


@pytest.fixture(scope="session", autouse=True)
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The project that tests are at work in: one of their own, without a commit.

    In the checkout, each home would have its whole history read and something written to its git
    directory.
    """
    place = tmp_path_factory.mktemp("project")
    (place / ".git").mkdir()
    (place / ".git" / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        yield place


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A running PostgreSQL server, empty."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def databases(postgres: PostgresServer) -> Iterator[Databases]:
    """Databases with the tables of a home that has just been made."""
    databases = Databases(postgres)
    yield databases
    databases.close()


@pytest.fixture(scope="session", autouse=True)
def engine(request: pytest.FixtureRequest) -> Iterator[str]:
    """The engine that keeps the homes of tests, as `--engine` names it."""
    name: str = request.config.getoption("engine")
    if name == "sqlite":
        yield name
        return
    with keep_homes(request.getfixturevalue("databases")):
        yield name


@pytest.fixture(autouse=True)
def clean_environment(
    request: pytest.FixtureRequest, engine: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """No setting of the machine the tests run on reaches them, and none a database of another."""
    for name in list(os.environ):
        is_ours = name.startswith("MEMORIA_") and name != "MEMORIA_DATA"
        if is_ours or name == "CLAUDE_CODE_SESSION_ID":
            monkeypatch.delenv(name)
    if engine == "sqlite":
        yield
        return
    databases: Databases = request.getfixturevalue("databases")
    with databases.dropping():
        if "tmp_path" in request.fixturenames:  # and maybe the fixture `home`
            home: Path = request.getfixturevalue("tmp_path") / "home"
            for name, value in engine_variables(home).items():
                monkeypatch.setenv(name, value)
        yield


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def embedder() -> BundledEmbedder:
    """The bundled model, loaded once for all tests."""
    return BundledEmbedder(BUNDLED)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A data folder that does not exist yet."""
    return tmp_path / "home"


@pytest.fixture
async def memory(home: Path, embedder: BundledEmbedder) -> AsyncIterator[Memoria]:
    """An opened memory with the bundled model."""
    lay_empty_home(home)
    async with memoria.open(home=home, tenant="tests", embedder=embedder) as opened:
        yield opened
