"""A night is undone whose core files were edited since: nothing counts as typed but what was."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.databases import opened_files, read_text, write_text
from tests.empty_home import lay_empty_home
from tests.forgetting.remains import remains
from tests.lifecycle.dump import store_of

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.lifecycle.core.restore import CoreRestoration, put_own_text
from memoria.model import (
    DAY_MS,
    Channel,
    Memory,
    Trust,
    Validity,
    now_millis,
    system_millis,
    use_clock,
)

BERGEN, OSLO = "The user lives in Bergen", "The user lives in Oslo"
SHELLFISH = "The user is allergic to shellfish"
TEA = "The user prefers tea"
AGENT = Channel(name="mcp", trust=Trust.REPORTED, client="a client")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.from_values(home=lay_empty_home(tmp_path / "home"), embedder="off")


async def reported(settings: Settings, *texts: str, kind: str = "fact") -> dict[str, str]:
    """Memories that an agent states, by what they say."""
    async with open_memoria(settings=settings, channel=AGENT) as m:
        return {text: (await m.remember(text, type=kind)).id for text in texts}


def memories(settings: Settings, *, active: bool = True) -> dict[str, Memory]:
    """By what they say."""
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        numbers = list(tx.documents.page("memory", 0, 1000))
        found = tx.memories.by_version_numbers(numbers).values()
    return {one.content: one for one in found if (one.validity is Validity.ACTIVE) is active}


def confirmed(settings: Settings) -> set[str]:
    """What is believed as the user's own word."""
    return {
        text
        for text, memory in memories(settings).items()
        if memory.verified or memory.current.provenance.trust is Trust.USER
    }


def user(settings: Settings) -> str:
    return read_text(settings, "USER.md")


def edit(settings: Settings, old: str, new: str, file: str = "USER.md") -> None:
    text = read_text(settings, file)
    assert old in text
    write_text(settings, file, text.replace(old, new))


def lose(settings: Settings, words: str) -> None:
    """Delete the lines in which some words stand."""
    lines = user(settings).splitlines(keepends=True)
    write_text(settings, "USER.md", "".join(line for line in lines if words not in line))


def undo(settings: Settings, run_id: str) -> int:
    """Undo a run. Gives how many files were left as edited."""
    return nights.undo_nightly(settings, run_id, lambda _: None).files_kept


async def test_after_a_forget_and_an_undo_no_line_of_memorias_is_the_users_word(
    settings: Settings,
) -> None:
    ids = await reported(settings, BERGEN, SHELLFISH)
    run = nights.run_nightly(settings, ["core"])
    async with open_memoria(settings=settings) as m:
        await m.forget_memory([ids[SHELLFISH]])
    assert undo(settings, run.id) == 1
    again = nights.run_nightly(settings, ["core"])
    assert again.steps[-1].reasons == {}
    assert list(memories(settings)) == [BERGEN]
    assert confirmed(settings) == set()
    assert BERGEN in user(settings)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
async def test_after_an_undo_only_the_line_that_was_changed_by_hand_is_the_users_word(
    settings: Settings, end: str
) -> None:
    ids = await reported(settings, BERGEN, SHELLFISH, TEA)
    run = nights.run_nightly(settings, ["core"])
    edit(settings, "Bergen", "Oslo")
    edit(settings, "\n", end)
    edit(settings, f"{end}## ", f"{end}My own line.{end}## ")
    assert undo(settings, run.id) == 1
    nights.run_nightly(settings, ["core"])
    assert set(memories(settings)) == {OSLO, SHELLFISH, TEA}
    assert memories(settings)[OSLO].id == ids[BERGEN]
    assert confirmed(settings) == {OSLO}
    assert "My own line." in user(settings)
    assert nights.run_nightly(settings, ["core"]).steps[-1].planned == 0


async def test_a_line_deleted_by_hand_is_archived_though_the_night_that_wrote_it_was_undone(
    settings: Settings,
) -> None:
    await reported(settings, BERGEN, SHELLFISH)
    run = nights.run_nightly(settings, ["core"])
    lose(settings, "Bergen")
    undo(settings, run.id)
    nights.run_nightly(settings, ["core"])
    assert list(memories(settings)) == [SHELLFISH]
    assert list(memories(settings, active=False)) == [BERGEN]
    assert confirmed(settings) == set()


