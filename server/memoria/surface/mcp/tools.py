"""The tools. Their names carry the meaning, because clients may show nothing else at first."""

from typing import Annotated, Literal

import anyio.to_thread
from mcp.server.elicitation import AcceptedElicitation, CancelledElicitation, ElicitationResult
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, model_validator
from pydantic.json_schema import SkipJsonSchema

from memoria.app.project_news import take_news
from memoria.app.told import Way
from memoria.errors import InvalidInputError
from memoria.language.reading.fences import show_invisible
from memoria.model import AgentRevision, EntityKind, Memory, Scope, SearchResult, TurnRecord
from memoria.model.attachment import Attachment
from memoria.model.memory_types import StatableType
from memoria.model.query import MemoryQuery, TranscriptQuery
from memoria.model.turn import Content, add_attachments
from memoria.surface.documents import (
    write_conclusions,
    write_handed_in,
    write_lookup,
    write_receipt,
    write_remembered,
    write_revision,
    write_scratchpad,
    write_traces,
    write_turn,
)
from memoria.surface.mcp.arguments import takes_query_arguments
from memoria.surface.mcp.calls import (
    Ctx,
    answer_with,
    can_ask_user,
    memory_of,
    remember_several,
    user_channel,
)
from memoria.surface.mcp.forgetting import forget_memory
from memoria.surface.mcp.instructions import handed_in_text
from memoria.surface.mcp.resources import choose_links, link_hits, link_memory, link_session
from memoria.surface.mcp.shapes import (
    WireConclusions,
    WireLookup,
    WireReceipt,
    WireRememberResult,
    WireRevision,
    WireScratchpad,
    WireTraces,
)
from memoria.surface.mcp.toolbox import Toolbox
from memoria.surface.text import (
    memory_text,
    receipt_text,
    remember_text,
    result_text,
    revision_note,
    scratchpad_text,
    turn_record_text,
)

_Role = Literal["user", "assistant", "tool", "system"]
_CONFIRM_HINT = (
    "Noted, but not verified: only the user can, with `memoria revise ID confirm` in a shell."
)
_CLOSED = "The user closed the question with neither yes nor no. "
_DENIED = (
    "Nothing was changed: the user says that this is not true. Ask what is, then correct or "
    "archive it."
)
_ONE_OR_SEVERAL = (
    "remember: give content and say it in a sentence, or give memories, which are several. Nothing "
    "was done."
)
_When = Annotated[str | None, Field(description="ISO 8601")]


def _refuse_list(value: object) -> object:
    if isinstance(value, list):
        problem = "give one id, and archive the other memories with revise_memory"
        raise ValueError(problem)  # noqa: TRY004  (pydantic takes no other)
    return value


def _refuse_number(value: object) -> object:
    if value is not None and not isinstance(value, str):
        problem = "give a date or how long it holds, with its unit: 2026-06-30, 14d"
        raise ValueError(problem)
    return value


