"""What is forgotten is gone from every place it was derived to, and does not come back."""

import gc
import shutil
from collections.abc import Iterator
from pathlib import Path

import anyio
import anyio.lowlevel
import pytest
from tests.databases import read_text, write_text
from tests.forgetting.remains import remains, stored_passages, stored_vectors
from tests.limits import limit_settings

import memoria
from memoria.app import Memoria
from memoria.app.upkeep import back_up
from memoria.config import Settings
from memoria.disk.home_files import TOMBSTONE_KEY
from memoria.errors import ForgottenError, InvalidInputError, NotFoundError
from memoria.inference.embedder import BundledEmbedder
from memoria.language import lazy as remembered
from memoria.model import COMMAND_LINE, Trust, Vector
from memoria.surface.forgetting_text import forget_text

WORD = "zanzibar4711"
SECRET = f"The combination of my locker is {WORD}"
SAID = {
    "role": "user",
    "content": f"Remember: {SECRET}. {'And so on. ' * 200}",
    "session_id": "s",
    "message_id": "m2",
}
CHAT = [
    {"role": "user", "content": "Hello there", "session_id": "s", "message_id": "m1"},
    SAID,
    {"role": "assistant", "content": "Noted, bye", "session_id": "s", "message_id": "m3"},
]
RECORD = {"raw_chunks.data"}
"""Where the words of a turn stand that stays in the record; beside these only its index."""
INDEXES = {
    "sqlite": {"search_index_content.c1", "full-text vocabulary"},
    "postgres": {"search_index.words"},
}
"""Where an engine keeps the words of all texts."""


async def tell_everything(memory: Memoria) -> str:
    """The secret in every place a secret can be; gives the memory's id."""
    receipt = await memory.record_conversation(CHAT)
    said = receipt.turns[1].id
    kept = await memory.remember(SECRET, turn_id=said)
    await memory.revise_memory(kept.id, "correct", f"{SECRET} since May", turn_id=said)
    await memory.update_scratchpad(current_focus=f"Write down: {SECRET}.")
    await memory.update_scratchpad(current_focus="Something else", completed=f"Said: {SECRET}")
    write_text(memory.settings, "USER.md", f"# User\n\n- {SECRET}.\n- likes tea\n")
    return kept.id


async def test_with_its_source_nothing_is_left_anywhere(
    memory: Memoria, home: Path, engine: str
) -> None:
    memory_id = await tell_everything(memory)
    everywhere = remains(home, WORD)
    assert everywhere >= {
        "raw_chunks.data",
        "memory_versions.content",
        "memory_versions.quote",
        "completed_tasks.task",
        "file USER.md",
        *INDEXES[engine],
    }
    forgotten = await memory.forget_memory([memory_id], include_source=True)
    assert forgotten.scrubbed is (engine == "sqlite")  # a server's files are for a night
    assert remains(home, WORD) == set()
    assert read_text(memory.settings, "USER.md") == "# User\n\n- likes tea\n"


async def test_nothing_that_was_read_in_it_stays_in_memory_though_nobody_asks(
    memory: Memoria,
) -> None:
    memory_id = await tell_everything(memory)
    await memory.search_memory("What is the combination of my locker?")
    assert any(WORD in each for each in list_remembered())
    await memory.forget_memory([memory_id], include_source=True)
    with anyio.fail_after(30):
        while any(WORD in each for each in list_remembered()):
            await anyio.lowlevel.checkpoint()


def list_remembered() -> Iterator[str]:
    """Whatever functions of texts were given, as this process remembers it."""
    for function in remembered._REMEMBERING:  # noqa: SLF001  (nobody else tells)
        for held in gc.get_referents(function):
            yield from map(repr, held if isinstance(held, dict) else ())


async def test_without_its_source_the_verbatim_record_alone_is_left(
    memory: Memoria, home: Path, engine: str
) -> None:
    memory_id = await tell_everything(memory)
    await memory.forget_memory([memory_id])
    left = remains(home, WORD)
    assert left >= RECORD | INDEXES[engine]
    of_index = {place for place in left if place.startswith(("search_index", "postings"))}
    assert left - of_index - INDEXES[engine] - {"file memoria.db"} == RECORD
    assert remains(home, "since May") == set()


async def test_a_wording_of_its_own_is_gone_though_its_source_stays(
    memory: Memoria, home: Path
) -> None:
    receipt = await memory.record_conversation(CHAT)
    kept = await memory.remember("Locker code: quagga99", turn_id=receipt.turns[1].id)
    assert remains(home, "quagga99")
    await memory.forget_memory([kept.id])
    assert remains(home, "quagga99") == set()
    assert remains(home, WORD) >= RECORD


