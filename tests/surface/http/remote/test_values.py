"""The library over HTTP gives the library's own values, and names what REST does not carry."""

from collections.abc import Iterator
from dataclasses import replace
from inspect import signature

import pytest
from inline_snapshot import snapshot
from tests.surface.http.remote.conftest import AskedBothWays, BothWays, OpenBothWays

from memoria import Memoria
from memoria.app.remote.memory import RemoteMemoria
from memoria.app.remote.operations import OPERATIONS, RemoteOperation
from memoria.errors import ForgottenError, NotFoundError, PreviewChangedError
from memoria.model import Memory
from memoria.model.access import Access
from memoria.model.base import Value
from memoria.model.forgetting import ForgetPreview
from memoria.surface.http.rest.routes import ROUTES

TURNS: list[dict[str, object]] = [
    {
        "role": "user",
        "content": "We deploy the checkout on Tuesdays only.",
        "message_id": "a",
        "speaker": "Ann",
        "at": "2026-03-02T09:14:05+08:00",
    },
    {"role": "assistant", "content": "Then the next release is on Tuesday.", "message_id": "b"},
    {
        "role": "tool",
        "message_id": "c",
        "tool_name": "grep",
        "tool_args": {"pattern": "checkout"},
        "tool_result": "deploy.sh: checkout",
    },
]
COMMON = [one for one in dir(RemoteMemoria) if hasattr(Memoria, one) and not one.startswith("_")]

ASKS = {"preview_forget"}
"""What changes nothing, though it needs more than reading."""


def list_left_out(own: object, read: object, place: str = "") -> Iterator[str]:
    """Yield the fields that a value read from REST does not have; every other must be equal."""
    match own, read:
        case Value(), Value():
            assert type(own) is type(read), place
            for name in type(own).model_fields:
                if name in read.__dict__:
                    yield from list_left_out(
                        getattr(own, name), getattr(read, name), f"{place}.{name}"
                    )
                else:
                    with pytest.raises(AttributeError, match=f"does not have `{name}`"):
                        getattr(read, name)
                    yield f"{type(own).__name__}.{name}"
        case ((tuple() | list()), (tuple() | list())):
            assert (type(own), len(own)) == (type(read), len(read)), place
            for one, other in zip(own, read, strict=True):
                yield from list_left_out(one, other, f"{place}[]")
        case _:
            assert (type(own), own) == (type(read), read), place


def list_missing(asked: AskedBothWays) -> list[str]:
    return sorted(type(asked.own).model_fields.keys() - asked.read.__dict__.keys())


def compare(asked: AskedBothWays) -> list[str]:
    return sorted(set(list_left_out(asked.own, asked.read)))


async def seed(both: BothWays) -> tuple[str, str]:
    """Record a conversation and state memories over HTTP; return the ids of one and of a turn."""
    receipt = await both.remote.record_conversation(TURNS, session_id="checkout")
    turn_id = receipt.turns[0].id
    assert turn_id is not None
    rule = await both.remote.remember(
        "The checkout is deployed on Tuesdays only.",
        type="rule",
        turn_id=turn_id,
        until="2027-01-01",
        subject="checkout",
        entities=["checkout", {"name": "Rotterdam", "kind": "place"}],
        importance=0.8,
    )
    former = await both.remote.remember("Ben reviews the checkout.")
    await both.remote.remember("Mira reviews the checkout.", supersedes=former.id)
    return rule.id, turn_id


async def test_a_search_is_the_same_both_ways(open_both_ways: OpenBothWays) -> None:
    async with open_both_ways() as both:
        await seed(both)
        asked = {"query": "deploy checkout", "queries": ["release"], "include_history": True}
        first = await both.ask("search_memory", **asked, explain=True)
        second = await both.ask("search_conversation_traces", **asked, explain=True, context=2)
    assert {hit.kind for hit in first.own.hits} == {"memory", "turn"}
    assert any(hit.tool for hit in second.own.hits)
    assert sorted({*compare(first), *compare(second)}) == snapshot(
        [
            "Hit.clock",
            "Hit.is_verified",
            "SearchResult.elsewhere",
            "SearchResult.hint",
            "SearchResult.id_chars",
            "SearchResult.is_empty",
            "SearchResult.is_narrow",
            "SearchResult.max_tokens",
            "SearchResult.notes",
            "SearchResult.tokens",
            "SearchResult.unmet",
        ]
    )