async def test_several_nights_undone_at_once_make_nothing_the_users_word(
    settings: Settings,
) -> None:
    await reported(settings, BERGEN)
    first = nights.run_nightly(settings, ["core"])
    ids = await reported(settings, SHELLFISH)
    nights.run_nightly(settings, ["core"])
    await reported(settings, TEA)
    nights.run_nightly(settings, ["core"])
    async with open_memoria(settings=settings) as m:
        await m.forget_memory([ids[SHELLFISH]])
    edit(settings, "Bergen", "Oslo")
    undone = nights.undo_nightly(settings, first.id, lambda _: None)
    assert len(undone.run_ids) == 3
    nights.run_nightly(settings, ["core"])
    assert set(memories(settings)) == {OSLO, TEA}
    assert confirmed(settings) == {OSLO}


async def test_a_night_after_an_undo_can_be_undone_and_makes_nothing_the_users_word(
    settings: Settings,
) -> None:
    await reported(settings, BERGEN, SHELLFISH)
    run = nights.run_nightly(settings, ["core"])
    edit(settings, "Bergen", "Oslo ")  # so that its line is written anew
    undo(settings, run.id)
    for _ in range(2):
        run = nights.run_nightly(settings, ["core"])
        assert confirmed(settings) == {OSLO}
        assert undo(settings, run.id) == 0
        assert confirmed(settings) == set()
        assert set(memories(settings)) == {BERGEN, SHELLFISH}
        assert "Oslo" in user(settings)
    run = nights.run_nightly(settings, ["core"])
    edit(settings, "shellfish", "nuts")
    assert undo(settings, run.id) == 1
    nights.run_nightly(settings, ["core"])
    assert confirmed(settings) == set(memories(settings)) == {OSLO, "The user is allergic to nuts"}


async def test_an_undo_makes_no_rule_of_an_agents_the_users_word(settings: Settings) -> None:
    rules = ("Always run the linter", "Never push on Fridays")
    await reported(settings, *rules, kind="rule")
    run = nights.run_nightly(settings, ["core"])
    text = read_text(settings, "MEMORY.md")
    assert rules[0] in text
    write_text(settings, "MEMORY.md", text + "\nA word of mine.\n")
    undo(settings, run.id)
    nights.run_nightly(settings, ["core"])
    assert set(memories(settings)) >= set(rules)
    assert not confirmed(settings) & set(rules)


async def test_what_was_typed_before_the_night_is_the_users_word_after_its_undo(
    settings: Settings,
) -> None:
    await reported(settings, BERGEN, SHELLFISH, TEA)
    nights.run_nightly(settings, ["core"])
    edit(settings, "Bergen", "Oslo")
    edit(settings, "## Identity\n", "## Identity\n- The user owns a boat\n")
    lose(settings, TEA)
    run = nights.run_nightly(settings, ["core"])
    edit(settings, "a boat", "a red boat")
    edit(settings, "\n## ", "\nMy own line.\n## ")
    assert undo(settings, run.id) == 1
    assert set(memories(settings)) == {BERGEN, SHELLFISH, TEA}
    nights.run_nightly(settings, ["core"])
    assert set(memories(settings)) == {OSLO, SHELLFISH, "The user owns a red boat"}
    assert list(memories(settings, active=False)) == [TEA]
    assert confirmed(settings) == {OSLO, "The user owns a red boat"}


async def test_what_was_typed_is_not_lost_where_a_forget_has_taken_the_copy_for_the_undo(
    settings: Settings,
) -> None:
    ids = await reported(settings, BERGEN, SHELLFISH, TEA)
    nights.run_nightly(settings, ["core"])
    edit(settings, "Bergen", "Oslo")
    edit(settings, "## Identity\n", "## Identity\n- The user owns a boat\n")
    run = nights.run_nightly(settings, ["core"])
    async with open_memoria(settings=settings) as m:
        await m.forget_memory([ids[SHELLFISH]])
    with opened_files(settings) as files:
        assert not files.exists(f"night/{run.id}/USER.md")
    assert undo(settings, run.id) == 1
    nights.run_nightly(settings, ["core"])
    assert set(memories(settings)) == {OSLO, TEA, "The user owns a boat"}
    assert confirmed(settings) == {OSLO, "The user owns a boat"}


