"""Pack: as many hits as the token budget holds, best first, none of them crowding out the rest.

A hit of ordinary length is shown whole or not at all: half a sentence is no evidence. As many are
shown as fit so, best first. Then the budget is poured over them like water: short ones get all they
need, what remains is shared evenly by the long ones, which are cut to the excerpt that answers. So
one stack trace never is the whole answer. Neighbouring turns come last, from what is left.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from memoria.model import AdjacentTurn, Hit, ToolCall
from memoria.retrieval.answer.cite import cut_to_excerpt
from memoria.retrieval.answer.neighbours import NeighbourTurns
from memoria.text.budget import estimate_tokens
from memoria.text.document import as_text
from memoria.text.excerpt import find_excerpt

CITATION_TOKENS = 40
"""What a hit costs beside its text as a rule: id, session, message, role, time."""
_PLACE_TOKENS = 20
"""Of those, what does not depend on how a client names its sessions and messages."""
_LEAST_TOKENS = 40
"""Text that a long hit is shown with at least."""
_LONG_TOKENS = 160
"""A hit that costs more is long: it is cut before another hit is left out."""
_NEIGHBOUR_TOKENS = 15
_CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class PackedHits:
    """What fitted."""

    hits: tuple[Hit, ...]
    tokens: int
    omitted: int


def pack_hits(hits: Sequence[Hit], terms: Sequence[str], max_tokens: int) -> PackedHits:
    """The hits that fit, long ones cut."""
    costs = [hit_cost(hit) for hit in hits]
    long = min(_LONG_TOKENS, max_tokens)
    least = [
        min(price, max(long, citation_cost(hit) + _LEAST_TOKENS))
        for hit, price in zip(hits, costs, strict=True)
    ]
    shown = sum(total <= max_tokens for total in accumulate(least))
    more = [price - floor for price, floor in zip(costs[:shown], least, strict=False)]
    shared = _share_evenly(more, max_tokens - sum(least[:shown]))
    shares = [floor + share for floor, share in zip(least, shared, strict=False)]
    kept = tuple(
        hit if price <= share else _shorten_hit(hit, terms, share - citation_cost(hit))
        for hit, price, share in zip(hits, costs, shares, strict=False)
    )
    return PackedHits(kept, sum(map(hit_cost, kept)), len(hits) - shown)


def add_neighbours(
    packed: PackedHits, max_tokens: int, neighbours: Sequence[NeighbourTurns]
) -> PackedHits:
    """The hits with the turns beside each of them, as far as the whole budget goes."""
    left = max_tokens - packed.tokens
    shown: list[Hit] = []
    for hit, (before, after) in zip(packed.hits, neighbours, strict=True):
        price = sum(map(_neighbour_cost, (*before, *after)))
        fits = price <= left
        left -= price if fits else 0
        shown.append(hit.model_copy(update={"before": before, "after": after}) if fits else hit)
    return PackedHits(tuple(shown), max_tokens - left, packed.omitted)


def hit_cost(hit: Hit) -> int:
    """Estimated tokens of a hit."""
    tool = 0 if hit.tool is None else sum(map(estimate_tokens, _call_texts(hit.tool)))
    return citation_cost(hit) + estimate_tokens(hit.text) + tool


def citation_cost(hit: Hit) -> int:
    """Estimated tokens of what is never cut: where a hit stands, and which tool was called."""
    source = hit.source
    names = (
        source.session_id,
        source.message_id,
        source.speaker,
        source.client,
        source.workspace,
    )
    place = max(CITATION_TOKENS, _PLACE_TOKENS + sum(estimate_tokens(name or "") for name in names))
    return place if hit.tool is None else place + estimate_tokens(hit.tool.name)


def _neighbour_cost(turn: AdjacentTurn) -> int:
    return _NEIGHBOUR_TOKENS + estimate_tokens(turn.text) + estimate_tokens(turn.speaker or "")


def _shorten_hit(hit: Hit, terms: Sequence[str], tokens: int) -> Hit:
    """The hit cut so that it costs `tokens` at most beside its citation."""
    if hit.tool is None:
        return cut_to_excerpt(hit, _affordable_excerpt(hit.text, terms, tokens))
    parts = (hit.text, as_text(hit.tool.args), as_text(hit.tool.result))
    shares = _share_evenly([estimate_tokens(part) for part in parts], tokens)
    text, args, result = map(_affordable_excerpt, parts, (terms,) * len(parts), shares)
    tool = ToolCall(
        name=hit.tool.name,
        args=parts[1][slice(*args)] or None,
        result=parts[2][slice(*result)] or None,
        cut=True,
    )
    return cut_to_excerpt(hit, text).model_copy(update={"tool": tool})


def _share_evenly(costs: Sequence[int], tokens: int) -> list[int]:
    """Tokens for each: small ones get what they need, the rest is split evenly."""
    shares = [0] * len(costs)
    left = tokens
    for rank, i in enumerate(sorted(range(len(costs)), key=lambda i: costs[i])):
        shares[i] = min(costs[i], left // (len(costs) - rank))
        left -= shares[i]
    return shares


def _affordable_excerpt(text: str, terms: Sequence[str], tokens: int) -> tuple[int, int]:
    """The excerpt that costs `tokens` at most."""
    chars = min(len(text), tokens * _CHARS_PER_TOKEN)
    while chars > 0:
        start, end = find_excerpt(text, terms, chars)
        price = estimate_tokens(text[start:end])
        if price <= tokens:
            return start, end
        chars = min(chars - 1, chars * tokens // price)  # denser than ASCII: fewer characters
    return 0, 0


def _call_texts(tool: ToolCall) -> tuple[str, str]:
    return as_text(tool.args), as_text(tool.result)