async def test_what_is_shown_whole_is_read_back_whole(open_both_ways: OpenBothWays) -> None:
    async with open_both_ways() as both:
        await seed(both)
        asked = [
            await both.ask(
                "build_context", "How do we deploy the checkout?", session_id="checkout"
            ),
            await both.ask("list_sessions", limit=5),
            await both.ask("statistics"),
        ]
    assert asked[0].own.last_turns
    assert [one for each in asked for one in compare(each)] == snapshot(
        ["SessionPage.id_chars", "Statistics.database_bytes"]
    )


async def test_a_memory_has_its_wordings_and_where_they_came_from(
    open_both_ways: OpenBothWays,
) -> None:
    async with open_both_ways() as both:
        memory_id, _ = await seed(both)
        memory = await both.ask("get_memory", memory_id)
    assert memory.own.links
    assert memory.read.content == memory.own.content
    shown = memory.read.to_json()
    assert "upvotes" not in shown
    assert memory.own.to_json().items() >= {"id": memory_id, "text": shown["text"]}.items()
    assert compare(memory) == snapshot(
        [
            "Memory.contradicts",
            "Memory.created_at",
            "Memory.downvotes",
            "Memory.evidence",
            "Memory.flag",
            "Memory.former_end",
            "Memory.is_unchanged",
            "Memory.last_used_at",
            "Memory.outdated_by",
            "Memory.updated_at",
            "Memory.upvotes",
            "Memory.use_count",
            "MemoryVersion.event_at",
            "MemoryVersion.event_expression",
            "MemoryVersion.inferred_by",
            "MemoryVersion.ingested_at",
            "MemoryVersion.n",
            "MemoryVersion.utc_offset",
            "Provenance.channel",
            "Provenance.client",
            "Provenance.quote",
            "Provenance.source_kind",
        ]
    )


async def test_a_list_has_the_present_wordings(open_both_ways: OpenBothWays) -> None:
    async with open_both_ways() as both:
        await seed(both)
        page = await both.ask("list_memories", limit=5)
    assert [one.content for one in page.read.memories] == [one.content for one in page.own.memories]
    present = [one.model_copy(update={"versions": one.versions[:1]}) for one in page.own.memories]
    own = page.own.model_copy(update={"memories": tuple(present)})
    assert compare(replace(page, own=own)) == snapshot(
        [
            "Memory.confidence",
            "Memory.contradicts",
            "Memory.created_at",
            "Memory.downvotes",
            "Memory.entities",
            "Memory.evidence",
            "Memory.expires_at",
            "Memory.flag",
            "Memory.former_end",
            "Memory.importance",
            "Memory.is_unchanged",
            "Memory.last_used_at",
            "Memory.links",
            "Memory.local",
            "Memory.outdated_by",
            "Memory.predicate",
            "Memory.scope",
            "Memory.updated_at",
            "Memory.upvotes",
            "Memory.use_count",
            "MemoryPage.id_chars",
            "MemoryVersion.event_at",
            "MemoryVersion.event_expression",
            "MemoryVersion.inferred_by",
            "MemoryVersion.ingested_at",
            "MemoryVersion.n",
            "MemoryVersion.provenance",
            "MemoryVersion.utc_offset",
            "MemoryVersion.valid_to",
            "MemoryVersion.version",
        ]
    )


async def test_what_is_written_is_told_with_the_fields_that_rest_has(
    open_both_ways: OpenBothWays,
) -> None:
    # Each side writes of its own, so ids and times are another's: fields are compared by name.
    async with open_both_ways() as both:
        told = dict[str, list[str]]()
        receipts = await both.ask("record_conversation", TURNS, session_id="other")
        told["record_conversation"] = list_missing(receipts)
        told["remember"] = list_missing(await both.ask("remember", "Tom likes green tea."))
        memory_id = (await both.remote.remember("Tom likes black tea.")).id
        told["revise_memory"] = list_missing(await both.ask("revise_memory", memory_id, "pin"))
        focus = await both.ask("update_scratchpad", current_focus="Release", session_id="other")
        told["update_scratchpad"] = list_missing(focus)
    assert receipts.read.recorded == 3
    assert receipts.read.turns
    assert told == snapshot(
        {
            "record_conversation": ["changes", "made", "private_since"],
            "remember": [
                "content",
                "contradicts",
                "former_end",
                "guessed_type",
                "ignored",
                "is_scope_open",
                "local",
                "may_replace",
                "project",
                "scope",
                "superseded_by",
                "supersedes",
            ],
            "revise_memory": [
                "condition",
                "confidence",
                "contradicts",
                "created_at",
                "entities",
                "evidence",
                "expires_at",
                "flag",
                "former_end",
                "importance",
                "is_unchanged",
                "last_used_at",
                "later",
                "links",
                "local",
                "metadata",
                "outdated_by",
                "predicate",
                "scope",
                "subject",
                "task",
                "type",
                "updated_at",
                "use_count",
                "workspace",
            ],
            "update_scratchpad": ["last_day", "updated_at"],
        }
    )