_Until = Annotated[
    str | None,
    BeforeValidator(_refuse_number),
    Field(description='its end: 2026-06-30, "Friday", 24h, 30d, session, permanent'),
]
_Several = Annotated[
    list[dict[str, object]] | None,
    Field(description="several: objects of the above, each with a quote of its turn"),
]
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_WRITES = ToolAnnotations(destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_VOTES = ToolAnnotations(destructive_hint=False, open_world_hint=False)
_ERASES = ToolAnnotations(destructive_hint=True, idempotent_hint=True, open_world_hint=False)


class WireTurn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    role: _Role
    content: Content = ""
    session_id: str | None = None
    message_id: str | None = None
    speaker: str | None = None
    at: _When = None
    tool_name: str | None = None
    tool_args: JsonValue = None
    tool_result: JsonValue = None
    attachments: SkipJsonSchema[tuple[Attachment, ...]] = ()

    _add_attachments = model_validator(mode="before")(add_attachments)


class NamedEntity(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    kind: EntityKind = "other"


def add_tools(toolbox: Toolbox) -> None:
    """Add every tool. A docstring is the tool's description."""
    for tool, annotations in (
        (search_memory, _READS),
        (search_conversation_traces, _READS),
        (get_memory, _READS),
        (remember, _WRITES),
        (revise_memory, _VOTES),
        (forget_memory, _ERASES),
        (record_conversation, _WRITES),
        (update_scratchpad, _WRITES),
    ):
        toolbox.add(tool, annotations)


@takes_query_arguments(MemoryQuery)
async def search_memory(
    ctx: Ctx, **arguments: object
) -> Annotated[CallToolResult, WireConclusions]:
    """Ask with `queries`, always: 2-4 more wordings, as what was said may share no word with your
    question. Other words for it ("my flat, the landlord"); happenings that would change the answer
    ("moved out", "replaced it"); where help is wanted, what of the user would matter ("allergic to
    nuts", "prefers uv"). Finds people, preferences, rules, decisions, facts, past work: dated,
    cited. Use before answering anything that may have a history; with task, to go on with a piece
    of work; with file, error or command, for what failed and what worked.
    """
    found = await _note_news(ctx, await memory_of(ctx).search_memory(**arguments))
    await _note_shown(ctx, "search", found)
    return answer_with(write_conclusions(found), result_text(found), link_hits(found))


@takes_query_arguments(TranscriptQuery)
async def search_conversation_traces(
    ctx: Ctx, **arguments: object
) -> Annotated[CallToolResult, WireTraces]:
    """The verbatim record with tool calls, asked with `queries` as search_memory is. Use when that
    is not enough, or exact words or evidence are asked for. Long turns are cut (…); get_memory has
    them whole.
    """
    found = await _note_news(ctx, await memory_of(ctx).search_conversation_traces(**arguments))
    await _note_shown(ctx, "traces", found)
    return answer_with(write_traces(found), result_text(found), link_hits(found))


async def _note_shown(ctx: Ctx, way: Way, found: SearchResult) -> None:
    """Note for the user what an answer shows, under the session in which it was asked for."""
    await memory_of(ctx).told.note_shown(way, [hit.id for hit in found.hits])


async def _note_news(ctx: Ctx, found: SearchResult) -> SearchResult:
    """Add the news of the current project to an answer, if there is any."""
    settings = memory_of(ctx).settings
    news = await anyio.to_thread.run_sync(take_news, settings, "agent")
    return found.model_copy(update={"notes": (*found.notes, news)}) if news else found


async def get_memory(
    ctx: Ctx,
    id: Annotated[str, Field(description="memory or turn id, as cited")],  # noqa: A002
    offset: Annotated[int, Field(ge=0, description="in characters")] = 0,
    max_chars: Annotated[int, Field(ge=1, le=100_000)] = 12_000,
) -> Annotated[CallToolResult, WireLookup]:
    """A memory whole (all wordings, when each held, where each came from, its end, task and links),
    or a turn whole with its neighbours.
    """
    match await memory_of(ctx).get_record(id):
        case Memory() as memory:
            await memory_of(ctx).told.note_shown("lookup", [memory.id])
            return answer_with(write_lookup(memory), memory_text(memory), [link_memory(memory.id)])
        case TurnRecord() as record:
            await memory_of(ctx).told.note_shown("lookup", [record.turn.id])
            page = write_turn(record, offset, max_chars)
            text = turn_record_text(record, offset, max_chars)
            return answer_with(page, text, [link_session(record.turn.session_id)])


async def remember(
    ctx: Ctx,
    content: Annotated[
        str | None, Field(description="one sentence in the user's language, naming who and what")
    ] = None,
    type: StatableType | None = None,  # noqa: A002
    importance: Annotated[float, Field(ge=0, le=1)] = 0.5,
    valid_from: _When = None,
    until: _Until = None,
    subject: Annotated[str | None, Field(description="of whom or what it speaks")] = None,
    task: Annotated[
        str | None, Field(description="default: the task in hand; a rule with one ends with it")
    ] = None,
    entities: Annotated[
        list[str | NamedEntity], Field(description="people, places, things it names")
    ] = [],  # noqa: B006  (never changed)
    supersedes: Annotated[
        str | None,
        BeforeValidator(_refuse_list),
        Field(description="id of the memory it takes the place of"),
    ] = None,
    turn_id: Annotated[str | None, Field(description="turn it rests on")] = None,
    session_id: str | None = None,
    again: Annotated[bool, Field(description="even if forgotten before; ask the user")] = False,
    workspace: str | None = None,
    scope: Scope | None = None,
    memories: _Several = None,
    page: Annotated[str | None, Field(description="of memory://unread, which this ends")] = None,
) -> Annotated[CallToolResult, WireRememberResult]:
    """Keep a preference, rule, decision, plan or fact for later sessions. Call it as soon as the
    user states one or says "remember" / 记住, with what you know: until if it ends, supersedes if
    it replaces a memory you found, whom it names.
    """
    if memories or page is not None:
        if content is not None:
            raise InvalidInputError(_ONE_OR_SEVERAL)
        done = await remember_several(memory_of(ctx), memories or [], page)
        links = choose_links(link_memory(one.id) for one in done.kept)
        return answer_with(write_handed_in(done), handed_in_text(done), links)
    if content is None:
        raise InvalidInputError(_ONE_OR_SEVERAL)
    kept = await memory_of(ctx).remember(
        content,
        type=type,
        importance=importance,
        valid_from=valid_from,
        until=until,
        subject=subject,
        task=task,
        entities=[one if isinstance(one, str) else one.model_dump() for one in entities],
        supersedes=supersedes,
        turn_id=turn_id,
        session_id=session_id,
        again=again,
        workspace=workspace,
        scope=scope,
    )
    return answer_with(write_remembered(kept), remember_text(kept), [link_memory(kept.id)])


class _Confirmation(BaseModel):
    """The user's own word."""

    true: bool = Field(description="Is this true?")


class _Unasked(_Confirmation):
    """No word of the user: nothing was asked, or nobody could be."""


async def _ask_user(
    ctx: Ctx,
    id: str,  # noqa: A002  (the tool's own argument)
    action: AgentRevision,
) -> _Confirmation | Elicit[_Confirmation]:
    """Have the client ask its user, if it can: only the user's word verifies a memory."""
    if action != "confirm" or not can_ask_user(ctx):
        return _Unasked(true=False)
    memory = await memory_of(ctx).get_memory(id)
    if memory.verified:
        return _Unasked(true=False)
    return Elicit(f"Memoria is asked to confirm: “{show_invisible(memory.content)}”", _Confirmation)


async def revise_memory(
    ctx: Ctx,
    id: Annotated[str, Field(description="memory id from a search")],  # noqa: A002
    action: AgentRevision,
    content: Annotated[str | None, Field(description="with correct: new wording")] = None,
    valid_from: Annotated[str | None, Field(description="since when")] = None,
    until: _Until = None,
    turn_id: Annotated[str | None, Field(description="turn it rests on")] = None,
    *,
    answer: Annotated[ElicitationResult[_Confirmation], Resolve(_ask_user)],
) -> Annotated[CallToolResult, WireRevision]:
    """Correct a memory (the old wording stays in its history), confirm, archive, restore, pin,
    unpin, or vote it up when it helped and down when it misled. Nothing is final. What you
    confirm counts as verified only once the user does so too.
    """
    memories = memory_of(ctx)
    if _is_denied(answer):
        return _answer_revision(await memories.get_memory(id), _DENIED)
    if isinstance(answer, AcceptedElicitation) and answer.data.true:
        memories = memories.with_channel(user_channel(ctx))
    memory = await memories.revise_memory(
        id, action, content, valid_from=valid_from, until=until, turn_id=turn_id
    )
    return _answer_revision(memory, _note_revision(memory, action, answer))


def _answer_revision(memory: Memory, note: str | None) -> CallToolResult:
    text = "\n".join(filter(None, (memory_text(memory), note)))
    return answer_with(write_revision(memory, note), text, [link_memory(memory.id)])


def _is_denied(answer: ElicitationResult[_Confirmation]) -> bool:
    """Check whether the user was asked and denied the memory."""
    match answer:
        case AcceptedElicitation(data=_Unasked()):
            return False
        case AcceptedElicitation():
            return not answer.data.true
        case _:
            return False


def _note_revision(
    memory: Memory, action: AgentRevision, answer: ElicitationResult[_Confirmation]
) -> str | None:
    if action == "confirm" and not memory.verified:
        is_closed = isinstance(answer, CancelledElicitation)
        return f"{_CLOSED if is_closed else ''}{_CONFIRM_HINT}"
    return revision_note(memory) if action == "correct" else None


async def record_conversation(
    ctx: Ctx,
    turns: list[WireTurn],
    event: Annotated[
        Literal["session_end", "compaction"] | None,
        Field(description="the conversation ends, or is about to be compacted"),
    ] = None,
    session_id: Annotated[str | None, Field(description="for turns that name none")] = None,
    workspace: str | None = None,
) -> Annotated[CallToolResult, WireReceipt]:
    """Store turns verbatim, tool calls too. Safe to repeat: known messages are not doubled.
    Secrets and <private> spans are left out.
    """
    receipt = await memory_of(ctx).record_conversation(
        [turn.model_dump(exclude_none=True) for turn in turns],
        event,
        session_id=session_id,
        workspace=workspace,
    )
    return answer_with(write_receipt(receipt), receipt_text(receipt))


async def update_scratchpad(
    ctx: Ctx,
    current_focus: Annotated[
        str | None, Field(description="the task in hand; empty clears")
    ] = None,
    completed: Annotated[str | None, Field(description="a task that is done")] = None,
    session_id: str | None = None,
) -> Annotated[CallToolResult, WireScratchpad]:
    """Note what this session is working on: what is remembered about the work is filed under it,
    and searches favour it. A new focus files the old one; five are kept.
    """
    pad = await memory_of(ctx).update_scratchpad(
        current_focus=current_focus, completed=completed, session_id=session_id
    )
    await ctx.notify_resource_updated("memory://scratchpad")
    return answer_with(write_scratchpad(pad), scratchpad_text(pad))
