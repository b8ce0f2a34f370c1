"""Pictures of neighbourhoods: nodes in columns, from a name to what is around, and lines."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple
from unicodedata import east_asian_width
from urllib.parse import quote

from memoria.model import EdgeType, Node
from memoria.model.provenance import Neighbourhood
from memoria.surface.http.viewer.table import ROOT

_ROW = 26
_TOP = 20
_NAME_X, _MEMORY_X, _AROUND_X = 16, 190, 470
"""Places of the columns; a line to the right begins where the words of a memory end."""
_WORDS_END_X = 440
_WIDTH = 660
_CHARS = 30
_AROUND_CHARS = 24


class DrawnNode(NamedTuple):
    """A node of a picture: a circle with words, which lead to a page."""

    x: int
    y: int
    label: str
    whole: str
    """All of the words."""
    path: str
    kind: str
    """Name of its class in the style sheet."""


class DrawnLink(NamedTuple):
    """A line of a picture, with what it links."""

    x1: int
    y1: int
    x2: int
    y2: int
    type: EdgeType
    one: str
    other: str


class Picture(NamedTuple):
    """A picture: its size, its nodes and its lines."""

    width: int
    height: int
    nodes: Sequence[DrawnNode]
    links: Sequence[DrawnLink]


def draw_neighbourhood(found: Neighbourhood) -> Picture:
    """Lay out an entity, the memories that name it, and what these are linked with, in columns.

    The same neighbourhood gives the same picture. What is around stands beside the memories that
    it is linked with.
    """
    rows = {one.id: at for at, one in enumerate(found.memories)}
    words = {one.id: one.content for one in (*found.memories, *found.others)}
    words |= {one.id: one.name for one in found.entities}
    kinds = dict.fromkeys((one.id for one in found.entities), "entity")
    around = sorted(
        [*(one.id for one in found.entities), *(one.id for one in found.others)],
        key=lambda one: (_mean_row(found, rows, one), words[one]),
    )
    height = _TOP * 2 + _ROW * max(len(rows), len(around), 1)
    nodes = {
        found.entity.id: DrawnNode(
            _NAME_X,
            height // 2,
            _shorten(found.entity.name, _AROUND_CHARS),
            found.entity.name,
            _lead_to("entity", found.entity.id),
            "centre",
        )
    }
    for x, chars, ids in ((_MEMORY_X, _CHARS, [*rows]), (_AROUND_X, _AROUND_CHARS, around)):
        for y, one in zip(_space_out(len(ids), height), ids, strict=True):
            kind = kinds.get(one, "memory")
            nodes[one] = DrawnNode(
                x, y, _shorten(words[one], chars), words[one], _lead_to(kind, one), kind
            )
    links = _draw_links(found, nodes)
    return Picture(_WIDTH, height, list(nodes.values()), list(dict.fromkeys(links)))


def _mean_row(found: Neighbourhood, rows: Mapping[str, int], node_id: str) -> float:
    """Return the mean row of the memories that a node is linked with."""
    near = [
        rows[end.id]
        for link in found.links
        if node_id in (link.src.id, link.dst.id)
        for end in (link.src, link.dst)
        if end.id in rows
    ]
    return sum(near) / len(near) if near else len(rows)


def _space_out(count: int, height: int) -> Iterator[int]:
    """Yield heights at which so many nodes stand evenly."""
    room = height - 2 * _TOP
    for at in range(count):
        yield round(_TOP + room * (at + 0.5) / count)


def _draw_links(found: Neighbourhood, nodes: Mapping[str, DrawnNode]) -> Iterator[DrawnLink]:
    centres = {found.entity.id, found.entity.canonical_id}
    for link in found.links:
        ends = [_find_end(end, centres, found, nodes) for end in (link.src, link.dst)]
        one, other = ends
        if one is None or other is None or one is other:
            continue
        left, right = sorted((one, other), key=lambda node: node.x)
        is_within = left.x == right.x
        yield DrawnLink(
            _WORDS_END_X if left.x == _MEMORY_X and not is_within else left.x,
            left.y,
            right.x,
            right.y,
            link.type,
            one.whole,
            other.whole,
        )


def _find_end(
    end: Node, centres: set[str | None], found: Neighbourhood, nodes: Mapping[str, DrawnNode]
) -> DrawnNode | None:
    return nodes[found.entity.id] if end.id in centres else nodes.get(end.id)


def _lead_to(kind: str, node_id: str) -> str:
    area = "names" if kind == "entity" else "memories"
    return f"{ROOT}/{area}/{quote(node_id, safe='')}"


def _shorten(text: str, chars: int) -> str:
    """Return the beginning of a text, on one line; wide characters take the room of two."""
    line = " ".join(text[: 4 * chars].split())
    room = accumulate(2 if east_asian_width(one) in "WF" else 1 for one in line)
    kept = sum(taken <= chars for taken in room)
    return line if kept == len(line) else f"{line[: kept - 1].rstrip()}…"
