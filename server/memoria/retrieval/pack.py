"""Pack: as many hits as the token budget holds, best first, none of them crowding out the rest.

A long hit is cut to the excerpt that answers; it may take half of what is left, so that one
stack trace never is the whole answer. Neighbouring turns come last, from what remains.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memoria.model import Hit, Neighbour, ToolCall
from memoria.retrieval.excerpt import excerpt
from memoria.text.budget import estimate_tokens
from memoria.text.document import as_text

CITATION_TOKENS = 40
"""What a hit costs beside its text: id, session, message, role, time."""
_LEAST_TOKENS = 20
_CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class Packed:
    """What fitted."""

    hits: tuple[Hit, ...]
    tokens: int
    omitted: int


def pack(hits: Sequence[Hit], terms: Sequence[str], max_tokens: int) -> Packed:
    """The hits that fit, long ones cut."""
    kept: list[Hit] = []
    left = max_tokens
    for hit in hits:
        share = max(left // 2, min(left, CITATION_TOKENS + _LEAST_TOKENS))
        fitted = hit if cost(hit) <= share else _shortened(hit, terms, share - CITATION_TOKENS)
        if cost(fitted) <= left:
            kept.append(fitted)
            left -= cost(fitted)
    return Packed(tuple(kept), max_tokens - left, len(hits) - len(kept))


def add_neighbours(
    packed: Packed, max_tokens: int, around: Callable[[Hit], tuple[list[Neighbour], ...]]
) -> Packed:
    """The hits with the turns beside them, as far as the budget goes.

    Args:
        packed: the hits.
        max_tokens: the whole budget.
        around: gives (turns before, turns after) of a hit.
    """
    left = max_tokens - packed.tokens
    shown: list[Hit] = []
    for hit in packed.hits:
        before, after = around(hit)
        price = sum(estimate_tokens(n.text) + _LEAST_TOKENS for n in (*before, *after))
        if price <= left:
            left -= price
            hit = hit.model_copy(update={"before": tuple(before), "after": tuple(after)})  # noqa: PLW2901
        shown.append(hit)
    return Packed(tuple(shown), max_tokens - left, packed.omitted)


def cost(hit: Hit) -> int:
    """Estimated tokens of a hit."""
    tool = 0 if hit.tool is None else sum(map(estimate_tokens, _tool_texts(hit.tool)))
    return CITATION_TOKENS + estimate_tokens(hit.text) + tool


def shorten_text(hit: Hit, terms: Sequence[str], chars: int) -> Hit:
    """The hit with its text cut to the excerpt that answers."""
    start, end = excerpt(hit.text, terms, chars)
    if (start, end) == (0, len(hit.text)):
        return hit
    return hit.model_copy(update={"text": hit.text[start:end], "excerpt": (start, end)})


def _shortened(hit: Hit, terms: Sequence[str], tokens: int) -> Hit:
    """The hit cut so that it costs about `tokens` beside its citation."""
    if hit.tool is None:
        return shorten_text(hit, terms, _affordable(hit.text, tokens))
    args, result = as_text(hit.tool.args), as_text(hit.tool.result)
    shares = _shares([estimate_tokens(part) for part in (hit.text, args, result)], tokens)
    tool = ToolCall(
        name=hit.tool.name,
        args=_cut(args, terms, shares[1]) or None,
        result=_cut(result, terms, shares[2]) or None,
        cut=True,
    )
    short = shorten_text(hit, terms, _affordable(hit.text, shares[0]))
    return short.model_copy(update={"tool": tool})


def _shares(costs: Sequence[int], tokens: int) -> list[int]:
    """Tokens for each part: small parts get what they need, the rest is split evenly."""
    shares = [0] * len(costs)
    left = tokens
    for rank, i in enumerate(sorted(range(len(costs)), key=lambda i: costs[i])):
        shares[i] = min(costs[i], left // (len(costs) - rank))
        left -= shares[i]
    return shares


def _cut(text: str, terms: Sequence[str], tokens: int) -> str:
    start, end = excerpt(text, terms, _affordable(text, tokens))
    return text[start:end]


def _affordable(text: str, tokens: int) -> int:
    """How many characters of this kind of text the tokens pay for, 1 at least."""
    per_char = max(estimate_tokens(text) / max(len(text), 1), 1 / _CHARS_PER_TOKEN)
    return max(int(tokens / per_char), 1)


def _tool_texts(tool: ToolCall) -> tuple[str, ...]:
    return tool.name, as_text(tool.args), as_text(tool.result)
