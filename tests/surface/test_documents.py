"""Answers as JSON documents: in step with the schemas of tools, and with the other faces."""

from memoria.model import (
    AdjacentTurn,
    Hit,
    HitSource,
    Memory,
    MemoryPage,
    MemoryVersion,
    Provenance,
    Role,
    SearchResult,
    ToolCall,
    Trust,
    Validity,
)
from memoria.model.memory import Condition, SourceKind
from memoria.model.memory_types import MemoryType
from memoria.retrieval.answer.form import list_marks, write_hits
from memoria.surface.cli.answers import render_answer
from memoria.surface.documents import write_conclusions, write_memory_page, write_traces
from memoria.surface.mcp.shapes import WireConclusions, WireTraces

_SOURCE = HitSource(
    at="2026-03-02T01:14:05Z",
    session_id="s",
    message_id="m",
    turn_id="a turn",
    turn_index=3,
    role=Role.USER,
    speaker="Lin",
    client="codex",
    trust=Trust.REPORTED,
    workspace="/work",
    account="agent",
)
_BESIDE = AdjacentTurn(id="b", turn_index=4, role=Role.USER, speaker="Lin", text="and so on")


def _answer(kind: str) -> SearchResult:
    """An answer of one hit in which every field is filled."""
    hit = Hit.model_validate(
        {
            "id": "11111111",
            "kind": kind,
            "text": "the gate opens",
            "score": 0.5,
            "source": _SOURCE,
            "validity": Validity.SUPERSEDED,
            "superseded_part": "it opens at eight",
            "version": 2,
            "excerpt": (0, 14),
            "total_chars": 30,
            "contradicts": ("c",),
            "outdated_by": ("d",),
            "ground": {"state": "changed", "commits": 2},
            "restated_by": "e",
            "condition": Condition.CONFIDED,
            "shown_as": "later",
            "later_than": "f",
            "is_earlier": True,
            "clock": "09:14",
            "type": MemoryType.FACT,
            "status": "over",
            "metadata": {"ticket": "T-1", "tags": ["a"]},
            "tool": ToolCall(name="run", args={"x": None}, result="ok", cut=True),
            "before": (_BESIDE,),
            "after": (_BESIDE,),
        }
    )
    return SearchResult(query="gate", hits=(hit,), answered=True, max_tokens=500)


def test_an_answer_has_every_key_of_its_schema_and_no_other() -> None:
    for document, shape in (
        (write_conclusions(_answer("memory")), WireConclusions),
        (write_traces(_answer("turn")), WireTraces),
    ):
        read = shape.model_validate(document)
        assert read.model_dump(mode="json", exclude_none=True) == document
        (hit,) = document["hits"]
        assert hit.keys() == type(read.hits[0]).model_fields.keys()


def test_what_is_marked_of_a_hit_is_told_at_a_terminal_as_to_a_model() -> None:
    answer = _answer("memory")
    marks = list_marks(answer.hits[0], ())
    assert {"earlier than one above", "09:14"} <= set(marks)
    for text in ("\n".join(write_hits(answer.hits)), render_answer(answer, 500)):
        assert all(mark in text for mark in marks)


def _memory(*, pinned: bool) -> Memory:
    origin = Provenance(source_kind=SourceKind.USER_SAID, trust=Trust.USER, channel="cli")
    wording = MemoryVersion(
        n=1, version=1, content="tea", valid_from=0, valid_to=None, ingested_at=0, provenance=origin
    )
    return Memory(
        id="11111111",
        type=MemoryType.FACT,
        validity=Validity.ACTIVE,
        importance=0.5,
        confidence=1,
        pinned=pinned,
        verified=True,
        upvotes=0,
        downvotes=0,
        created_at=0,
        updated_at=0,
        versions=(wording,),
    )


def test_a_list_of_memories_says_only_of_those_that_are_pinned_that_they_are() -> None:
    memories = (_memory(pinned=True), _memory(pinned=False))
    page = MemoryPage(total=2, elsewhere=0, memories=memories, id_chars=8)
    pinned, other = write_memory_page(page, [])["memories"]
    assert pinned["pinned"] is True
    assert other == {
        "id": "11111111",
        "text": "tea",
        "type": "fact",
        "validity": "active",
        "valid_from": "1970-01-01T00:00:00Z",
        "verified": True,
    }
