"""A night weighs memories by what the record has: it says why, and can be undone."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.lifecycle.dump import Interrupted, copied, dump, interrupting, memory, store_of
from tests.lifecycle.test_night_policy import Mild
from tests.lifecycle.test_night_verdicts import BOTH_STAY, is_marked, stand

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.language.reading.statement import fingerprint
from memoria.lifecycle.steps.weigh import MOST_WEIGHED, take_turn
from memoria.memories.links import link_contradictions
from memoria.model import (
    COMMAND_LINE,
    DAY_MS,
    InferredBy,
    MemoryType,
    Provenance,
    Role,
    SourceKind,
    Turn,
    Validity,
    new_id,
    now_millis,
)
from memoria.model.nightly import NightlyRun
from memoria.model.provenance import MemoryRecord
from memoria.store.values import NewEvidence, NewMemory, NewVersion
from memoria.surface.cli.records import render_memory
from memoria.surface.origins import write_memory_record

TABS = "I indent with tabs in every repository"
SPACES = "I indent with two spaces from now on"
NOW = now_millis()
Said = tuple[int, str]
"""Days ago, and the words."""


async def record(
    settings: Settings, *said: Said, role: Role = Role.USER, speaker: str | None = None
) -> list[int]:
    """Record turns, each in a conversation and on a day of its own; return their numbers."""
    sessions = [f"s{new_id()}" for _ in said]
    async with open_memoria(settings=settings) as m:
        for session, (days, text) in zip(sessions, said, strict=True):
            turn = Turn(role=role, content=text, at=NOW - days * DAY_MS, speaker=speaker)
            await m.record_conversation([turn], session_id=session)
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        return [tx.conversations.session_turns(one, 0, 9)[0].n for one in sessions]


def conclude(
    settings: Settings,
    text: str,
    turns: Sequence[int],
    source: SourceKind = SourceKind.USER_SAID,
    importance: float = 0.7,
) -> str:
    """Write what a model would have concluded from the first turn, which the others say again."""
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        at = min((one.at for one in tx.conversations.turns(turns).values()), default=1)
        origin = Provenance(source_kind=source, trust="reported", channel="extraction", quote=text)
        first = turns[0] if turns else None
        version = NewVersion(text, fingerprint(text), at, at, origin, first, InferredBy.MODEL)
        new = NewMemory(new_id(), MemoryType.PREFERENCE, importance, 0.7)
        tx.memories.add(new, version)
        for n in turns[1:]:
            tx.memories.add_evidence(NewEvidence(new.id, n, text, at))
    return new.id


async def dispute(
    settings: Settings, *said: tuple[str, Sequence[int]], last: str | None = None
) -> tuple[str, str]:
    """Two memories of the user's that contradict each other, each with the days it was said.

    `last` are the words in which the second was said.
    """
    (text, days), (other_text, other_days) = said
    one = conclude(settings, text, await record(settings, *((day, text) for day in days)))
    turns = await record(settings, *((day, last or other_text) for day in other_days))
    other = conclude(settings, other_text, turns)
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        known = tx.memories.get(other)
        assert known is not None
        link_contradictions(tx, known, [one], now=NOW)
    return one, other


def weigh(settings: Settings) -> NightlyRun:
    return nights.run_nightly(settings, ["weigh"])


def confidence(settings: Settings, memory_id: str) -> float:
    return memory(settings, memory_id).confidence


async def look_up(settings: Settings, memory_id: str) -> MemoryRecord:
    async with open_memoria(settings=settings) as m:
        found = await m.provenance.get(memory_id)
    assert isinstance(found, MemoryRecord)
    return found


async def test_what_the_user_said_on_two_days_is_surer_and_a_second_night_changes_nothing(
    settings: Settings,
) -> None:
    twice = conclude(settings, TABS, await record(settings, (9, TABS), (5, TABS)))
    once = conclude(settings, SPACES, await record(settings, (9, SPACES)))
    run = weigh(settings)
    assert (confidence(settings, twice), confidence(settings, once)) == (0.8, 0.7)
    assert run.steps[0].outcomes == {"done": 1}
    assert weigh(settings).steps[0].planned == 0


async def test_a_later_word_of_the_users_ends_the_former_and_the_undo_puts_both_back(
    settings: Settings,
) -> None:
    ids = await dispute(settings, (TABS, (90, 60, 30)), (SPACES, (2,)))
    before = dump(settings.home_path)
    run = weigh(settings)
    assert stand(settings, *ids) == [Validity.SUPERSEDED, Validity.ACTIVE]
    reason = run.steps[0].reasons[ids[0]]
    assert reason.startswith("newer; for: the user said it in 3 sessions")
    assert reason.endswith(f"; confidence 0.70 → 0.40; ended, replaced by {ids[1]}")
    assert (confidence(settings, ids[0]), confidence(settings, ids[1])) == (0.4, 0.8)
    nights.undo_nightly(settings, run.id, lambda _: None)
    after = dump(settings.home_path)
    for table in ("memories", "memory_versions", "memory_evidence", "edges"):
        assert after[table] == before[table], table
    assert weigh(settings).steps[0].planned == 0  # what was undone is not decided again


async def test_a_weighing_that_was_killed_ends_as_one_left_in_peace(
    settings: Settings, tmp_path: Path
) -> None:
    ids = [
        one for _ in range(3) for one in await dispute(settings, (TABS, (90, 60)), (SPACES, (2,)))
    ]
    killed = copied(settings, tmp_path / "killed")
    with pytest.raises(Interrupted):
        nights.run_nightly(killed, ["weigh"], progress=interrupting(1))
    weigh(killed)
    weigh(settings)
    for one in ids:
        ended, other = memory(settings, one), memory(killed, one)
        assert (ended.validity, ended.confidence) == (other.validity, other.confidence)
    assert stand(settings, *ids) == [Validity.SUPERSEDED, Validity.ACTIVE] * 3


async def test_what_the_evidence_does_not_decide_waits_in_review(settings: Settings) -> None:
    ids = await dispute(settings, (TABS, (2,)), (SPACES, (2,)))
    assert weigh(settings).steps[0].planned == 0
    assert stand(settings, *ids) == BOTH_STAY
    async with open_memoria(settings=settings) as m:
        assert (await m.provenance.page_contradicted()).total == 1


async def test_what_the_user_has_restored_is_not_ended_again(settings: Settings) -> None:
    ids = await dispute(settings, (TABS, (9,)), (SPACES, (2,)))
    weigh(settings)
    async with open_memoria(settings=settings, channel=COMMAND_LINE) as m:
        await m.revise_memory(ids[0], "restore")
    weigh(settings)
    assert stand(settings, *ids) == BOTH_STAY
    assert is_marked(settings, *ids)
    assert confidence(settings, ids[0]) == 0.7
    assert weigh(settings).steps[0].planned == 0


async def test_a_dispute_stays_where_a_policy_lets_both_hold(settings: Settings) -> None:
    ids = await dispute(settings, (TABS, (9,)), (SPACES, (2,)))
    async with open_memoria(settings=settings, policy=Mild()) as m:
        run = await m.run_nightly(["weigh"])
    assert run.steps[0].outcomes["kept"] == 1
    assert stand(settings, *ids) == BOTH_STAY


async def test_the_record_is_searched_for_what_the_user_said_again_in_the_same_words(
    settings: Settings,
) -> None:
    first = await record(settings, (9, TABS))
    kept = conclude(settings, TABS, first)
    (again,) = await record(settings, (5, f"{TABS}!"))
    await record(settings, (4, f"Continue my story. {TABS}."), (3, f"{TABS} /s"))
    await record(settings, (4, f"> {TABS}"), (3, f"{TABS}?"), (2, f"Don't tell anyone. {TABS}."))
    await record(settings, (1, TABS), role=Role.ASSISTANT)
    await record(settings, (1, TABS), speaker="Tom")
    weigh(settings)
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        numbers = {one.id: one.n for one in tx.conversations.turns([*first, again]).values()}
        evidence = [numbers.get(one.turn_id) for one in tx.memories.list_evidence(kept)]
    assert evidence == [*first, again]
    assert confidence(settings, kept) == 0.8
    assert weigh(settings).steps[0].planned == 0


@pytest.mark.parametrize(
    "beside",
    [
        "In my story, {}",
        "Let's pretend {}.",
        "Lyrics: {}",
        "{} 🙄",
        "Sure, and {}",
        "It would be a lie to say {}",
        "小说里的主角说{}",
        "Write a diary of a chef. {}.",
    ],
)
async def test_words_beside_a_passage_keep_it_from_ending_what_the_user_said(
    settings: Settings, beside: str
) -> None:
    words = beside.format(SPACES)
    one, _ = await dispute(settings, (TABS, (9,)), (SPACES, (1,)), last=words)
    weigh(settings)
    assert memory(settings, one).validity is Validity.ACTIVE


@pytest.mark.parametrize(
    ("said", "source", "why"),
    [
        (Role.ASSISTANT, SourceKind.ASSISTANT_INFERRED, "the assistant alone said it"),
        (None, SourceKind.USER_SAID, "its words are no longer on record"),
    ],
)
async def test_what_nobody_stands_for_is_doubted_until_the_user_says_it(
    settings: Settings, said: Role | None, source: SourceKind, why: str
) -> None:
    turns = [] if said is None else await record(settings, (9, TABS), role=said)
    doubted = conclude(settings, TABS, turns, source)
    run = weigh(settings)
    assert confidence(settings, doubted) == 0.4
    told = f"source; for: nothing; against: {why}; confidence 0.70 → 0.40"
    assert run.steps[0].reasons == {doubted: told}
    await record(settings, (1, TABS))
    weigh(settings)
    assert confidence(settings, doubted) == 0.7
    assert weigh(settings).steps[0].planned == 0


@pytest.mark.parametrize("words", [f"> {TABS}", f"{TABS}?", f"Maybe {TABS}.", f"{TABS}, lol."])
async def test_what_the_user_asks_quotes_or_doubts_is_no_later_word_of_theirs(
    settings: Settings, words: str
) -> None:
    ids = await dispute(settings, (SPACES, (9,)), (TABS, (2,)), last=words)
    assert weigh(settings).steps[0].planned == 0
    assert stand(settings, *ids) == BOTH_STAY


async def test_neither_silence_nor_an_agents_confirmation_is_evidence(settings: Settings) -> None:
    used = conclude(settings, TABS, await record(settings, (9, TABS)), importance=0.5)
    async with open_memoria(settings=settings) as m:
        await m.revise_memory(used, "confirm")
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        for _ in range(60):
            tx.memories.add_use(used, 0.0, NOW)
    assert weigh(settings).steps[0].planned == 0


async def test_what_counts_for_and_against_a_memory_is_shown_with_it(settings: Settings) -> None:
    ids = await dispute(settings, (TABS, (9, 5)), (SPACES, (5,)))
    found = await look_up(settings, ids[0])
    why = "for: the user said it in 2 sessions on 2 days; against: another memory says otherwise"
    assert why in " ".join(render_memory(found, 200).split())
    shown = write_memory_record(found)["weighing"]
    assert shown["why"] == why
    assert shown["why_chinese"] == "支持：用户在 2 次会话、2 天里说过；反对：另一条记忆说法不同"
    assert shown["tendency"] == "same"


async def test_what_is_doubted_stands_below_what_is_not(settings: Settings) -> None:
    turns = await record(settings, (9, "nothing of it"))
    ids = [conclude(settings, f"the {word} port is 8080", turns) for word in ("east", "west")]
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        tx.memories.set_flags(ids[0], NOW, confidence=0.4)
    async with open_memoria(settings=settings) as m:
        hits = (await m.search_memory("which port is it?")).hits
    assert [hit.id for hit in hits if hit.id in ids] == [ids[1], ids[0]]


def test_every_memory_has_its_night() -> None:
    many = [str(n) for n in range(3 * MOST_WEIGHED + 7)]
    looked_at = [take_turn(many, NOW + night * DAY_MS) for night in range(4)]
    assert {one for night in looked_at for one in night} == {*many}
    assert max(map(len, looked_at)) == MOST_WEIGHED
