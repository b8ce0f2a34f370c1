"""What a night rules of two memories takes effect: the newer one replaces, or both wait, marked."""

import json
from itertools import pairwise

import pytest
from tests.lifecycle.dump import dump, memory, store_of
from tests.lifecycle.test_merge import SEEN, alike, conclude, night, ruling, turns, with_model
from tests.llm.scripted import Asked, ScriptedModel

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.language.reading.statement import fingerprint
from memoria.model import (
    COMMAND_LINE,
    DAY_MS,
    InferredBy,
    MemoryType,
    Node,
    Provenance,
    Validity,
    new_id,
    now_millis,
    to_iso,
)
from memoria.model.nightly import NightlyRun
from memoria.store.rows.transaction import Transaction
from memoria.store.values import NewMemory, NewVersion

LEEDS = "The user lives in Leeds"
YORK = "The user lives in York"
PAIRS = [(LEEDS, YORK), ("用户住在利兹", "用户住在约克")]
FIRST, SECOND, THIRD = (now_millis() - days * DAY_MS for days in (90, 30, 5))


def known(settings: Settings, text: str, at: int, **more: object) -> str:
    """A memory that has held since a moment."""
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        return conclude(tx, text, **{"at": at, **more})  # type: ignore[arg-type]


def like(settings: Settings, *ids: str) -> None:
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        for one, other in pairwise(ids):
            alike(tx, one, other, 0.85)


def pair_of(settings: Settings, one: str, other: str, **more: object) -> tuple[str, str]:
    """Two memories of nearly the same meaning, the second said later."""
    ids = known(settings, one, FIRST), known(settings, other, **{"at": SECOND, **more})  # type: ignore[arg-type]
    like(settings, *ids)
    return ids


def ruled(settings: Settings, relation: str) -> NightlyRun:
    """A night whose model says this of every pair."""
    with ScriptedModel(answer=ruling(**{"": relation})) as model:
        return night(with_model(settings, model))


def edges(settings: Settings, memory_id: str) -> set[tuple[str, str, str]]:
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        found = tx.graph.list_edges(Node("memory", memory_id), SEEN)
    return {(edge.src.id, edge.type.value, edge.dst.id) for edge in found}


def is_marked(settings: Settings, one: str, other: str) -> bool:
    kinds = {kind for src, kind, dst in edges(settings, one) if {src, dst} == {one, other}}
    return "CONTRADICTS" in kinds


def stand(settings: Settings, *ids: str) -> list[Validity]:
    return [memory(settings, each).validity for each in ids]


BOTH_STAY = [Validity.ACTIVE, Validity.ACTIVE]
REPLACED = [Validity.SUPERSEDED, Validity.ACTIVE]


@pytest.mark.parametrize(("old", "new"), PAIRS)
async def test_a_nights_verdict_that_one_replaces_the_other_supersedes(
    settings: Settings, old: str, new: str
) -> None:
    ids = pair_of(settings, old, new)
    run = ruled(settings, "replaces")
    assert run.steps[0].outcomes == {"done": 1}
    assert run.steps[0].reasons == {ids[0]: f"replaced by {ids[1]}: that tells how it is now"}
    assert stand(settings, *ids) == REPLACED
    assert (ids[0], "VERSION_NEXT", ids[1]) in edges(settings, ids[0])
    async with open_memoria(settings=settings) as m:
        assert ids[1] in str((await m.provenance.history(ids[0])).events)
        found = await m.search_memory(new)
        assert [hit.id for hit in found.hits] == [ids[1]]


@pytest.mark.parametrize(("old", "new"), PAIRS)
async def test_what_a_night_has_superseded_is_what_held_until_its_successor_began_to(
    settings: Settings, old: str, new: str
) -> None:
    ids = pair_of(settings, old, new)
    ruled(settings, "replaces")
    assert memory(settings, ids[0]).current.valid_to == SECOND
    async with open_memoria(settings=settings) as m:
        for at, held in ((SECOND - DAY_MS, ids[0]), (SECOND + DAY_MS, ids[1])):
            found = await m.search_memory(new, as_of=to_iso(at))
            assert [hit.id for hit in found.hits] == [held]
        await m.revise_memory(ids[0], "restore")
    assert memory(settings, ids[0]).current.valid_to is None


async def test_an_undo_takes_a_nights_verdict_back_exactly(settings: Settings) -> None:
    pair_of(settings, LEEDS, YORK)
    before = dump(settings.home_path)
    run = ruled(settings, "replaces")
    assert dump(settings.home_path) != before
    undone = nights.undo_nightly(settings, run.id, lambda _: None)
    assert (undone.kept, undone.forgotten) == (0, 0)
    assert dump(settings.home_path) == before
    assert ruled(settings, "replaces").steps[0].outcomes == {"done": 1}