async def test_scratchpads_and_core_files_are_the_same_both_ways(
    open_both_ways: OpenBothWays,
) -> None:
    async with open_both_ways() as both:
        await seed(both)
        await both.remote.update_scratchpad(current_focus="Release", session_id="a/b")
        await both.remote.update_scratchpad(completed="Release", session_id="a/b")
        listed, one = await both.ask("scratchpads"), await both.ask("scratchpads", session_id="a/b")
        core = await both.ask("read_core")
        assert (await both.remote.scratchpads(session_id="none")) == []
    assert [task.task for task in one.read[0].completed] == ["Release"]
    assert compare(listed) + compare(one) == snapshot(
        ["Scratchpad.last_day", "Scratchpad.last_day", "Scratchpad.updated_at"]
    )
    assert core.own == core.read != {}


async def test_a_forget_is_previewed_done_and_proved(open_both_ways: OpenBothWays) -> None:
    async with open_both_ways() as both:
        memory_id, _ = await seed(both)
        preview = await both.ask("preview_forget", [memory_id], include_source=True)
        assert preview.read.token == preview.own.token
        done = await both.remote.forget_memory(
            [memory_id], include_source=True, token=preview.read.token
        )
        assert done.memories == (memory_id,)
        assert done.report is not None
        reports = await both.ask("list_forget_reports")
        proof = await both.ask("get_forget_report", done.report.id)
        with pytest.raises(NotFoundError):
            await both.remote.get_memory(memory_id)
        with pytest.raises(ForgottenError, match="forgotten"):
            await both.remote.remember("The checkout is deployed on Tuesdays only.")
    assert proof.read.digests
    assert compare(preview) == snapshot(
        [
            "ForgetItem.is_unsupported",
            "ForgetPreview.already_forgotten",
            "ForgetPreview.hidden",
            "ForgetPreview.include_source",
            "ForgetPreview.kept",
            "ForgetPreview.share",
        ]
    )
    assert compare(reports) + compare(proof) == snapshot(
        ["ForgetReport.scrubbed", "ForgetReport.scrubbed"]
    )


async def test_turns_and_sessions_are_documents(open_both_ways: OpenBothWays) -> None:
    async with open_both_ways() as both:
        memory_id, turn_id = await seed(both)
        turn = await both.remote.get_turn(turn_id, context=1)
        session = await both.remote.get_session("checkout", limit=2)
        assert await both.remote.get_record(turn_id, context=1) == turn
        found = await both.remote.get_record(memory_id)
    assert isinstance(found, Memory)
    assert (turn["text"], len(turn["after"])) == (TURNS[0]["content"], 1)
    assert (session["total"], [one["role"] for one in session["turns"]]) == (
        3,
        ["user", "assistant"],
    )


async def test_what_would_go_by_now_comes_with_the_refusal(open_both_ways: OpenBothWays) -> None:
    async with open_both_ways() as both:
        memory_id, _ = await seed(both)
        with pytest.raises(PreviewChangedError, match="Nothing was forgotten") as refused:
            await both.remote.forget_memory([memory_id], token=memory_id)
    assert isinstance(refused.value.preview, ForgetPreview)
    assert refused.value.preview.items[0].id == memory_id


def test_the_operations_are_those_of_the_servers_table() -> None:
    of_server = {
        route.name: RemoteOperation(
            route.method,
            route.open_path,
            is_safe=route.access is Access.READ or route.method == "GET" or route.name in ASKS,
            takes_key=route.takes_key,
        )
        for route in ROUTES
        if not isinstance(route.answer, str) and route.body_type == "application/json"
    }
    assert dict(OPERATIONS) == of_server


@pytest.mark.parametrize("name", COMMON)
def test_a_method_takes_the_same_arguments_as_the_librarys(name: str) -> None:
    own, remote = (signature(getattr(one, name)) for one in (Memoria, RemoteMemoria))
    assert [(one.name, one.kind, one.default) for one in remote.parameters.values()] == [
        (one.name, one.kind, one.default) for one in own.parameters.values()
    ]
