"""Records in words: who said it, who concluded it, until when it held, how it is linked."""

from collections.abc import Iterable, Mapping

from memoria.model import (
    AuditEntry,
    Channel,
    EdgeType,
    Evidence,
    InferredBy,
    Memory,
    MemoryVersion,
    Provenance,
    StoredTurn,
    Trust,
    TurnRange,
    Validity,
)
from memoria.model.provenance import NIGHTLY_CHANNEL, EdgeEnd, IncidentEdge, SourcedVersion
from memoria.store.rows.listings import INDEXED_CHARS
from memoria.surface.cli.times import moment

_ACTIONS = {
    "archive": "archived",
    "confirm": "confirmed",
    "correct": "corrected, in words forgotten since",
    "downvote": "voted down",
    "forget": "forgotten",
    "lift": "allowed back",
    "pin": "pinned",
    "refine": "told in more or other words, forgotten since",
    "remember": "remembered",
    "import": "imported",
    "restore": "restored",
    "supersede": "superseded",
    "undo": "undone",
    "unpin": "unpinned",
    "upvote": "voted up",
}
_FLAGS = {
    "assistant": "an assistant said it, and you have not",
    "conflict": "it contradicts another memory",
    "hearsay": "it is hearsay",
    "instruction": "it reads like an instruction to the memory",
    "pasted": "it stands in a text that you pasted, and you have not said it",
    "pii": "it holds personal data",
    "review": "it is too close a call to decide without you",
    "unclear": "its words can be read in more than one way",
    "tool": "it comes from a tool or a web page",
}
_RELATION_WORDS: Mapping[EdgeType, tuple[str, str]] = {
    EdgeType.ABOUT: ("about", "described by"),
    EdgeType.MENTIONS: ("mentions", "mentioned by"),
    EdgeType.CAUSES: ("causes", "caused by"),
    EdgeType.SUPPORTS: ("supports", "supported by"),
    EdgeType.CONTRADICTS: ("contradicts", "contradicts"),
    EdgeType.DERIVED_FROM: ("derived from", "source of"),
    EdgeType.REFERS_TO: ("refers to", "referred to by"),
    EdgeType.SIMILAR_TO: ("is like", "is like"),
    EdgeType.SAME_AS: ("same as", "same as"),
    EdgeType.VERSION_NEXT: ("replaced by", "replaces"),
    EdgeType.TEMPORAL_NEXT: ("followed by", "follows"),
}


def cite(kind: str, record_id: str) -> str:
    """Name it as somebody types it to see it: its kind and the end of its id."""
    return f"{kind} {record_id[-INDEXED_CHARS:]}"


def quotation(quote: str) -> str:
    """Quote somebody's words."""
    return f"“{quote}”"


def type_and_validity(memory: Memory) -> str:
    """Say the type of a memory and whether it holds."""
    return f"{memory.type.value.replace('_', ' ')}, {memory.validity.value.replace('_', ' ')}"


def status_phrase(memory: Memory) -> str:
    """Say the type of a memory, whether it holds, and who vouches for it."""
    parts = [type_and_validity(memory)]
    parts += [memory.condition] if memory.condition else []
    parts += ["pinned"] if memory.pinned else []
    parts.append("verified by the user" if memory.verified else "not verified by the user")
    return ", ".join(parts)


def confirmation_reason(memory: Memory) -> str | None:
    """Say why the memory waits, or waited, for the user's confirmation; None if it never did."""
    if memory.flag is None:
        return None
    why = flag_reason(memory.flag)
    waits = memory.validity is Validity.PENDING_CONFIRMATION
    return (
        f"{why}; it counts once you confirm it (memoria revise ID confirm)"
        if waits
        else f"{why}; it waited for your confirmation"
    )


def flag_reason(flag: str) -> str:
    """Say why a memory with this flag waits for the user's confirmation."""
    return _FLAGS.get(flag, flag)


def validity_window(version: MemoryVersion, validity: Validity) -> str:
    """Say from when to when a wording of a memory of this validity held."""
    since = moment(version.valid_from)
    if version.valid_to is not None:
        return f"held from {since} to {moment(version.valid_to)}"
    match validity:
        case Validity.ACTIVE:
            return f"holds since {since}"
        case Validity.PENDING_CONFIRMATION:
            return f"holds from {since}, once it is confirmed"
        case _:
            return f"held from {since}"


