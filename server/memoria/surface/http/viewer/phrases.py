"""Phrases of the viewer: sentences on what is stored, in English, which `texts/` translate."""

from collections.abc import Mapping

from memoria.model import EdgeType, InferredBy, Memory, MemoryVersion, Validity
from memoria.model.grounds import GroundMark
from memoria.model.listing import MemoryState
from memoria.model.memory import Condition
from memoria.model.memory_types import MemoryType
from memoria.model.provenance import IncidentEdge
from memoria.surface.http.viewer.table import sentence
from memoria.surface.text import validity_word

TYPES: Mapping[MemoryType, str] = {one: one.value.replace("_", " ") for one in MemoryType}
_VALIDITIES: Mapping[str, str] = {
    "superseded": sentence("something else took its place"),
    "contradicted": sentence("contradicted"),
    "outdated": sentence("rests on what has changed since"),
    "archived": sentence("archived"),
    "pending_confirmation": sentence("waits for your word"),
}
CONDITIONS: Mapping[Condition, str] = {
    Condition.CONFIDED: sentence("told in confidence"),
    Condition.WITHHELD: sentence("not to be kept"),
}
FLAGS: Mapping[str, str] = {
    "assistant": sentence("An assistant said it, and you have not."),
    "conflict": sentence("It contradicts another memory."),
    "hearsay": sentence("It is hearsay."),
    "instruction": sentence("It reads like an instruction to the memory."),
    "pasted": sentence("It stands in a text that you pasted, and you have not said it."),
    "pii": sentence("It holds personal data."),
    "skill": sentence("It is a draft of a skill, which an agent would follow."),
    "review": sentence("It is too close a call to decide without you."),
    "unclear": sentence("Its words can be read in more than one way."),
    "tool": sentence("It comes from a tool or a web page."),
}
"""Reasons why a memory waits, or waited, for the user's word."""
ROLES: Mapping[str, str] = {
    "user": sentence("user"),
    "assistant": sentence("assistant"),
    "tool": sentence("tool"),
    "system": sentence("system"),
}
TRUSTS: Mapping[str, str] = {
    "user": sentence("your own word"),
    "reported": sentence("reported by a client"),
    "tool": sentence("from a tool"),
}
ACTIONS: Mapping[str, str] = {
    "add": sentence("remembered"),
    "archive": sentence("archived"),
    "confirm": sentence("confirmed"),
    "correct": sentence("corrected"),
    "contradict": sentence("said to contradict another"),
    "downvote": sentence("voted down"),
    "everywhere": sentence("let be seen in every project"),
    "forget": sentence("forgotten"),
    "hold both": sentence("said to hold beside another"),
    "weigh": sentence("weighed anew"),
    "import": sentence("imported"),
    "pin": sentence("pinned"),
    "project": sentence("let be seen in one project alone"),
    "refine": sentence("told in more or other words"),
    "remember": sentence("remembered"),
    "restore": sentence("restored"),
    "scope": sentence("set where it is seen"),
    "supersede": sentence("replaced by another memory"),
    "type": sentence("filed as another type"),
    "undo": sentence("an undo"),
    "unpin": sentence("unpinned"),
    "upvote": sentence("voted up"),
}
"""What was done to a memory, by the action's name in the log and in the list of changes."""
_WAYS: Mapping[str, str] = {
    "cli": sentence("on the command line"),
    "viewer": sentence("in the viewer"),
    "hand-edit": sentence("in a core file, by hand"),
    "mcp": sentence("over MCP by {client}"),
    "mcp-elicitation": sentence("by you, asked through {client}"),
    "hook": sentence("by a hook of {client}"),
    "night": sentence("by nightly maintenance"),
    "rules": sentence("by rules"),
    "extraction": sentence("by the model {client}"),
}
_OTHER_WAY = sentence("by {client}")
_RELATIONS: Mapping[EdgeType, tuple[str, str]] = {
    EdgeType.ABOUT: (sentence("about"), sentence("described by")),
    EdgeType.MENTIONS: (sentence("mentions"), sentence("mentioned by")),
    EdgeType.ROLE: (sentence("names"), sentence("named by")),
    EdgeType.CAUSES: (sentence("causes"), sentence("caused by")),
    EdgeType.SUPPORTS: (sentence("supports"), sentence("supported by")),
    EdgeType.CONTRADICTS: (sentence("contradicts"), sentence("contradicts")),
    EdgeType.DERIVED_FROM: (sentence("derived from"), sentence("source of")),
    EdgeType.REFERS_TO: (sentence("refers to"), sentence("referred to by")),
    EdgeType.SIMILAR_TO: (sentence("is like"), sentence("is like")),
    EdgeType.SAME_AS: (sentence("same as"), sentence("same as")),
    EdgeType.VERSION_NEXT: (sentence("replaced by"), sentence("replaces")),
    EdgeType.TEMPORAL_NEXT: (sentence("followed by"), sentence("follows")),
}
_BY_STATEMENT = sentence("stated {way}")
_BY_REQUEST = sentence("asked for in the conversation")
_BY_RULES = sentence("concluded by rules")
_BY_MODEL = sentence("concluded by the model {client}")


def name_state(memory: Memory) -> str | None:
    """Return in words why a memory does not simply hold; None for one that does."""
    return _VALIDITIES.get(validity_word(memory))