async def test_a_line_moved_by_hand_before_the_night_is_moved_again_after_its_undo(
    settings: Settings,
) -> None:
    await reported(settings, BERGEN, SHELLFISH)
    await reported(settings, "The build needs Node 22")
    nights.run_nightly(settings, ["core"])
    lose(settings, BERGEN)
    other = read_text(settings, "MEMORY.md")
    write_text(settings, "MEMORY.md", f"{other}\n## Mine\n- {BERGEN}\n")
    run = nights.run_nightly(settings, ["core"])
    other = read_text(settings, "MEMORY.md")
    write_text(settings, "MEMORY.md", f"{other}\nA word of mine.\n")
    assert undo(settings, run.id) == 1
    nights.run_nightly(settings, ["core"])
    assert set(memories(settings)) == {BERGEN, SHELLFISH, "The build needs Node 22"}
    assert confirmed(settings) == set()
    assert BERGEN in read_text(settings, "MEMORY.md")
    assert BERGEN not in user(settings)


async def test_what_the_night_had_archived_is_not_archived_by_hand_after_its_undo(
    settings: Settings, keep: Callable[..., str]
) -> None:
    await reported(settings, BERGEN)
    keep(TEA, now_millis() + DAY_MS, "preference")
    nights.run_nightly(settings)
    assert TEA in user(settings)
    with use_clock(lambda: system_millis() + 2 * DAY_MS):
        run = nights.run_nightly(settings)
    assert TEA not in user(settings)
    edit(settings, "Bergen", "Oslo")
    undo(settings, run.id)
    nights.run_nightly(settings)
    assert set(memories(settings)) == {OSLO, TEA}
    assert confirmed(settings) == {OSLO}


@pytest.mark.parametrize("is_committed", [False, True])
async def test_an_undo_broken_off_behind_the_files_makes_nothing_the_users_word(
    settings: Settings,
    keep: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    *,
    is_committed: bool,
) -> None:
    await reported(settings, BERGEN, SHELLFISH)
    keep("the shop is open until noon", now_millis() - 1)
    run = nights.run_nightly(settings)
    edit(settings, "Bergen", "Oslo")
    restore = CoreRestoration.restore

    def stop(_done: object) -> None:
        raise KeyboardInterrupt

    def restore_and_stop(restoration: CoreRestoration) -> None:
        stop(restore(restoration))

    with monkeypatch.context() as patched:
        if not is_committed:
            patched.setattr(CoreRestoration, "restore", restore_and_stop)
        with pytest.raises(KeyboardInterrupt):
            nights.undo_nightly(settings, run.id, stop)
    undo(settings, run.id)
    nights.run_nightly(settings)
    assert set(memories(settings)) == {OSLO, SHELLFISH}
    assert confirmed(settings) == {OSLO}


CHESS = "The user plays chess"
TYPED = "Kestrel-9921-zulu"
PASSWORD = f"The wifi password is {TYPED}"
AUNT = "Zanzibelle"
_BASE64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" * 2
KEY = f"-----BEGIN PRIVATE KEY-----\n{_BASE64}\n-----END PRIVATE KEY-----"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
async def test_a_secret_typed_into_a_core_file_is_nowhere_in_the_home_after_the_night(
    settings: Settings, end: str
) -> None:
    await reported(settings, CHESS)
    nights.run_nightly(settings, ["core"])
    edit(settings, "\n", end)
    aunt = f"- <private>My aunt is {AUNT}</private>, and my uncle likes jam"
    edit(settings, f"## Identity{end}", f"## Identity{end}- {PASSWORD}{end}{aunt}{end}")
    run = nights.run_nightly(settings, ["core"])
    assert not remains(settings.home_path, TYPED)
    assert not remains(settings.home_path, AUNT)
    assert undo(settings, run.id) == 0
    assert f"- The wifi password is [redacted:password]{end}" in user(settings)
    nights.run_nightly(settings, ["core"])
    assert not remains(settings.home_path, TYPED)
    assert confirmed(settings) == set(memories(settings)) - {CHESS}
    assert len(memories(settings)) == 3


