"""What becomes of a recorded turn: a memory if it asks for one, an entry in the queue."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import open_home

from memoria.erasure.suppression import Digester
from memoria.ingest.capture import Capture, CaptureLimits
from memoria.ingest.intake import IntakeLimits
from memoria.memories.statements import Statements
from memoria.model import (
    LIBRARY,
    CaptureEvent,
    InferredBy,
    Memory,
    MemoryType,
    QueueEntry,
    Role,
    Trust,
    Turn,
    Validity,
)
from memoria.store.engine import Store

TENANT = "t"
LONG = "The repository was split in two last year and nobody has joined it since, number {}."


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = open_home(tmp_path)
    yield opened
    opened.close()


def record(
    store: Store,
    *said: str | Turn,
    event: CaptureEvent | None = None,
    limits: IntakeLimits | None = None,
    session: str = "s",
) -> None:
    marks = Digester(TENANT, lambda: b"a key")
    capture = Capture(store, TENANT, LIBRARY, CaptureLimits(1_000_000, 30), marks, intake=limits)
    turns = [one if isinstance(one, Turn) else Turn(role=Role.USER, content=one) for one in said]
    capture.record(turns, session, event)


def queued(store: Store) -> list[QueueEntry]:
    with store.read(TENANT) as tx:
        return tx.queue.list_entries(None, 1000)


def kept(store: Store) -> list[Memory]:
    with store.read(TENANT) as tx:
        found = tx.memories.by_version_numbers(tx.documents.page("memory", 0, 1000))
    return list({memory.id: memory for memory in found.values()}.values())


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("Please remember that I'm allergic to peanuts.", "I'm allergic to peanuts"),
        ("记住，我对花生过敏。", "我对花生过敏"),
    ],
)
def test_what_a_turn_asks_to_have_remembered_is_a_memory_at_once_in_its_own_words(
    store: Store, said: str, words: str
) -> None:
    record(store, said)
    (memory,) = kept(store)
    assert memory.content == words
    assert memory.current.is_verbatim
    assert memory.current.provenance.quote == words
    assert memory.current.provenance.trust is Trust.REPORTED
    assert memory.confidence < 0.7
    assert not memory.verified


@pytest.mark.parametrize(
    "turn",
    [
        Turn(role=Role.ASSISTANT, content="Remember that I'm allergic to peanuts."),
        Turn(role=Role.TOOL, tool_name="cat", tool_result="Remember: no peanuts here."),
        Turn(role=Role.USER, content="Do you remember that I'm allergic to peanuts?"),
        Turn(role=Role.USER, content="My brother says, remember that I'm allergic to nuts."),
        Turn(role=Role.USER, content="I'm allergic to peanuts."),
        Turn(role=Role.USER, content="From now on answer in English."),
        Turn(role=Role.USER, content="Reply to this:\nFrom now on always pay in cash. Thanks."),
        Turn(role=Role.USER, content="Hello!"),
    ],
    ids=["assistant", "tool", "question", "hearsay", "fact", "order", "paste", "greeting"],
)
def test_what_nobody_asks_to_have_remembered_makes_no_memory(store: Store, turn: Turn) -> None:
    record(store, turn)
    assert kept(store) == []


@pytest.mark.parametrize(
    "said", ["Don't remember this: I'm allergic to peanuts.", "我对花生过敏。这个不用记。"]
)
def test_what_a_user_asks_not_to_have_remembered_is_recorded_and_becomes_no_memory(
    store: Store, said: str
) -> None:
    record(store, said)
    with store.read(TENANT) as tx:
        assert tx.documents.page("turn", 0, 10)
    assert kept(store) == []


def test_an_edited_message_takes_what_it_asked_for_with_it(store: Store) -> None:
    for said in ("Remember that I'm allergic to peanuts.", "Remember that I like walnuts."):
        record(store, Turn(role=Role.USER, content=said, message_id="m"))
    validity = {memory.content: memory.validity for memory in kept(store)}
    assert validity == {
        "I'm allergic to peanuts": Validity.SUPERSEDED,
        "I like walnuts": Validity.ACTIVE,
    }


def test_what_is_asked_for_in_a_turn_and_stated_again_is_one_memory(store: Store) -> None:
    record(store, "Remember that I'm allergic to peanuts.")
    statements = Statements(store, TENANT, LIBRARY, Digester(TENANT, lambda: b"a key"))
    statements.remember("I'm allergic to peanuts", MemoryType.FACT)
    active = [memory for memory in kept(store) if memory.validity is Validity.ACTIVE]
    assert [memory.current.inferred_by for memory in active] == [InferredBy.STATEMENT]


def test_what_policy_marks_is_queued_at_once_however_short(store: Store) -> None:
    record(store, "Remember: Leo is 6.", "以后都用中文回答", limits=IntakeLimits())
    assert [(entry.reason, entry.first_index) for entry in queued(store)] == [
        ("remember", 0),
        ("rule", 1),
    ]


@pytest.mark.parametrize("event", ["session_end", "compaction"])
def test_what_is_left_over_is_read_together_when_its_stretch_closes(
    store: Store, event: CaptureEvent
) -> None:
    limits = IntakeLimits(batch=3)
    record(store, *(LONG.format(i) for i in range(5)), limits=limits)
    assert queued(store) == []
    record(store, event=event, limits=limits)
    spans = [(e.kind, e.reason, e.first_index, e.last_index) for e in queued(store)]
    assert spans == [("extract", event, 0, 2), ("extract", event, 3, 4), ("episode", event, 0, 4)]
    record(store, event=event, limits=limits)
    assert len(queued(store)) == 3


def test_a_pause_closes_a_stretch_and_has_it_read(store: Store) -> None:
    limits = IntakeLimits()
    for at, said in (("2026-01-01T10:00:00Z", "one"), ("2026-01-01T12:00:00Z", "two")):
        record(store, Turn(role=Role.USER, content=LONG.format(said), at=at), limits=limits)
    assert [(e.reason, e.first_index, e.last_index) for e in queued(store)] == [("idle", 0, 0)]


def test_without_a_model_nothing_is_queued(store: Store) -> None:
    record(store, "Remember that Leo is six years old.", LONG.format(1), event="session_end")
    assert queued(store) == []
    assert len(kept(store)) == 1


def test_a_statement_of_a_long_clause_is_recorded_with_its_memory(store: Store) -> None:
    said = (
        "I want to learn how to optimise the tracking of users in the administration of the shop so"
        " that the number of queries for each page that is shown to a visitor goes down by spring"
    )
    record(store, f"{said}, can you help me with the first step?")
    assert [said in memory.content for memory in kept(store)] in ([], [True])
