"""Memories that say the same become one; nothing of them is lost, and all of it can be undone."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.lifecycle.dump import Interrupted, copied, dump, interrupting, memory, store_of
from tests.llm.scripted import Asked, ScriptedModel, fails

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.errors import NotFoundError
from memoria.language.reading.statement import fingerprint
from memoria.lifecycle.runner import Progress
from memoria.model import (
    COMMAND_LINE,
    Edge,
    EdgeType,
    InferredBy,
    MemoryType,
    Node,
    Provenance,
    Scope,
    Turn,
    Validity,
    new_id,
    now_millis,
    use_clock,
)
from memoria.model.nightly import NightlyRun
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters, NewEvidence, NewMemory, NewVersion

STEPS = ("merge",)
PORT = "the port is 8080"
PORT_AGAIN = "the port is really 8080"
LEEDS = "Her brother lives in Leeds"
LEEDS_AGAIN = "Her brother really lives in Leeds"
SEEN = Filters(everywhere=True, include_history=True, include_processed=True)
Tell = Callable[..., list[str]]


def conclude(
    tx: Transaction,
    text: str,
    turns: Sequence[int] = (),
    *,
    trust: str = "reported",
    confidence: float = 0.8,
    importance: float = 0.5,
    at: int = 1,
    workspace: str | None = None,
    scope: Scope | None = None,
) -> str:
    """A conclusion drawn from the first of the turns, which the others say again."""
    turn_n, *again = turns or (None,)
    origin = Provenance(
        source_kind="user_said", trust=trust, channel="extraction", client="m", quote=text
    )
    version = NewVersion(text, fingerprint(text), at, at, origin, turn_n, InferredBy.MODEL)
    memory = NewMemory(new_id(), MemoryType.FACT, importance, confidence, workspace, scope=scope)
    tx.memories.add(memory, version)
    for n in again:
        if n is not None:
            tx.memories.add_evidence(NewEvidence(memory.id, n, text, at))
    return memory.id


async def turns(settings: Settings, *said: str) -> list[int]:
    """Turns of a conversation, by number."""
    async with open_memoria(settings=settings) as m:
        await m.record_conversation(
            [Turn(role="user", content=text) for text in said], session_id="s"
        )
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        return [turn.n for turn in tx.conversations.session_turns("s", 0, 1000)]


def alike(tx: Transaction, one: str, other: str, cosine: float) -> None:
    """What the embedding worker writes of two neighbours."""
    tx.graph.upsert_edges(
        [
            Edge(
                src=Node("memory", one),
                type=EdgeType.SIMILAR_TO,
                dst=Node("memory", other),
                weight=cosine,
                confidence=cosine,
                made_at=1,
            )
        ]
    )


def nothing(_step: str, _done: int, _of: int) -> None:
    """Nobody is told."""


def night(settings: Settings, progress: Progress = nothing) -> NightlyRun:
    return nights.run_nightly(settings, STEPS, progress=progress)


@pytest.fixture
async def pair(settings: Settings) -> tuple[str, str]:
    """Two memories in the same words, drawn from five turns; the first rests on more."""
    first, *rest = await turns(settings, *(f"{PORT}, I said {i}" for i in range(5)))
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        return (
            conclude(tx, PORT, [first, rest[0], rest[1]], at=2),
            conclude(tx, PORT_AGAIN, [rest[2], rest[3]], trust="tool", confidence=0.4),
        )


async def test_what_is_said_in_the_same_words_becomes_one_with_all_its_evidence(
    settings: Settings, pair: tuple[str, str]
) -> None:
    kept, other = pair
    before = memory(settings, kept), memory(settings, other)
    run = night(settings)
    assert [step.outcomes for step in run.steps] == [{"done": 1}]
    assert run.steps[0].reasons == {other: f"merged into {kept}: it says the same"}
    survivor, merged = memory(settings, kept), memory(settings, other)
    assert (survivor.validity, merged.validity) == (Validity.ACTIVE, Validity.SUPERSEDED)
    assert survivor.content == PORT
    assert [each.evidence for each in before] == [3, 2]
    assert survivor.evidence == 5
    assert merged.versions == before[1].versions


async def test_what_is_merged_is_believed_no_more_than_the_least_of_it(
    settings: Settings, pair: tuple[str, str]
) -> None:
    night(settings)
    survivor = memory(settings, pair[0])
    assert (survivor.current.provenance.trust, survivor.confidence) == ("tool", 0.4)
    async with open_memoria(settings=settings) as m:
        told = await m.provenance.history(pair[0])
        assert f"took in {pair[1]}; trust reported, confidence 0.80 before" in str(told.events)
        gone = await m.provenance.history(pair[1])
        assert f"into {pair[0]}" in str(gone.events)


async def test_what_the_user_has_confirmed_stays_as_sure_as_it_was(
    settings: Settings, pair: tuple[str, str]
) -> None:
    kept, other = pair
    async with open_memoria(settings=settings, channel=COMMAND_LINE) as m:
        await m.revise_memory(other, "confirm")
    night(settings)
    assert memory(settings, kept).validity is Validity.SUPERSEDED
    survivor = memory(settings, other)
    assert (survivor.verified, survivor.confidence, survivor.evidence) == (True, 0.9, 5)


async def test_the_others_lead_to_the_one_they_became(
    settings: Settings, pair: tuple[str, str]
) -> None:
    night(settings)
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        edges = tx.graph.list_edges(Node("memory", pair[1]), SEEN)
    assert [(edge.type, edge.dst.id) for edge in edges if edge.type is EdgeType.VERSION_NEXT] == [
        (EdgeType.VERSION_NEXT, pair[0])
    ]


async def test_undoing_parts_them_again_exactly(settings: Settings, pair: tuple[str, str]) -> None:
    before = dump(settings.home_path)
    run = night(settings)
    assert dump(settings.home_path) != before
    undone = nights.undo_nightly(settings, run.id, lambda _: None)
    assert (undone.kept, undone.forgotten) == (0, 0)
    assert dump(settings.home_path) == before
    assert night(settings).steps[0].outcomes == {"done": 1}
    assert memory(settings, pair[1]).validity is Validity.SUPERSEDED


async def test_a_second_night_finds_nothing(settings: Settings, pair: tuple[str, str]) -> None:
    assert pair
    night(settings)
    before = dump(settings.home_path)
    assert night(settings).steps[0].planned == 0
    assert dump(settings.home_path) == before


@pytest.mark.parametrize("after", range(3))
async def test_a_broken_off_merge_ends_as_one_that_was_not(
    settings: Settings, after: int, tmp_path: Path
) -> None:
    ns = await turns(settings, *(f"{PORT}, I said {i}" for i in range(40)))
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        conclude(tx, PORT, ns[:25], at=2)
        conclude(tx, PORT_AGAIN, ns[15:])
        conclude(tx, f"please, {PORT}")
        conclude(tx, LEEDS, ns[:1])
        conclude(tx, f"{LEEDS}, really", ns[1:2])
    twin = copied(settings, tmp_path / "twin")
    at = now_millis()
    with use_clock(lambda: at):
        whole = night(twin)
        with pytest.raises(Interrupted):
            night(settings, progress=interrupting(after))
    resumed = night(settings)
    assert resumed.steps == whole.steps
    assert whole.steps[0].outcomes == {"done": 5}
    assert whole.most_rows <= 500
    assert dump(settings.home_path) == dump(twin.home_path)


async def test_however_much_it_rests_on_no_transaction_grows(settings: Settings) -> None:
    ns = await turns(settings, *(f"{PORT}, I said {i}" for i in range(120)))
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        kept = conclude(tx, PORT, ns[:61], at=2)
        conclude(tx, PORT_AGAIN, ns[60:])
    before = dump(settings.home_path)
    run = night(settings)
    assert memory(settings, kept).evidence == 120
    assert 0 < run.most_rows <= 500
    nights.undo_nightly(settings, run.id, lambda _: None)
    assert dump(settings.home_path) == before


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("the port is 8080", "the port is 9090"),
        ("her brother lives in Leeds", "her brother lives quietly in Leeds"),
        ("she takes tea over coffee", "she takes coffee over tea"),
        ("he eats meat", "he never eats meat"),
        ("他喜欢喝茶", "他不喜欢喝茶"),
        ("her brother lives in Leeds", "her mother lives in Leeds"),
    ],
)
async def test_what_only_looks_the_same_stays_two(settings: Settings, one: str, other: str) -> None:
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        ids = conclude(tx, one), conclude(tx, other)
        alike(tx, *ids, 0.999)
    night(settings)
    assert {memory(settings, i).validity for i in ids} == {Validity.ACTIVE}


async def test_what_is_in_the_same_words_is_merged_without_a_model(settings: Settings) -> None:
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        kept = conclude(tx, LEEDS)
        other = conclude(tx, LEEDS_AGAIN, at=2)
        elsewhere = conclude(tx, LEEDS, workspace="w")
        alike(tx, kept, other, 0.98)
        alike(tx, kept, elsewhere, 1.0)
    run = night(settings)
    assert "without a chat model" in (run.steps[0].reduced or "")
    assert memory(settings, other).validity is Validity.SUPERSEDED
    assert memory(settings, elsewhere).validity is Validity.ACTIVE


async def test_what_is_seen_in_the_same_places_is_merged_wherever_it_was_learnt(
    settings: Settings,
) -> None:
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        kept = conclude(tx, LEEDS, workspace="v", scope="everywhere")
        other = conclude(tx, LEEDS_AGAIN, at=2, workspace="w", scope="everywhere")
        own = conclude(tx, LEEDS, at=3, workspace="w", scope="project")
        alike(tx, kept, other, 0.98)
        alike(tx, kept, own, 1.0)
        alike(tx, other, own, 0.98)
    night(settings)
    assert memory(settings, other).validity is Validity.SUPERSEDED
    assert {memory(settings, one).validity for one in (kept, own)} == {Validity.ACTIVE}


async def test_what_was_changed_after_it_was_planned_stays_two(
    settings: Settings, pair: tuple[str, str]
) -> None:
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        for i in range(12):
            conclude(tx, f"lamp {i} is lit", at=2)
            conclude(tx, f"the lamp {i} is lit", at=3)
    with pytest.raises(Interrupted):
        night(settings, progress=interrupting(0))
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        waits = [
            text for i in range(12) if (text := f"lamp {i} is lit") and _active(tx, f"the {text}")
        ]
    async with open_memoria(settings=settings, channel=COMMAND_LINE) as m:
        found = await _id_of(settings, f"the {waits[0]}")
        await m.revise_memory(found, "correct", "that lamp is dark")
    run = night(settings)
    assert run.steps[0].outcomes == {"changed since": 1, "done": 12}
    assert memory(settings, found).validity is Validity.ACTIVE
    assert pair


def _active(tx: Transaction, text: str) -> bool:
    found = tx.memories.find_by_fingerprint(fingerprint(text))
    return found is not None and found.validity is Validity.ACTIVE


async def _id_of(settings: Settings, text: str) -> str:
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        found = tx.memories.find_by_fingerprint(fingerprint(text))
    assert found is not None
    return found.id


async def test_what_the_user_took_back_out_is_not_merged_again(
    settings: Settings, pair: tuple[str, str]
) -> None:
    night(settings)
    async with open_memoria(settings=settings, channel=COMMAND_LINE) as m:
        await m.revise_memory(pair[1], "restore")
    assert night(settings).steps[0].planned == 0


async def test_forgetting_the_survivor_forgets_what_was_merged_into_it(settings: Settings) -> None:
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        first, second = conclude(tx, LEEDS_AGAIN), conclude(tx, LEEDS, at=2)
        alike(tx, first, second, 0.98)
    night(settings)
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        third = conclude(tx, "Her brother lives in Leeds, really", [], at=0)
        alike(tx, first, third, 0.98)
        tx.memories.set_flags(third, now_millis(), pinned=True)
    night(settings)
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        assert tx.pairs.merge_targets([first, second]) == {first: third, second: first}
    async with open_memoria(settings=settings) as m:
        forgotten = await m.forget_memory([third])
        assert set(forgotten.memories) == {first, second, third}
        for memory_id in (first, second, third):
            with pytest.raises(NotFoundError):
                await m.get_memory(memory_id)
    assert "Leeds" not in str(dump(settings.home_path))


async def test_forgetting_what_was_merged_names_the_survivor(
    settings: Settings, pair: tuple[str, str]
) -> None:
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        first, second = conclude(tx, LEEDS_AGAIN), conclude(tx, LEEDS, at=2)
        alike(tx, first, second, 0.98)
    night(settings)
    async with open_memoria(settings=settings) as m:
        forgotten = await m.forget_memory([second])
        assert forgotten.memories == (second,)
        assert forgotten.related_memories == (first,)
    assert pair


# With a model


def ruling(**by_new: str) -> Callable[[Asked], object]:
    """A model that rules by a word of either statement; whatever else it is shown is different."""

    def answer(asked: Asked) -> object:
        lines = [json.loads(line) for line in asked.text.splitlines() if line.startswith("{")]
        return {
            "rulings": [
                {"pair": line["number"], "relation": _relation(by_new, line)} for line in lines
            ]
        }

    return answer


def _relation(by_word: dict[str, str], line: dict[str, str]) -> str:
    both = line["known"] + line["new"]
    return next((relation for word, relation in by_word.items() if word in both), "different")


def with_model(settings: Settings, model: ScriptedModel) -> Settings:
    return settings.model_copy(
        update={"llm_base_url": model.url, "llm_model": "scripted", "llm_attempts": 1}
    )


@pytest.fixture
def doubtful(settings: Settings) -> dict[str, tuple[str, str]]:
    """Pairs that no rule tells apart."""
    said = {
        "home": ("She lives in Leeds", "Leeds is her home"),
        "job": ("He works at the mill", "He works at the bakery"),
        "cat": ("The cat is called Momo", "Momo has four kittens"),
    }
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        found = {
            name: (conclude(tx, one), conclude(tx, other, at=2))
            for name, (one, other) in said.items()
        }
        for ids in found.values():
            alike(tx, *ids, 0.8)
    return found


async def test_a_model_tells_what_no_rule_tells(
    settings: Settings, doubtful: dict[str, tuple[str, str]]
) -> None:
    before = dump(settings.home_path)
    with ScriptedModel(answer=ruling(home="same", mill="replaces")) as model:
        run = night(with_model(settings, model))
        assert len(model.requests) == 1
        assert run.steps[0].reduced is None
        assert run.steps[0].outcomes == {"done": 3}
        assert memory(settings, doubtful["home"][1]).validity is Validity.SUPERSEDED
        for name in ("job", "cat"):
            assert memory(settings, doubtful[name][1]).validity is Validity.ACTIVE
        assert memory(settings, doubtful["cat"][0]).validity is Validity.ACTIVE
        assert memory(settings, doubtful["job"][0]).validity is Validity.SUPERSEDED
        assert night(with_model(settings, model)).steps[0].planned == 0
        assert len(model.requests) == 1
    nights.undo_nightly(settings, run.id, lambda _: None)
    assert dump(settings.home_path) == before


async def test_a_model_that_takes_a_statement_for_its_opposite_is_not_believed(
    settings: Settings,
) -> None:
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        ids = conclude(tx, "he eats meat"), conclude(tx, "he does not eat meat")
        alike(tx, *ids, 0.99)
    with ScriptedModel(answer=ruling(meat="same")) as model:
        night(with_model(settings, model))
    assert {memory(settings, i).validity for i in ids} == {Validity.ACTIVE}


async def test_a_model_that_is_down_leaves_the_rest_to_the_next_night_and_says_so(
    settings: Settings, doubtful: dict[str, tuple[str, str]], pair: tuple[str, str]
) -> None:
    with ScriptedModel(answer=lambda _: fails(500)) as model:
        run = night(with_model(settings, model))
    assert "3 of 3 pairs were not asked about" in (run.steps[0].reduced or "")
    assert memory(settings, pair[1]).validity is Validity.SUPERSEDED
    with ScriptedModel(answer=ruling(home="same")) as model:
        assert night(with_model(settings, model)).steps[0].outcomes == {"done": 3}
    assert memory(settings, doubtful["home"][1]).validity is Validity.SUPERSEDED
