"""Entities, for a person at a terminal: what is known of a name, and which one is meant."""

from collections.abc import Iterable, Iterator

from memoria.errors import brief
from memoria.model import EdgeType, Entity, InferredBy
from memoria.model.provenance import Bond, EntityRecord, Namesakes, Telling
from memoria.surface.cli import phrases as say
from memoria.surface.cli.layout import entry, wrapped
from memoria.surface.cli.records import linked
from memoria.surface.text import counted

_SURROUNDS = (EdgeType.DERIVED_FROM, EdgeType.TEMPORAL_NEXT)
"""What says nothing of the thing itself."""


def entity_account(record: EntityRecord, width: int) -> str:
    """What is known of an entity and the memories that speak of it."""
    entity = record.entity
    lines = [*wrapped(_called(entity), width), *wrapped(_kind(entity), width)]
    lines += wrapped(f"entity {entity.id}", width)
    if entity.aliases:
        lines += entry("also called", [", ".join(entity.aliases)], width, 2)
    if record.same_as is not None:
        same = record.same_as
        lines += entry("the same as", [f"{same.name} (entity {same.id})"], width, 2)
    for telling in record.tellings:
        lines += ["", *_telling(telling, width)]
    if record.omitted:
        lines += ["", *wrapped(f"and {record.omitted} more; raise --limit to see them", width)]
    return "\n".join(lines)


def namesakes_account(found: Namesakes, width: int) -> str:
    """Which entities go by a name, and how to choose."""
    title = f"{len(found.entities)} go by “{found.name}”. Choose one by its id: memoria graph ID"
    return "\n".join([*wrapped(title, width), *_listed(found.entities, width)])


def unknown_name(found: Namesakes) -> str:
    """That nothing goes by a name, and which names are like it."""
    near = ", ".join(map(_called, found.near))
    like = f"Names like it: {near}. " if near else ""
    return (
        f"No memory speaks of anything called {brief(found.name)}. {like}Words that are no names "
        "are found by memoria search."
    )


def _listed(entities: Iterable[Entity], width: int) -> Iterator[str]:
    for entity in entities:
        also = [f"also {', '.join(entity.aliases)}"] if entity.aliases else []
        told = [_kind(entity), *also, f"entity {entity.id}"]
        yield ""
        yield from wrapped(_called(entity), width, 2)
        for line in told:
            yield from wrapped(line, width, 4)


def _called(entity: Entity) -> str:
    """Its name, and which of its namesakes it is."""
    return f"{entity.name} ({entity.distinct})" if entity.distinct else entity.name


def _kind(entity: Entity) -> str:
    kind = [] if entity.kind == "other" else [entity.kind]
    return ", ".join([*kind, f"in {counted(entity.mentions, 'memory', 'memories')}"])


def _telling(telling: Telling, width: int) -> Iterator[str]:
    memory = telling.memory
    yield from wrapped(memory.content, width)
    standing = f"{memory.type.value.replace('_', ' ')}, {memory.validity.value.replace('_', ' ')}"
    told = [_part(telling.bonds), *say.circumstances(telling.bonds), standing]
    yield from wrapped("; ".join(told), width, 2)
    yield from wrapped(f"memory {memory.id}", width, 2)
    further = [bond for bond in telling.beyond if bond.edge.type not in _SURROUNDS]
    yield from linked(further, width)


def _part(bonds: Iterable[Bond]) -> str:
    """The part the entity plays in a memory."""
    own = list(bonds)
    roles = [str(bond.edge.role) for bond in own if bond.edge.role is not None]
    about = any(bond.edge.type is EdgeType.ABOUT for bond in own)
    parts = [*(["is about it"] if about else []), *(f"as {role}" for role in roles)]
    by_rules = all(bond.edge.inferred_by is InferredBy.RULES for bond in own)
    return f"{', '.join(parts) or 'mentions it'} ({'by rules' if by_rules else 'by a model'})"