async def test_vectors_and_passages_go_too_also_those_of_the_turn_after_it(
    home: Path, embedder: BundledEmbedder
) -> None:
    async with memoria.open(home, embedder=embedder) as memory:
        memory_id = await tell_everything(memory)
        with anyio.fail_after(30):
            await memory.wait_until_idle()
        first, *others = stored_vectors(home)
        for vector in (first, *others):
            assert remains(home, "\0nothing", vector) >= {"embeddings.vector"}
        signs, records = stored_passages(home)
        gone: list[Vector | bytes] = [*others, signs, records]
        assert remains(home, "\0nothing", signs) >= {"passages.signs"}
        assert remains(home, "\0nothing", records) >= {"passages.records"}
        forgotten = await memory.forget_memory([memory_id], include_source=True)
        assert forgotten.report is not None
        assert forgotten.report.removed["passages"] == 1
        assert remains(home, WORD, *gone) == set()
        with anyio.fail_after(30):
            await memory.wait_until_idle()
        assert remains(home, WORD, *gone) == set()
        assert stored_passages(home) == []
        assert len(stored_vectors(home)) == 2
        assert remains(home, "\0nothing", first)


@pytest.mark.parametrize("include_source", [False, True])
async def test_recall_traces_import_and_remembering_don_t_bring_it_back(
    memory: Memoria, home: Path, *, include_source: bool
) -> None:
    memory_id = await tell_everything(memory)
    await memory.forget_memory([memory_id], include_source=include_source)
    again = await memory.record_conversation(CHAT)
    assert (again.recorded, again.forgotten) == (0, int(include_source))
    elsewhere = await memory.record_conversation(
        [{"role": "user", "content": f"Hello. By the way, {SECRET}!", "session_id": "t"}]
    )
    assert elsewhere.recorded == 1
    assert elsewhere.redactions == ({"forgotten": 1} if include_source else {})
    with pytest.raises(ForgottenError, match=r"forgotten on 20\d\d-.*again=true"):
        await memory.remember(f"{SECRET.upper()}!")
    for question in (WORD, "locker combination", SECRET):
        assert not [hit for hit in (await memory.search_memory(question)).hits if WORD in hit.text]
    texts = [hit.text for hit in (await memory.search_conversation_traces(WORD)).hits]
    assert (SAID["content"] in texts) == (not include_source)
    assert (f"Hello. By the way, {SECRET}!" in texts) == (not include_source)
    assert (remains(home, WORD) == set()) == include_source
    with pytest.raises(NotFoundError, match="was forgotten on"):
        await memory.get_memory(memory_id)


async def test_the_same_transcript_under_another_name_does_not_bring_the_turn_back(
    memory: Memoria, home: Path
) -> None:
    memory_id = await tell_everything(memory)
    await memory.forget_memory([memory_id], include_source=True)
    copies = [
        {**turn, "session_id": "copy", "message_id": f"x{turn['message_id']}"} for turn in CHAT
    ]
    receipt = await memory.record_conversation(copies)
    assert [turn.status for turn in receipt.turns] == ["recorded", "forgotten", "recorded"]
    assert remains(home, WORD) == set()


async def test_a_conversation_without_message_ids_is_still_known_after_a_turn_was_erased(
    memory: Memoria,
) -> None:
    chat = [
        {"role": "user", "content": text, "session_id": "u"}
        for text in ("Good morning to you", f"{SECRET}, you know", "What now", "Well then")
    ]
    receipt = await memory.record_conversation(chat)
    turn_id = receipt.turns[1].id
    assert turn_id is not None
    await memory.forget_memory([turn_id], include_source=True)
    repeated = await memory.record_conversation(
        [*chat, {"role": "user", "content": "One more thing", "session_id": "u"}]
    )
    assert [turn.status for turn in repeated.turns] == [
        "already_recorded",
        "forgotten",
        "already_recorded",
        "already_recorded",
        "recorded",
    ]


async def test_a_short_yes_is_not_refused_elsewhere_because_one_was_erased(memory: Memoria) -> None:
    def yes(session: str) -> list[dict[str, str]]:
        return [{"role": "user", "content": "yes", "session_id": session, "message_id": "1"}]

    turn_id = (await memory.record_conversation(yes("a"))).turns[0].id
    assert turn_id is not None
    await memory.forget_memory([turn_id], include_source=True)
    assert (await memory.record_conversation(yes("a"))).forgotten == 1
    assert (await memory.record_conversation(yes("b"))).recorded == 1