async def test_of_three_homes_the_last_one_is_current_and_the_chain_leads_to_it(
    settings: Settings,
) -> None:
    homes = ("Leeds", "York", "Bath")
    ids = [
        known(settings, f"The user lives in {home}", at)
        for home, at in zip(homes, (FIRST, SECOND, THIRD), strict=True)
    ]
    like(settings, *ids)
    ruled(settings, "replaces")
    assert stand(settings, *ids) == [Validity.SUPERSEDED, Validity.SUPERSEDED, Validity.ACTIVE]
    assert {(ids[0], "VERSION_NEXT", ids[1]), (ids[1], "VERSION_NEXT", ids[2])} <= (
        edges(settings, ids[0]) | edges(settings, ids[1])
    )


@pytest.mark.parametrize("action", ["confirm", "pin"])
async def test_what_the_user_confirmed_or_pinned_is_not_superseded_by_a_night_but_marked(
    settings: Settings, action: str
) -> None:
    ids = pair_of(settings, LEEDS, YORK)
    async with open_memoria(settings=settings, channel=COMMAND_LINE) as m:
        await m.revise_memory(ids[0], action)  # type: ignore[arg-type]
    before = dump(settings.home_path)
    run = ruled(settings, "replaces")
    assert run.steps[0].reasons == {ids[1]: f"may contradict {ids[0]}: see memoria review"}
    assert stand(settings, *ids) == BOTH_STAY
    assert is_marked(settings, *ids)
    nights.undo_nightly(settings, run.id, lambda _: None)
    assert dump(settings.home_path) == before


@pytest.mark.parametrize(("old", "new"), PAIRS)
@pytest.mark.parametrize(
    "more", [{"trust": "tool"}, {"at": FIRST}], ids=["from a tool", "of the same moment"]
)
async def test_what_a_night_may_not_decide_stays_beside_the_other_and_is_marked(
    settings: Settings, old: str, new: str, more: dict[str, object]
) -> None:
    ids = pair_of(settings, old, new, **more)
    ruled(settings, "replaces")
    assert stand(settings, *ids) == BOTH_STAY
    assert is_marked(settings, *ids)


@pytest.mark.parametrize(("old", "new"), PAIRS)
async def test_what_contradicts_is_marked_and_nothing_is_superseded(
    settings: Settings, old: str, new: str
) -> None:
    ids = pair_of(settings, old, new)
    ruled(settings, "contradicts")
    assert stand(settings, *ids) == BOTH_STAY
    assert is_marked(settings, *ids)
    assert ruled(settings, "replaces").steps[0].planned == 0  # it was ruled upon


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (LEEDS, "The user plans to live in York"),
        (LEEDS, "The user would like to live in York"),
        ("用户住在利兹", "用户打算住在约克"),
    ],
)
async def test_what_a_night_rules_to_be_different_stays_and_is_neither_marked_nor_asked_about_again(
    settings: Settings, old: str, new: str
) -> None:
    ids = pair_of(settings, old, new)
    ruled(settings, "different")
    assert stand(settings, *ids) == BOTH_STAY
    assert not is_marked(settings, *ids)
    assert ruled(settings, "replaces").steps[0].planned == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user plans to marry in May", "The user plans to marry in October"),
        ("用户打算五月结婚", "用户打算十月结婚"),
    ],
)
async def test_a_plan_replaces_a_plan_where_a_nights_model_says_so(
    settings: Settings, old: str, new: str
) -> None:
    ids = pair_of(settings, old, new)
    ruled(settings, "replaces")
    assert stand(settings, *ids) == REPLACED


@pytest.mark.parametrize("names", [("wedding", "wedding"), ("wedding", "marriage day")])
async def test_a_date_that_was_moved_replaces_the_former_whatever_its_property_is_called(
    settings: Settings, names: tuple[str, str]
) -> None:
    dates = (now_millis() + days * DAY_MS for days in (100, 250))
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        ids = [
            stated(tx, text, said, event_at=date, subject="user", predicate=name)
            for text, said, date, name in zip(
                ("The wedding is in May", "The wedding is in October"),
                (FIRST, SECOND),
                dates,
                names,
                strict=True,
            )
        ]
        alike(tx, ids[0], ids[1], 0.9)
    ruled(settings, "replaces")
    assert stand(settings, *ids) == REPLACED
    assert memory(settings, ids[0]).current.valid_to == SECOND


def stated(
    tx: Transaction,
    text: str,
    at: int,
    event_at: int | None = None,
    expires_at: int | None = None,
    **more: str,
) -> str:
    """A memory with a subject, a property or a day."""
    origin = Provenance(source_kind="user_said", trust="reported", channel="extraction", client="m")
    version = NewVersion(
        text,
        fingerprint(text),
        at,
        at,
        origin,
        None,
        InferredBy.MODEL,
        event_at=event_at,
        expires_at=expires_at,
    )
    new = NewMemory(new_id(), MemoryType.FACT, 0.5, 0.8, **more)  # type: ignore[arg-type]
    tx.memories.add(new, version)
    return new.id


