"""Tokens are given out by the user alone, are stored as digests, and end when the user says so."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria import Settings
from memoria.app import upkeep
from memoria.app.engine import open_store
from memoria.app.refusals import RefusedCalls
from memoria.app.tokens import TokenChecker, TokenService
from memoria.app.upkeep import back_up, restore
from memoria.errors import BackupError, InvalidInputError, NotFoundError
from memoria.language.secrets.redact import redact
from memoria.model import now_millis
from memoria.model.access import Access, TokenText
from memoria.model.base import new_id
from memoria.model.provenance import COMMAND_LINE, LIBRARY
from memoria.store.engine import Store


@pytest.fixture
def store(home: Path) -> Iterator[Store]:
    with closing(open_store(Settings.from_values(home=home, embedder="off"))) as opened:
        yield opened


@given(
    st.text(st.characters(exclude_characters="\0"), min_size=1),  # no tenant has that
    st.text(st.characters(categories=("L", "N")), min_size=1),
)
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


@pytest.mark.sqlite("a backup is a copy of the file")
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


@pytest.mark.sqlite("a backup is a copy of the file")
@pytest.mark.anyio
async def test_a_restore_that_is_stopped_once_the_backup_is_in_place_leaves_none_of_its_tokens(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = Settings.from_values(home=home, tenant="ann", embedder="off")
    with closing(open_store(chosen)) as store:
        tokens = TokenService(store, "ann", COMMAND_LINE)
        made = await tokens.create(Access.READ)
        kept = back_up(chosen, tmp_path / "kept.zip", lambda *_: None).path
        await tokens.revoke(made.token.id)

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(upkeep, "carry_private_times", stop)
    with pytest.raises(KeyboardInterrupt):
        restore(chosen, kept, lambda *_: None)
    with closing(open_store(chosen)) as store:
        assert await TokenChecker(store, RefusedCalls(store)).check(made.text) is None


@pytest.mark.anyio
async def test_a_hundred_tenants_that_are_made_up_are_three_lines_and_begin_nothing(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    checker = TokenChecker(store, RefusedCalls(store))
    for number in range(120):
        assert await checker.check(str(TokenText.create(f"nobody {number}", new_id()))) is None
    assert len(caplog.records) == 3
    assert store.tenants() == []


@pytest.mark.sqlite("a backup is a copy of the file")
@pytest.mark.anyio
async def test_a_backup_that_replaces_no_home_ends_its_tokens_unless_they_are_asked_for(
    home: Path, tmp_path: Path
) -> None:
    chosen = Settings.from_values(home=home, tenant="ann", embedder="off")
    with closing(open_store(chosen)) as store:
        tokens = TokenService(store, "ann", COMMAND_LINE)
        made = await tokens.create(Access.READ)
        await tokens.revoke((await tokens.create(Access.READ)).token.id)
        kept = back_up(chosen, tmp_path / "kept.zip", lambda *_: None).path
    for name, keeps in (("lost", False), ("kept", True)):
        other = Settings.from_values(home=tmp_path / name, tenant="ann", embedder="off")
        done = restore(other, kept, lambda *_: None, keeps_tokens=keeps)
        assert done.ended_tokens == (0 if keeps else 1)
        with closing(open_store(other)) as store:
            found = await TokenChecker(store, RefusedCalls(store)).check(made.text)
        assert (found is not None) == keeps


@pytest.mark.sqlite("a backup is a copy of the file")
def test_a_backup_of_others_is_not_put_into_a_tenants_own_home(tmp_path: Path) -> None:
    ann, ben = (
        Settings.from_values(homes=tmp_path / "homes", tenant=one, embedder="off")
        for one in ("ann", "ben")
    )
    for one in (ann, ben):
        with closing(open_store(one)) as store, store.write(one.tenant) as tx:
            tx.audit.add(at=1, channel="test", client=None, action="note", subject=one.tenant)
    kept = back_up(ann, tmp_path / "ann.zip", lambda *_: None).path
    with pytest.raises(BackupError, match="'ann'"):
        restore(ben, kept, lambda *_: None)
    with closing(open_store(ben)) as store:
        assert store.tenants() == ["ben"]
    restore(ann, kept, lambda *_: None)