async def test_a_text_that_another_turn_shares_stays_with_that_turn(
    memory: Memoria, home: Path
) -> None:
    shared = {"role": "tool", "tool_name": "cat", "tool_result": "shared words"}
    receipt = await memory.record_conversation(
        [
            {**shared, "tool_args": {"file": "one-giraffe"}, "session_id": "a"},
            {**shared, "tool_args": {"file": "two"}, "session_id": "b"},
        ]
    )
    first, second = (turn.id for turn in receipt.turns)
    assert first is not None
    assert second is not None
    await memory.forget_memory([first], include_source=True)
    assert remains(home, "giraffe") == set()
    assert (await memory.get_turn(second)).turn.tool_result == "shared words"


async def test_every_version_of_an_edited_message_goes(memory: Memoria, home: Path) -> None:
    memory_id = await tell_everything(memory)
    edited = {**SAID, "content": "Remember: I said nothing of pelicans."}
    assert (await memory.record_conversation([edited])).new_versions == 1
    await memory.forget_memory([memory_id], include_source=True)
    assert remains(home, WORD) == remains(home, "pelicans") == set()


async def test_other_memories_of_an_erased_turn_stay_without_it_and_are_named(
    memory: Memoria,
) -> None:
    said = (await memory.record_conversation(CHAT)).turns[1].id
    kept = await memory.remember(SECRET, turn_id=said)
    other = await memory.remember("The user has a locker", turn_id=said)
    forgotten = await memory.forget_memory([kept.id], include_source=True)
    assert forgotten.related_memories == (other.id,)
    left = await memory.get_memory(other.id)
    assert left.current.provenance.turn_id is None


async def test_forgetting_a_turn_forgets_what_was_drawn_from_it(memory: Memoria) -> None:
    said = (await memory.record_conversation(CHAT)).turns[1].id
    assert said is not None
    drawn = await memory.remember("The user has a locker", turn_id=said)
    forgotten = await memory.forget_memory([said])
    assert drawn.id in forgotten.memories
    assert forgotten.turns_suppressed == (said,)
    with pytest.raises(ForgottenError):
        await memory.remember("The user has a locker")


async def test_the_same_words_in_another_workspace_are_forgotten_too(
    memory: Memoria, home: Path
) -> None:
    red = await memory.remember(SECRET, workspace="red")
    blue = await memory.remember(SECRET, workspace="blue")
    forgotten = await memory.forget_memory([red.id])
    assert set(forgotten.memories) == {red.id, blue.id}
    assert remains(home, WORD) == set()


async def test_a_wording_that_another_memory_once_had_goes_from_its_history(
    memory: Memoria, home: Path
) -> None:
    corrected = await memory.remember(SECRET)
    await memory.revise_memory(corrected.id, "correct", "The locker was sold")
    again = await memory.remember(SECRET)
    assert again.id != corrected.id
    await memory.forget_memory([again.id])
    assert remains(home, WORD) == set()
    left = await memory.get_memory(corrected.id)
    assert [version.content for version in left.versions] == ["The locker was sold"]


async def test_what_the_user_wants_back_can_be_remembered_again(memory: Memoria) -> None:
    kept = await memory.remember(SECRET)
    await memory.forget_memory([kept.id], reason="moved house")
    with pytest.raises(ForgottenError, match="moved house"):
        await memory.remember(SECRET)
    back = await memory.remember(SECRET, again=True)
    assert back.id != kept.id
    assert (await memory.remember(SECRET)).status == "already_known"
    assert [hit.id for hit in (await memory.search_memory(WORD)).hits] == [back.id]


async def test_a_correction_can_t_say_what_was_forgotten(memory: Memoria) -> None:
    kept = await memory.remember(SECRET)
    other = await memory.remember("The locker is blue")
    await memory.forget_memory([kept.id])
    with pytest.raises(ForgottenError):
        await memory.revise_memory(other.id, "correct", SECRET)
    assert (await memory.get_memory(other.id)).content == "The locker is blue"


async def test_forgetting_twice_is_forgetting_once(memory: Memoria) -> None:
    kept = await memory.remember(SECRET)
    first = await memory.forget_memory([kept.id])
    second = await memory.forget_memory([kept.id])
    assert (first.memories, second.memories) == ((kept.id,), ())
    assert second.already_forgotten == (kept.id,)


async def test_an_unknown_id_forgets_nothing(memory: Memoria) -> None:
    kept = await memory.remember(SECRET)
    with pytest.raises(NotFoundError, match="Find its id"):
        await memory.forget_memory([kept.id, "nobody"])
    assert (await memory.get_memory(kept.id)).content == SECRET
    with pytest.raises(InvalidInputError, match="ids"):
        await memory.forget_memory([])


