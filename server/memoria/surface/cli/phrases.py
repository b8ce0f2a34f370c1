"""Phrases on records: who said or concluded them, when they held, how they are linked."""

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
from memoria.surface.text import list_marks

_ACTIONS = {
    "archive": "archived",
    "confirm": "confirmed",
    "begin night": "began nightly maintenance",
    "contradict": "said to contradict another",
    "correct": "corrected",
    "create token": "created a token",
    "add webhook": "added a webhook",
    "remove webhook": "removed a webhook",
    "downvote": "voted down",
    "export": "exported",
    "forget": "forgotten",
    "hold both": "said to hold beside another",
    "weigh": "weighed anew",
    "lift": "allowed to be remembered again",
    "note": "noted what a session is about",
    "pin": "pinned",
    "record": "recorded",
    "call": "kept the key of a call, so that the same call is not done twice",
    "refuse": "refused",
    "refine": "told in more or other words",
    "remember": "remembered",
    "import": "imported",
    "restore": "restored",
    "restore home": "put a backup in the home's place",
    "revoke token": "revoked a token",
    "supersede": "superseded",
    "undo": "undone",
    "undo night": "undid nightly maintenance",
    "unpin": "unpinned",
    "upvote": "voted up",
}
_WORDING_ACTIONS = ("correct", "refine")
"""Actions that made a wording. A history shows the wording, and the action where that is gone."""
_FLAGS = {
    "assistant": "an assistant said it, and you have not",
    "conflict": "it contradicts another memory",
    "hearsay": "it is hearsay",
    "instruction": "it reads like an instruction to the memory",
    "pasted": "it stands in a text that you pasted, and you have not said it",
    "pii": "it holds personal data",
    "skill": "it is a draft of a skill, which an agent would follow",
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
    """Return a record's name as a person types it: its kind and its short id."""
    return f"{kind} {record_id[-INDEXED_CHARS:]}"


def quotation(quote: str) -> str:
    """Put words in quotation marks."""
    return f"“{quote}”"


def type_and_validity(memory: Memory) -> str:
    """Return a memory's type and status."""
    return f"{memory.type.value.replace('_', ' ')}, {memory.validity.value.replace('_', ' ')}"


def memory_marks(memory: Memory, verified: str = "confirmed", unverified: str = "") -> list[str]:
    """Return a memory's type, status, condition, pin and verification."""
    return [mark.replace("_", " ") for mark in list_marks(memory, verified, unverified)]


def status_phrase(memory: Memory) -> str:
    """Return a memory's marks, and whether the user verified the memory."""
    return ", ".join(memory_marks(memory, "verified by the user", "not verified by the user"))


def files(memory: Memory) -> str:
    """Return how the files stand that a memory speaks of; empty where it speaks of none."""
    return "" if memory.ground is None else memory.ground.phrase


def confirmation_reason(memory: Memory) -> str | None:
    """Return why a memory waits, or waited, for confirmation; None if it never waited."""
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
    """Return the reason to wait for confirmation that a flag stands for."""
    return _FLAGS.get(flag, flag)


def validity_window(version: MemoryVersion, validity: Validity) -> str:
    """Return from when to when a wording held, of a memory with this status."""
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
    """Return who drew a conclusion, and its trust."""
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
    """Return when the event of a wording happened; None if the wording tells of no event."""
    if version.event_at is None:
        return None
    words = f" ({quotation(version.event_expression)})" if version.event_expression else ""
    return f"{moment(version.event_at)}{words}"


def evidence_place(one: Evidence) -> str:
    """Return who said a turn of a memory's evidence, when and where."""
    who = one.speaker or one.role.value
    return f"{who}, {moment(one.at)}, session {one.session_id} #{one.turn_index} ({one.source})"


def segment_place(turns: TurnRange) -> str:
    """Return the place of the turns that an episode covers."""
    first, last = turns.first_index, turns.last_index
    return f"session {turns.session_id} #{first} to #{last} ({turns.source})"


def turn_position(turn: StoredTurn) -> str:
    """Return a turn's place: session, number, message, source."""
    message = f", message {turn.message_id}" if turn.message_id else ""
    return f"session {turn.session_id} #{turn.turn_index}{message} ({turn.source})"


def source_lines(wording: SourcedVersion) -> list[str]:
    """List the words that a wording rests on, and their place."""
    origin, turn = wording.version.provenance, wording.said
    own_words = origin.quote is None or origin.quote == wording.version.content
    lines = [] if origin.quote is None or own_words else [quotation(origin.quote)]
    if turn is not None:
        return [*lines, evidence_place(turn), cite("turn", turn.turn_id)]
    return [*lines, *_sourceless_lines(origin)]


def _sourceless_lines(origin: Provenance) -> Iterable[str]:
    if origin.channel == NIGHTLY_CHANNEL:
        yield "derived by nightly maintenance from the memories and turns it rests on"
    elif origin.quote is None or origin.channel == "extraction":
        yield "the turn that it rests on was forgotten"


def action_phrase(entry: AuditEntry) -> str:
    """Return what was done to a memory, and by which channel."""
    what = name_action(entry.action)
    if entry.action in _WORDING_ACTIONS:
        what += ", in words forgotten since"
    detail = f": {entry.detail}" if entry.detail else ""
    return f"{what} {_actor_phrase(entry)}{detail}"


def confirmation(entry: AuditEntry | None) -> str | None:
    """Return when and by whom a memory was confirmed; None if nobody did."""
    return None if entry is None else f"{moment(entry.at)}, {_actor_phrase(entry)}"


def _actor_phrase(entry: AuditEntry) -> str:
    unheard = entry.action == "confirm" and not entry.is_of_user
    verifies = ", whose word does not verify it" if unheard else ""
    caller = f", {entry.caller}" if entry.caller else ""
    return f"{channel_phrase(entry.channel, entry.client)}{caller}{verifies}"


def name_action(action: str) -> str:
    """Return an action of the log in words, such as `remembered`."""
    return _ACTIONS.get(action, action.replace("_", " "))


def channel_phrase(channel: str, client: str | None) -> str:
    """Return a channel in words."""
    if channel == "extraction":
        return "by rules" if client == "rules" else f"by the model {client or 'of no name'}"
    return Channel(name=channel, trust=Trust.REPORTED, client=client).description


def relation(incident: IncidentEdge) -> str:
    """Return the relation of an edge to its other end."""
    if incident.edge.type is EdgeType.ROLE:
        return str(incident.edge.role)
    return _RELATION_WORDS[incident.edge.type][0 if incident.outward else 1]


def link_target(end: EdgeEnd) -> str:
    """Return the text of an edge's other end."""
    return f"{end.text} ({end.detail.replace('_', ' ')})" if end.detail else end.text


def relations(edges: Iterable[IncidentEdge]) -> str:
    """Return the relations of several edges to one other end; mentions only if alone."""
    words = list(dict.fromkeys(map(relation, edges)))
    telling = [word for word in words if not word.startswith("mention")]
    return ", ".join(telling or words)


def circumstances(edges: Iterable[IncidentEdge]) -> list[str]:
    """List conditions of edges: denied, only possible, at a time."""
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
    """Return the weight and confidence of the strongest edge, and who inferred it."""
    edge = max((incident.edge for incident in edges), key=lambda one: (one.weight, one.confidence))
    who = "a model" if edge.inferred_by is InferredBy.MODEL else "rules"
    return f"weight {edge.weight:.2f}, confidence {edge.confidence:.2f}, by {who}"