def inference_phrase(version: MemoryVersion) -> str:
    """Say who drew the conclusion, and how far it is to be trusted."""
    origin = version.provenance
    trust = f"{origin.source_kind.value.replace('_', ' ')}, trust {origin.trust.value}"
    match version.inferred_by:
        case InferredBy.STATEMENT:
            return f"stated {channel_phrase(origin.channel, origin.client)} ({trust})"
        case InferredBy.RULES if version.is_verbatim:
            return f"asked for in the conversation ({trust})"
        case InferredBy.RULES:
            return f"concluded by rules ({trust})"
        case InferredBy.MODEL:
            return f"concluded by the model {origin.client or 'of no name'} ({trust})"


def event_time(version: MemoryVersion) -> str | None:
    """Say when the event that it tells of happened; None if it tells of none."""
    if version.event_at is None:
        return None
    words = f" ({quotation(version.event_expression)})" if version.event_expression else ""
    return f"{moment(version.event_at)}{words}"


def evidence_place(one: Evidence) -> str:
    """Say who said it, when and where, for a turn that a memory rests on."""
    who = one.speaker or one.role.value
    return f"{who}, {moment(one.at)}, session {one.session_id} #{one.turn_index} ({one.source})"


def segment_place(turns: TurnRange) -> str:
    """Name the turns that an episode covers."""
    first, last = turns.first_index, turns.last_index
    return f"session {turns.session_id} #{first} to #{last} ({turns.source})"


def turn_position(turn: StoredTurn) -> str:
    """Name a turn's place."""
    message = f", message {turn.message_id}" if turn.message_id else ""
    return f"session {turn.session_id} #{turn.turn_index}{message} ({turn.source})"


def source_lines(wording: SourcedVersion) -> list[str]:
    """List what a wording rests on: the words, and their place."""
    origin, turn = wording.version.provenance, wording.said
    own_words = origin.quote is None or origin.quote == wording.version.content
    lines = [] if origin.quote is None or own_words else [quotation(origin.quote)]
    if turn is not None:
        return [*lines, evidence_place(turn), cite("turn", turn.turn_id)]
    return [*lines, *_sourceless_lines(origin)]


def _sourceless_lines(origin: Provenance) -> Iterable[str]:
    if origin.channel == NIGHTLY_CHANNEL:
        yield "derived from the memories it is linked with, by nightly maintenance"
    elif origin.quote is None or origin.channel == "extraction":
        yield "the turn that it rests on was forgotten"


def action_phrase(entry: AuditEntry) -> str:
    """Say what was done to a memory, and by which channel."""
    what = _ACTIONS.get(entry.action, entry.action.replace("_", " "))
    unheard = entry.action == "confirm" and entry.channel not in ("cli", "mcp-elicitation")
    verifies = ", whose word does not verify it" if unheard else ""
    detail = f": {entry.detail}" if entry.detail else ""
    return f"{what} {channel_phrase(entry.channel, entry.client)}{verifies}{detail}"


def channel_phrase(channel: str, client: str | None) -> str:
    """Say the channel of a memory."""
    if channel == "extraction":
        return "by rules" if client == "rules" else f"by the model {client or 'of no name'}"
    return Channel(name=channel, trust=Trust.REPORTED, client=client).description


def relation(incident: IncidentEdge) -> str:
    """Say how an edge relates to its other end."""
    if incident.edge.type is EdgeType.ROLE:
        return str(incident.edge.role)
    return _RELATION_WORDS[incident.edge.type][0 if incident.outward else 1]


def link_target(end: EdgeEnd) -> str:
    """Name the other end of an edge."""
    return f"{end.text} ({end.detail.replace('_', ' ')})" if end.detail else end.text


def relations(edges: Iterable[IncidentEdge]) -> str:
    """Say how several edges relate to one other end; that it is mentioned goes without saying."""
    words = list(dict.fromkeys(map(relation, edges)))
    telling = [word for word in words if not word.startswith("mention")]
    return ", ".join(telling or words)


def circumstances(edges: Iterable[IncidentEdge]) -> list[str]:
    """List what is not simply so, and when it is to be so."""
    found: list[str] = []
    for edge in (incident.edge for incident in edges):
        found += ["denied"] if edge.negated else []
        found += [edge.modality] if edge.modality != "actual" else []
        if edge.event_expression:
            found.append(quotation(edge.event_expression))
        if edge.event_at is not None:
            found.append(f"on {moment(edge.event_at)}")
    return list(dict.fromkeys(found))


def certainty(edges: Iterable[IncidentEdge]) -> str:
    """Say how strongly it binds, how surely it is so, and who says so."""
    edge = max((incident.edge for incident in edges), key=lambda one: (one.weight, one.confidence))
    who = "a model" if edge.inferred_by is InferredBy.MODEL else "rules"
    return f"weight {edge.weight:.2f}, confidence {edge.confidence:.2f}, by {who}"