async def test_what_a_model_finds_the_same_and_may_not_be_merged_is_not_asked_about_again(
    settings: Settings,
) -> None:
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        ids = [
            stated(tx, text, at, expires_at=expires)
            for text, at, expires in (
                ("She lives in Leeds", FIRST, None),
                ("Leeds is her home", SECOND, now_millis() + DAY_MS),
            )
        ]
        alike(tx, ids[0], ids[1], 0.9)
    ruled(settings, "same")
    assert stand(settings, *ids) == BOTH_STAY
    with ScriptedModel(answer=ruling(**{"": "same"})) as model:
        night(with_model(settings, model))
        assert model.requests == []


async def test_what_the_user_has_restored_is_not_superseded_again_by_the_same_memory(
    settings: Settings,
) -> None:
    ids = pair_of(settings, LEEDS, YORK)
    ruled(settings, "replaces")
    async with open_memoria(settings=settings, channel=COMMAND_LINE) as m:
        await m.revise_memory(ids[0], "restore")
    run = ruled(settings, "replaces")
    assert stand(settings, *ids) == BOTH_STAY
    assert is_marked(settings, *ids)
    assert run.steps[0].outcomes == {"done": 1}
    assert ruled(settings, "replaces").steps[0].planned == 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (LEEDS, "The user has moved to York"),
        ("用户住在利兹", "用户搬到约克了"),
        (LEEDS, YORK),
        ("用户喜欢猫", "用户不喜欢猫"),
    ],
)
async def test_without_a_model_a_night_replaces_and_marks_nothing(
    settings: Settings, old: str, new: str
) -> None:
    ids = pair_of(settings, old, new)
    night(settings)
    assert stand(settings, *ids) == BOTH_STAY
    assert not is_marked(settings, *ids)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user takes the ferry to work", "Since the bridge opened the user goes in by car"),
        ("用户每周去一次健身房", "自从摔伤以后健身卡都退了"),
        ("Aunt Vi's flat is in Bath", "Aunt Vi has moved in with her son in Hull"),
        ("三姨的诊所在南京", "三姨退休了，以后不看病了"),
        ("The builds run on Jenkins", "Drone took over all jobs and Jenkins was shut down"),
    ],
)
async def test_a_model_is_asked_about_what_shares_no_word_and_is_of_one_person(
    settings: Settings, old: str, new: str
) -> None:
    ids = known(settings, old, FIRST), known(settings, new, SECOND)
    known(settings, "The printer is on the second floor", THIRD)

    def answer(asked: Asked) -> object:
        lines = [json.loads(line) for line in asked.text.splitlines() if line.startswith("{")]
        pairs = {line["number"]: (line["known"], line["new"]) for line in lines}
        return {
            "rulings": [
                {"pair": n, "relation": "replaces" if pair == (old, new) else "different"}
                for n, pair in pairs.items()
            ]
        }

    with ScriptedModel(answer=answer) as model:
        run = night(with_model(settings, model))
    assert stand(settings, *ids) == REPLACED
    assert run.steps[0].outcomes == {"done": 1}


async def test_a_number_that_counts_nothing_and_two_ways_to_deny_keep_nothing_apart(
    settings: Settings,
) -> None:
    pairs = [
        ("用户一下雨就头疼", "下雨的时候用户会头疼"),
        ("The user can't stand cilantro", "Cilantro is something the user does not like"),
    ]
    for old, new in pairs:
        ids = pair_of(settings, old, new)
        ruled(settings, "same")
        assert Validity.SUPERSEDED in stand(settings, *ids)


async def test_forgetting_the_successor_leaves_what_it_replaced_out_of_the_present(
    settings: Settings,
) -> None:
    ids = pair_of(settings, LEEDS, YORK)
    ruled(settings, "replaces")
    async with open_memoria(settings=settings) as m:
        await m.forget_memory([ids[1]])
    assert stand(settings, ids[0]) == [Validity.SUPERSEDED]
    assert "York" not in str(dump(settings.home_path))


async def test_erasing_the_turn_of_what_a_night_superseded_erases_it_whole(
    settings: Settings,
) -> None:
    (n,) = await turns(settings, LEEDS)
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        ids = conclude(tx, LEEDS, [n], at=FIRST), conclude(tx, YORK, at=SECOND)
        alike(tx, ids[0], ids[1], 0.9)
    ruled(settings, "replaces")
    async with open_memoria(settings=settings) as m:
        await m.forget_memory([ids[0]], include_source=True)
    assert "Leeds" not in str(dump(settings.home_path))
    assert stand(settings, ids[1]) == [Validity.ACTIVE]
