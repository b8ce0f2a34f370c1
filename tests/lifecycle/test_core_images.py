"""The copies of core files for an undo hold no secret, nothing private and nothing forgotten."""

from pathlib import Path

import pytest
from tests.forgetting.remains import remains
from tests.lifecycle.test_core_undo import confirmed, edit, file_of, memories, reported, undo

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.lifecycle.core.images import put_own_text

CHESS = "The user plays chess"
TYPED = "Kestrel-9921-zulu"
PASSWORD = f"The wifi password is {TYPED}"
AUNT = "Zanzibelle"
_BASE64 = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC" * 2
KEY = f"-----BEGIN PRIVATE KEY-----\n{_BASE64}\n-----END PRIVATE KEY-----"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.from_values(home=tmp_path / "home", tenant="default", embedder="off")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
async def test_a_secret_typed_into_a_core_file_is_nowhere_in_the_home_after_the_night(
    settings: Settings, end: str
) -> None:
    await reported(settings, CHESS)
    nights.run_nightly(settings)
    edit(file_of(settings), "\n", end)
    aunt = f"- <private>My aunt is {AUNT}</private>, and my uncle likes jam"
    edit(file_of(settings), f"## Identity{end}", f"## Identity{end}- {PASSWORD}{end}{aunt}{end}")
    run = nights.run_nightly(settings)
    assert not remains(settings.home_path, TYPED)
    assert not remains(settings.home_path, AUNT)
    assert undo(settings, run.id) == 0
    assert (
        f"- The wifi password is [redacted:password]{end}".encode()
        in file_of(settings).read_bytes()
    )
    nights.run_nightly(settings)
    assert not remains(settings.home_path, TYPED)
    assert confirmed(settings) == set(memories(settings)) - {CHESS}
    assert len(memories(settings)) == 3


async def test_a_line_changed_to_hold_a_secret_is_still_its_memorys_line_after_an_undo(
    settings: Settings,
) -> None:
    ids = await reported(settings, "The wifi is called Heron", CHESS)
    nights.run_nightly(settings)
    edit(file_of(settings, "MEMORY.md"), "The wifi is called Heron", PASSWORD)
    run = nights.run_nightly(settings)
    assert not remains(settings.home_path, TYPED)
    undo(settings, run.id)
    nights.run_nightly(settings)
    assert not remains(settings.home_path, TYPED)
    known = memories(settings)
    assert set(known) == {"The wifi password is [redacted:password]", CHESS}
    assert {one.id for one in known.values()} == set(ids.values())


async def test_secrets_in_the_users_own_text_stay_there_through_an_undo_and_are_not_copied(
    settings: Settings,
) -> None:
    await reported(settings, CHESS)
    nights.run_nightly(settings)
    own = f"My {PASSWORD}.\n\n<private>\nMy aunt\nis {AUNT}\n</private>\n\n```\n{KEY}\n```\n"
    edit(file_of(settings), "# USER.md\n", f"# USER.md\n\n{own}")
    before = file_of(settings).read_bytes()
    await reported(settings, "The user lives in Bergen")
    run = nights.run_nightly(settings)
    assert b"Bergen" in file_of(settings).read_bytes()
    for words in (TYPED, AUNT, "MIIEvQ"):
        assert remains(settings.home_path, words) == {"file USER.md"}
    assert undo(settings, run.id) == 0
    assert file_of(settings).read_bytes() == before


def test_what_is_no_longer_in_the_file_is_not_put_back_with_an_image() -> None:
    image = b"a\n[redacted:password]\n\nb [redacted:password]\n"
    assert put_own_text(image, b"a\n\nb\n") == image


async def test_forgetting_takes_the_words_out_of_the_copies_of_all_runs(
    settings: Settings,
) -> None:
    ids = await reported(settings, "The user collects Xylophonix records")
    for more in (CHESS, "The user lives in Bergen"):
        nights.run_nightly(settings)
        await reported(settings, more)
    edit(file_of(settings), "## Identity\n", f"## Identity\n- {PASSWORD}\n")
    nights.run_nightly(settings)
    copies = [*(settings.home_path / "night").rglob("USER.md")]
    assert sum(b"Xylophonix" in copy.read_bytes() for copy in copies) == 2
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
        nights.run_nightly(settings)
        assert [each for each in settings.home_path.rglob("*") if "wombat" in str(each)]
        assert [*settings.home_path.rglob("*.new")]
        await m.forget_memory(everything=True)
    left = [each.relative_to(settings.home_path) for each in settings.home_path.rglob("*")]
    assert not [each for each in left if each.parts[0] in ("night", "projects")]
    assert not [each for each in left if "wombat" in str(each)]
