"""Parts that the memories of several programs have in common."""

from pathlib import Path

from pydantic import JsonValue, ValidationError

from memoria.connectors.transcripts.source import TranscriptSource
from memoria.model import MemoryType, Mention
from memoria.model.operation import EntityKind

_KINDS: dict[str, MemoryType] = {
    **dict.fromkeys(("preference", "preferences", "like"), MemoryType.PREFERENCE),
    **dict.fromkeys(("rule", "guideline", "standard", "constraint", "policy"), MemoryType.RULE),
    **dict.fromkeys(("skill", "pattern", "learning", "howto", "technique"), MemoryType.SKILL),
    **dict.fromkeys(("error", "bug", "bugfix", "problem", "gotcha"), MemoryType.ERROR),
    **dict.fromkeys(("goal", "plan", "intention"), MemoryType.GOAL),
    **dict.fromkeys(("relationship", "relation"), MemoryType.RELATIONSHIP),
}
_ENTITIES: dict[str, EntityKind] = {
    **dict.fromkeys(("person", "people", "human", "user", "contact", "人", "人物"), "person"),
    **dict.fromkeys(
        ("organization", "organisation", "company", "team", "club", "组织", "公司"), "organisation"
    ),
    **dict.fromkeys(("place", "location", "city", "country", "地点", "城市"), "place"),
    **dict.fromkeys(
        ("product", "project", "tool", "software", "technology", "device", "项目", "产品"),
        "product",
    ),
    **dict.fromkeys(("event", "meeting", "trip", "事件"), "event"),
}


def read_kind(word: JsonValue) -> MemoryType:
    """Map a program's own word for a type to ours; a fact where there is none."""
    return (
        _KINDS.get(word.strip().lower(), MemoryType.FACT)
        if isinstance(word, str)
        else (MemoryType.FACT)
    )


def read_entity_kind(word: JsonValue) -> EntityKind:
    """Map a program's own word for a kind of entity to ours."""
    return _ENTITIES.get(word.strip().lower(), "other") if isinstance(word, str) else "other"


def read_share(value: JsonValue) -> float | None:
    """Read a number from 0 to 1, as importance is; None for any other."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)


def as_mention(name: str, kind: EntityKind = "other") -> Mention | None:
    """Return a mention of a name; `John_Smith` is John Smith. None for no name."""
    plain = " ".join(name.replace("_", " ").split())
    try:
        return Mention(name=plain, kind=kind, aliases=() if plain == name else (name,))
    except ValidationError:
        return None


def file_time(source: TranscriptSource) -> int:
    """Return when a file was last written, UTC epoch ms: nothing in it is newer than that."""
    return read_modification_time(source.path)


def read_modification_time(path: Path) -> int:
    """Return when a file was last written, UTC epoch ms."""
    return round(path.stat().st_mtime * 1000)