async def test_a_line_changed_to_hold_a_secret_is_still_its_memorys_line_after_an_undo(
    settings: Settings,
) -> None:
    ids = await reported(settings, "The wifi is called Heron", CHESS)
    nights.run_nightly(settings, ["core"])
    edit(settings, "The wifi is called Heron", PASSWORD, "MEMORY.md")
    run = nights.run_nightly(settings, ["core"])
    assert not remains(settings.home_path, TYPED)
    undo(settings, run.id)
    nights.run_nightly(settings, ["core"])
    assert not remains(settings.home_path, TYPED)
    known = memories(settings)
    assert set(known) == {"The wifi password is [redacted:password]", CHESS}
    assert {one.id for one in known.values()} == set(ids.values())


async def test_secrets_in_the_users_own_text_stay_there_through_an_undo_and_are_not_copied(
    settings: Settings,
) -> None:
    await reported(settings, CHESS)
    nights.run_nightly(settings, ["core"])
    own = f"My {PASSWORD}.\n\n<private>\nMy aunt\nis {AUNT}\n</private>\n\n```\n{KEY}\n```\n"
    edit(settings, "# USER.md\n", f"# USER.md\n\n{own}")
    before = user(settings)
    await reported(settings, "The user lives in Bergen")
    run = nights.run_nightly(settings, ["core"])
    assert "Bergen" in user(settings)
    for words in (TYPED, AUNT, "MIIEvQ"):
        assert remains(settings.home_path, words) == {"file USER.md"}
    assert undo(settings, run.id) == 0
    assert user(settings) == before


def test_what_is_no_longer_in_the_file_is_not_put_back_with_an_image() -> None:
    image = b"a\n[redacted:password]\n\nb [redacted:password]\n"
    assert put_own_text(image, b"a\n\nb\n") == image


async def test_forgetting_takes_the_words_out_of_the_copies_of_all_runs(settings: Settings) -> None:
    ids = await reported(settings, "The user collects Xylophonix records")
    for more in (CHESS, "The user lives in Bergen"):
        nights.run_nightly(settings, ["core"])
        await reported(settings, more)
    edit(settings, "## Identity\n", f"## Identity\n- {PASSWORD}\n")
    nights.run_nightly(settings, ["core"])
    with opened_files(settings) as files:
        copies = [place for place in files.list_places("night") if place.endswith("/USER.md")]
        assert sum(b"Xylophonix" in (files.read(copy) or b"") for copy in copies) == 2
    hidden = next(one.id for text, one in memories(settings).items() if "[redacted" in text)
    async with open_memoria(settings=settings) as m:
        await m.forget_memory([*ids.values(), hidden], include_source=True)
    for word in ("Xylophonix", "The wifi password is", TYPED):
        places = remains(settings.home_path, word)
        assert not [place for place in places if "night" in place], places
    assert not remains(settings.home_path, "Xylophonix")


async def test_when_everything_is_forgotten_no_copy_and_no_name_of_a_project_is_left(
    settings: Settings,
) -> None:
    async with open_memoria(settings=settings) as m:
        await m.remember("The API listens on port 8080", scope="project", workspace="/x/wombat")
        await m.remember(CHESS)
        nights.run_nightly(settings, ["core"])
        before = list_paths(settings)
        assert [path for path in before if "wombat" in path]
        assert [path for path in before if path.endswith(".new")]
        await m.forget_memory(everything=True)
    left = list_paths(settings)
    assert not [path for path in left if path.partition("/")[0] in ("night", "projects")]
    assert not [path for path in left if "wombat" in path]


def list_paths(settings: Settings) -> list[str]:
    """List what the home holds: the tenant's files wherever they are kept, and folders on disk."""
    home = settings.home_path
    with opened_files(settings) as files:
        rows = files.list_places("")
    return [*rows, *(path.relative_to(home).as_posix() for path in home.rglob("*"))]
