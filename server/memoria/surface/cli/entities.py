"""Entities for a terminal: one with what names it, several of one name, and which may be one."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from memoria.errors import shorten
from memoria.model import EdgeType, Entity, InferredBy
from memoria.model.provenance import EntityMemory, EntityRecord, IncidentEdge, Namesakes
from memoria.surface.cli import phrases as say
from memoria.surface.cli.layout import entry_lines, wrap_text
from memoria.surface.cli.records import link_lines
from memoria.surface.text import quantity

_SURROUNDS = (EdgeType.DERIVED_FROM, EdgeType.TEMPORAL_NEXT)
"""Edges that tell nothing about the entity itself."""


def render_entity(record: EntityRecord, width: int) -> str:
    """Render what is known of an entity, and the memories and turns that mention it."""
    entity = record.entity
    lines = [*wrap_text(_display_name(entity), width), *wrap_text(_kind_line(entity), width)]
    lines += wrap_text(say.cite("entity", entity.id), width)
    if entity.aliases:
        lines += entry_lines("also called", [", ".join(entity.aliases)], width, 2)
    if record.same_as is not None:
        same = record.same_as
        lines += entry_lines(
            "the same as", [f"{same.name} ({say.cite('entity', same.id)})"], width, 2
        )
    for telling in record.entity_memories:
        lines += ["", *_memory_lines(telling, width)]
    for naming in record.entity_turns:
        lines += ["", *_turn_lines(entity, naming, width)]
    omitted = record.omitted + record.omitted_turns
    if omitted:
        lines += ["", *wrap_text(f"and {omitted} more; raise --limit to see them", width)]
    for sentence in _list_prospects(record):
        lines += ["", *wrap_text(sentence, width)]
    return "\n".join(lines)


def _list_prospects(record: EntityRecord) -> Iterator[str]:
    """Yield sentences on how to learn more of an entity of which little is known."""
    name, memories, turns = record.entity.name, record.entity_memories, record.entity_turns
    if len(memories) + len(turns) + record.omitted + record.omitted_turns == 1:
        yield (
            f"Only this names {name} so far. Whatever else is said of {name} is linked here as it "
            "is recorded."
        )
    if not memories:
        yield (
            f"No memory names {name} yet. A chat model makes memories of what was said (memoria "
            "model); memoria remember adds one by hand."
        )


def render_namesakes(found: Namesakes, width: int) -> str:
    """Render the entities that go by a name, and how to choose."""
    title = f"{len(found.entities)} go by “{found.name}”. Choose one by its id: memoria show ID"
    return "\n".join([*wrap_text(title, width), *_entity_lines(found.entities, width)])


def proposals_text(proposed: Sequence[tuple[Entity, Entity]], width: int) -> list[str]:
    """Render pairs of entities that share a name and may be one, and the commands to decide."""
    if not proposed:
        return []
    lines = ["Two of one name, and maybe one:"]
    for number, pair in enumerate(proposed, 1):
        lines += ["", *wrap_text(f"{number}.", width), *islice(_entity_lines(pair, width), 1, None)]
    end = "One: memoria revise ID same ID. Two: memoria revise ID apart ID."
    return ["\n".join([*lines, "", *wrap_text(end, width)])]


def unknown_name_text(found: Namesakes) -> str:
    """Return the message that nothing has this id or name, with similar names."""
    near = ", ".join(map(_display_name, found.near))
    like = f"Names like it: {near}. " if near else ""
    return (
        f"No memory, turn or session is called {shorten(found.name)}, and none is linked with that "
        f"name. {like}Not every name is recognised as one: `memoria search` and `memoria traces` "
        "look for any word."
    )


def _entity_lines(entities: Iterable[Entity], width: int) -> Iterator[str]:
    for entity in entities:
        also = [f"also {', '.join(entity.aliases)}"] if entity.aliases else []
        lines = [_kind_line(entity), *also, say.cite("entity", entity.id)]
        yield ""
        yield from wrap_text(_display_name(entity), width, 2)
        for line in lines:
            yield from wrap_text(line, width, 4)


def _display_name(entity: Entity) -> str:
    """Return an entity's name, and what tells it from its namesakes."""
    return f"{entity.name} ({entity.distinct})" if entity.distinct else entity.name


def _kind_line(entity: Entity) -> str:
    kind = [] if entity.kind == "other" else [entity.kind]
    return ", ".join(
        [*kind, f"in {quantity(entity.mentions, 'memory or turn', 'memories and turns')}"]
    )


def _memory_lines(telling: EntityMemory, width: int) -> Iterator[str]:
    memory = telling.memory
    yield from wrap_text(memory.content, width)
    role, circumstances = _role_in_memory(telling.edges), say.circumstances(telling.edges)
    yield from wrap_text("; ".join([role, *circumstances, say.type_and_validity(memory)]), width, 2)
    yield from wrap_text(say.cite("memory", memory.id), width, 2)
    further = [
        incident for incident in telling.further_edges if incident.edge.type not in _SURROUNDS
    ]
    yield from link_lines(further, width)


def _turn_lines(entity: Entity, naming: IncidentEdge, width: int) -> Iterator[str]:
    """Yield the lines of a turn that names an entity, or in which the entity first speaks."""
    said = f"said by {naming.other.detail}"
    is_own = naming.other.detail in (entity.name, *entity.aliases)
    yield from wrap_text(naming.other.text, width)
    yield from wrap_text(said if is_own else f"{said}; names it (by rules)", width, 2)
    yield from wrap_text(say.cite("turn", naming.other.id), width, 2)


def _role_in_memory(edges: Iterable[IncidentEdge]) -> str:
    """Return the role of an entity in a memory."""
    own = list(edges)
    roles = [str(incident.edge.role) for incident in own if incident.edge.role is not None]
    about = any(incident.edge.type is EdgeType.ABOUT for incident in own)
    parts = [*(["is about it"] if about else []), *(f"as {role}" for role in roles)]
    by_rules = all(incident.edge.inferred_by is InferredBy.RULES for incident in own)
    return f"{', '.join(parts) or 'mentions it'} ({'by rules' if by_rules else 'by a model'})"
