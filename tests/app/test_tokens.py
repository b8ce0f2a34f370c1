"""Tokens are given out by the user alone, are stored as digests, and end when the user says so."""

from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria import Settings
from memoria.app.engine import open_store
from memoria.app.refusals import RefusedCalls
from memoria.app.tokens import TokenChecker, TokenService
from memoria.app.upkeep import back_up, restore
from memoria.errors import InvalidInputError, NotFoundError
from memoria.language.secrets.redact import redact
from memoria.model import now_millis
from memoria.model.access import Access, TokenText
from memoria.model.base import new_id
from memoria.model.provenance import COMMAND_LINE, LIBRARY
from memoria.store.engine import Store


@pytest.fixture
def store(home: Path) -> Store:
    return open_store(Settings.from_values(home=home, embedder="off"))


@given(st.text(min_size=1), st.text(st.characters(categories=("L", "N")), min_size=1))
def test_a_token_is_read_back_as_it_was_written(tenant: str, token_id: str) -> None:
    text = TokenText.create(tenant.encode(errors="ignore").decode() or "x", token_id)
    assert TokenText.parse(str(text)) == text


def test_a_token_that_is_said_or_pasted_is_redacted() -> None:
    text = str(TokenText.create("ann", new_id()))
    for said in (f"here: {text}", f"用{text}登录", f'{{"text": "{text}"}}'):
        assert text.rpartition(".")[2] not in redact(said).text


@given(st.text())
def test_any_other_text_opens_nothing_and_breaks_nothing(text: str) -> None:
    found = TokenText.parse(text)
    assert found is None or text.startswith("mem_")


def list_files_with(home: Path, secret: bytes) -> list[Path]:
    return [one for one in home.rglob("*") if one.is_file() and secret in one.read_bytes()]


@pytest.mark.anyio
async def test_a_revoked_token_opens_nothing_and_its_secret_stands_nowhere(
    store: Store, home: Path
) -> None:
    tokens = TokenService(store, "ann", COMMAND_LINE)
    made = await tokens.create(Access.WRITE, "Ann's laptop")
    now = [0.0]
    checker = TokenChecker(store, RefusedCalls(store), lambda: now[0])
    found = await checker.check(made.text)
    assert found is not None
    assert found[0] == "ann"
    (listed,) = await tokens.list()
    assert listed.last_used_day is not None
    await tokens.revoke(made.token.id[-8:])
    now[0] += 1.1  # a checked token is trusted for a second
    assert await checker.check(made.text) is None
    with store.read("ann") as tx:
        refused, *_ = tx.audit.list_latest(10, 0)
    assert (refused.detail, refused.caller) == ("the token was revoked", made.token.caller)
    store.close()
    assert not list_files_with(home, made.text.rpartition(".")[2].encode())


@pytest.mark.anyio
async def test_an_agent_gives_no_token_out_and_takes_none_back(store: Store) -> None:
    made = await TokenService(store, "ann", COMMAND_LINE).create(Access.READ)
    agent = TokenService(store, "ann", LIBRARY)
    with pytest.raises(InvalidInputError):
        await agent.create(Access.ADMIN)
    with pytest.raises(InvalidInputError):
        await agent.revoke(made.token.id)


@pytest.mark.anyio
async def test_a_token_that_would_be_over_is_not_made_and_an_unknown_one_not_revoked(
    store: Store,
) -> None:
    tokens = TokenService(store, "ann", COMMAND_LINE)
    with pytest.raises(InvalidInputError):
        await tokens.create(Access.READ, expires_at=now_millis())
    with pytest.raises(NotFoundError):
        await tokens.revoke("00000000")
    assert await tokens.list() == ()


@pytest.mark.anyio
async def test_a_backup_brings_no_revoked_token_back(home: Path, tmp_path: Path) -> None:
    chosen = Settings.from_values(home=home, tenant="ann", embedder="off")
    with closing(open_store(chosen)) as store:
        tokens = TokenService(store, "ann", COMMAND_LINE)
        stays, goes = [await tokens.create(Access.READ) for _ in range(2)]
        kept = back_up(chosen, tmp_path / "kept.zip", lambda *_: None).path
        await tokens.revoke(goes.token.id)
    restore(chosen, kept, lambda *_: None)
    with closing(open_store(chosen)) as store:
        checker = TokenChecker(store, RefusedCalls(store))
        assert await checker.check(stays.text) is not None
        assert await checker.check(goes.text) is None


@pytest.mark.anyio
async def test_a_hundred_tenants_that_are_made_up_are_three_lines_and_begin_nothing(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    checker = TokenChecker(store, RefusedCalls(store))
    for number in range(120):
        assert await checker.check(str(TokenText.create(f"nobody {number}", new_id()))) is None
    assert len(caplog.records) == 3
    assert store.tenants() == []