_GROUNDS = {
    "unchanged": sentence("unchanged"),
    "changed": sentence("changed since"),
    "gone": sentence("gone"),
    "not checked": sentence("not checked"),
}
_AFTER_A_COMMIT = sentence("changed since (1 commit)")
_AFTER_COMMITS = sentence("changed since ({commits} commits)")


def name_validity(validity: Validity | None) -> str | None:
    """Return a validity in words; None for what holds."""
    return None if validity is None else _VALIDITIES.get(validity.value)


def name_ground(ground: GroundMark) -> str:
    """Return how a memory's files stand, in words, with `{commits}` where it counts some."""
    if ground.state == "changed" and ground.commits:
        return _AFTER_A_COMMIT if ground.commits == 1 else _AFTER_COMMITS
    return _GROUNDS[ground.state]


def name_way(channel: str, client: str | None) -> str:
    """Return the sentence for a channel, with `{client}` where it names one."""
    if channel == "extraction" and client == "rules":
        return _WAYS["rules"]
    return _WAYS.get(channel, _OTHER_WAY)


def find_way(described: str) -> str | None:
    """Return the sentence for a channel that `Channel.description` has put in words; or None."""
    return described if described in _WAYS.values() and "{" not in described else None


def name_inference(version: MemoryVersion) -> str:
    """Return who drew a conclusion, as a sentence with `{way}` or `{client}`."""
    match version.inferred_by:
        case InferredBy.STATEMENT:
            return _BY_STATEMENT
        case InferredBy.RULES:
            return _BY_REQUEST if version.is_verbatim else _BY_RULES
        case InferredBy.MODEL:
            return _BY_MODEL


def name_type(kind: EdgeType) -> str:
    """Return the relation that edges of a type state."""
    return _RELATIONS[kind][0]


def name_relation(incident: IncidentEdge) -> str:
    """Return the relation of an edge to its other end."""
    return _RELATIONS[incident.edge.type][0 if incident.outward else 1]


FACTORS: Mapping[str, str] = {
    "importance": sentence("its importance"),
    "pinned": sentence("you pinned it"),
    "verified": sentence("you confirmed it"),
    "votes": sentence("votes"),
    "use": sentence("it was used before"),
    "evidence": sentence("it was said more than once"),
    "recency": sentence("its age"),
    "confidence": sentence("how sure it is"),
    "trust": sentence("who vouches for it"),
    "task": sentence("it belongs to the task in hand"),
    "time": sentence("its time is near the one asked for"),
    "tool": sentence("it is a tool's output"),
    "conclusion": sentence("it is a conclusion"),
    "bound": sentence("limit of all these together"),
}
"""What raises or lowers a score, by the names that an explanation has."""
OUTCOMES: Mapping[str, str] = {
    "shown": sentence("shown"),
    "no room": sentence("no room for it"),
    "past limit": sentence("beyond the number asked for"),
    "repeats": sentence("says what another hit says"),
    "below threshold": sentence("does not fit well enough"),
}
PARTS: Mapping[str, str] = {
    "text": sentence("Words"),
    "vectors": sentence("Meaning"),
    "graph": sentence("Links"),
    "recent": sentence("Time"),
    "rerank": sentence("Reranker"),
}
STATES: Mapping[str, str] = {
    "used": sentence("used"),
    "idle": sentence("had nothing to add"),
    "off": sentence("switched off"),
    "missing": sentence("not available"),
}
STATUSES: Mapping[str, str] = {
    "unprocessed": sentence("no model has read this yet"),
    "verbatim": sentence("has what was asked for, letter by letter"),
    "outdated": sentence("rests on what has changed since"),
    "over": sentence("its time is over"),
}
SHOWN_AS: dict[str, str] = {
    "nearest": sentence("nearest by meaning"),
    "later": sentence("said later"),
}
SHOWN_WITHOUT_VECTORS: Mapping[str, str] = SHOWN_AS | {"nearest": sentence("among the newest")}
"""The same where no meanings were compared: then the newest are shown in place of the nearest."""
LISTED_STATES: Mapping[MemoryState, str] = {
    "active": sentence("what counts"),
    "pending": sentence("waits for your word"),
    "archived": sentence("archived"),
    "superseded": sentence("something else took its place"),
    "contradicted": sentence("contradicted"),
    "any": sentence("everything"),
}
"""States by which memories are listed."""
SAY: Mapping[str, object] = {
    "TYPES": TYPES,
    "CONDITIONS": CONDITIONS,
    "FLAGS": FLAGS,
    "ROLES": ROLES,
    "TRUSTS": TRUSTS,
    "ACTIONS": ACTIONS,
    "FACTORS": FACTORS,
    "OUTCOMES": OUTCOMES,
    "PARTS": PARTS,
    "STATES": STATES,
    "STATUSES": STATUSES,
    "SHOWN_AS": SHOWN_AS,
    "LISTED_STATES": LISTED_STATES,
    "name_ground": name_ground,
    "name_state": name_state,
    "name_validity": name_validity,
    "name_way": name_way,
    "find_way": find_way,
    "name_inference": name_inference,
    "name_relation": name_relation,
}
"""All of these, as templates call them: `say.TYPES`, `say.name_state(memory)`."""