@pytest.mark.sqlite("looks into the file")
async def test_a_tombstone_can_t_be_guessed_from_the_database_alone(
    memory: Memoria, home: Path
) -> None:
    kept = await memory.remember("PIN 4711")
    await memory.forget_memory([kept.id])
    key = home / TOMBSTONE_KEY
    assert key.stat().st_mode & 0o777 == 0o600
    assert key.read_bytes() not in (home / "memoria.db").read_bytes()
    assert remains(home, "4711") == set()


async def test_another_tenant_keeps_what_this_one_forgot(home: Path) -> None:
    settings = {"home": home, "embedder": "off"}
    ann, bob = (Settings.from_values(tenant=name, **settings) for name in ("ann", "bob"))
    async with memoria.open(settings=ann) as anns, memoria.open(settings=bob) as bobs:
        mine = await anns.remember(SECRET)
        other = await bobs.remember(SECRET)
        with pytest.raises(NotFoundError):
            await bobs.forget_memory([mine.id])
        await anns.forget_memory([mine.id], include_source=True)
        assert (await bobs.get_memory(other.id)).content == SECRET
        assert (await bobs.remember(SECRET)).status == "already_known"


@pytest.mark.sqlite("a forget wipes the file at once")
async def test_while_another_process_reads_the_old_pages_the_wipe_is_owed_not_claimed(
    home: Path,
) -> None:
    settings = limit_settings(busy_timeout_ms=300)(home=home, embedder="off")
    async with memoria.open(settings=settings) as memory:
        kept = await memory.remember(SECRET)
        async with memoria.open(settings=settings) as other:
            with other._store.read("default") as tx:  # noqa: SLF001  (holds a snapshot open)
                assert tx.memories.get(kept.id) is not None
                forgotten = await memory.forget_memory([kept.id])
                assert not forgotten.scrubbed
                assert memory._store.needs_scrub()  # noqa: SLF001
        assert memory._store.scrub()  # noqa: SLF001
        assert remains(home, WORD) == set()


async def test_what_the_user_says_again_on_the_command_line_is_verified(memory: Memoria) -> None:
    reported = await memory.remember("The user likes tea")
    assert not (await memory.get_memory(reported.id)).verified
    said = await memory.with_channel(COMMAND_LINE).remember("the user likes tea")
    assert said.id == reported.id
    assert (await memory.get_memory(reported.id)).verified


async def test_what_rests_on_a_tool_s_output_is_trusted_no_more_than_that(memory: Memoria) -> None:
    output = {"role": "tool", "tool_name": "web", "tool_result": "The user is called Bob"}
    turn_id = (await memory.record_conversation([output])).turns[0].id
    kept = await memory.remember("The user is called Bob", turn_id=turn_id)
    provenance = (await memory.get_memory(kept.id)).current.provenance
    assert (provenance.trust, provenance.source_kind.value) == (Trust.TOOL, "tool_output")


@pytest.mark.sqlite("a backup is a copy of the file")
async def test_backups_that_still_hold_it_are_named_with_their_end(
    memory: Memoria, home: Path
) -> None:
    settings = memory.settings
    empty = back_up(settings, None, lambda _done, _total: None)
    kept = await memory.remember(SECRET)
    dated = back_up(settings, None, lambda _done, _total: None)
    renamed = dated.path.with_name("mine.zip")
    shutil.copy(dated.path, renamed)
    assert remains(home, WORD)
    forgotten = await memory.forget_memory([kept.id])
    assert {left.path: left.kept_until for left in forgotten.backups} == {
        str(dated.path): dated.kept_until,
        str(renamed): None,
    }
    assert empty.path.exists()
    text = forget_text(forgotten)
    assert f"{renamed} of" in text
    assert "it stays until you delete it" in text
    assert "the next backup after" in text


async def test_what_may_return_is_erased_all_the_same_and_can_be_said_again(home: Path) -> None:
    settings = memoria.Settings(embedder="off", forget_grace_days=7)
    turn = {"session_id": "s", "message_id": "m", "role": "user", "content": "我对花生过敏，别放"}
    async with memoria.open(home=home, tenant="t", settings=settings) as m:
        said = (await m.record_conversation([turn])).turns[0].id or ""
        with pytest.raises(InvalidInputError, match="include_source"):
            await m.forget_memory([said], may_return=True)
        gone = await m.forget_memory([said], include_source=True, may_return=True)
        assert gone.turns_erased == (said,)
        assert gone.report is not None
        assert gone.report.state == "erased"
        assert await m.find_message("s", "m") is None
        assert not (await m.search_conversation_traces("花生")).hits
        assert (await m.record_conversation([turn])).recorded == 1
        again = await m.find_message("s", "m")
        assert again is not None
        assert again.content == turn["content"]
