"""Packing: as many hits as the token budget holds, best first, none crowding out the rest.

Every hit first gets room for the sentence that answers, so that ten are shown where ten are asked
for; a short one is whole with that. Then come the turns beside them, cut to a sentence as well, and
further hits. What is left is poured over the hits like water: short ones get all they need, long
ones share the rest, the better ones taking more. What an answer costs is what `form` writes of it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memoria.language.budget import PARTS, price_text
from memoria.language.lazy import remember_results
from memoria.language.reading.excerpt import ExcerptFinder, Span
from memoria.language.words.document import as_text
from memoria.model import AdjacentTurn, Hit, ToolCall
from memoria.model.search import FULL_ID
from memoria.retrieval.answer.cite import NO_NEIGHBOURS, NeighbourTurns, cut_to_excerpt
from memoria.retrieval.answer.form import (
    Common,
    RunKey,
    frame_cost,
    head_cost,
    headings_cost,
    neighbour_cost,
    neighbour_frame_cost,
    run_key,
    words_cost,
    write_hits,
)

_ENOUGH = (52 * PARTS, 120 * PARTS)
"""Least and most room that a hit is given for the sentence that answers, before any gets more."""
_LEAST = 12 * PARTS
"""Least room for the words of a hit that is shown."""
_NEIGHBOUR = 40 * PARTS
"""Room for the words of a turn beside a hit: the first sentences."""
_FIRST_HITS = 10
"""Number of hits whose neighbours are given room before further hits."""
_CUT = "…"
_TURNS = (None, "nearest", "later")
"""Order in which lines are given room: hits, the nearest by meaning, later statements."""


@dataclass(frozen=True, slots=True)
class PackedHits:
    """Hits that fitted."""

    hits: tuple[Hit, ...]
    tokens: int
    """Estimated tokens of the hits as they are written."""
    omitted: int


_WHOLE_UP_TO = {"turn": 1.6, "memory": 3.0}
"""Factors of `line_tokens` up to which a line beside the hits is shown whole."""


class Packer:
    """Hands out a budget, counted in parts of a token: `admit`, `add_neighbours`, `finish`."""

    def __init__(
        self,
        hits: Sequence[Hit],
        max_tokens: int,
        weights: Mapping[str, float],
        focuses: Sequence[Span | None] = (),
        id_chars: int = FULL_ID,
        line_tokens: int | None = None,
    ) -> None:
        """Create a packer for one answer.

        Args:
            hits: whole hits, best first.
            max_tokens: estimated tokens at most.
            weights: the terms asked for, with their weights where a hit is cut.
            focuses: the span of each hit whose meaning is nearest; None where none is known.
            id_chars: the number of an id's last characters that are written.
            line_tokens: the most tokens of a line beside the hits.
        """
        self._hits = hits
        self._most = None if line_tokens is None else line_tokens * PARTS
        self._weights = weights
        self._focuses = focuses or [None] * len(hits)
        self._id_chars = id_chars
        self._left = max_tokens * PARTS
        self._needs: dict[int, int] = {}
        self._finders: dict[int, ExcerptFinder] = {}
        self._common = Common.of_hits(hits)
        self._begun: set[RunKey] = set()
        self._order = sorted(range(len(hits)), key=lambda i: _TURNS.index(hits[i].shown_as))
        self._shares: dict[int, int] = {}
        """Shares of the hits admitted, in the order of admission."""
        self._beside: dict[int, NeighbourTurns] = {}

    def admit(self) -> int:
        """Admit as many hits as fit, each with enough room; return their number."""
        self._left -= headings_cost(self._hits)
        return self._admit_until(_FIRST_HITS)

    def _admit_until(self, most: int) -> int:
        for i in self._order[len(self._shares) : most]:
            hit = self._hits[i]
            need = sum(map(words_cost, _list_parts(hit)))
            self._needs[i] = need
            key = run_key(hit)
            frame = frame_cost(hit, self._common, self._id_chars)
            frame += 0 if key in self._begun else head_cost(hit)
            share = min(need, self._enough(i), self._left - frame)
            if share < min(need, _LEAST):
                break
            self._begun.add(key)
            self._shares[i] = share
            self._left -= frame + share
        return len(self._shares)

    def add_neighbours(self, neighbours: Iterable[NeighbourTurns]) -> None:
        """Add the turns beside hits, each turn once, as far as there is room.

        Args:
            neighbours: whole turns beside each admitted hit.
        """
        seen: set[str] = set()
        for i, (before, after) in enumerate(neighbours):
            sides = (self._take_fitting(side, seen) for side in (reversed(before), after))
            nearest_first, behind = sides
            self._beside[i] = NeighbourTurns(nearest_first[::-1], behind)

    def finish(self) -> PackedHits:
        """Admit further hits, share what is left, and cut each hit to its share."""
        if len(self._shares) == _FIRST_HITS:
            self._admit_until(len(self._hits))
            self._drop_doubles()
        self._pour()
        shown = tuple(self._show(i, share) for i, share in sorted(self._shares.items()))
        tokens = price_text("\n".join(write_hits(shown, self._id_chars)))
        return PackedHits(shown, tokens, len(self._hits) - len(shown))

    def _drop_doubles(self) -> None:
        """Drop the turns beside hits that are hits themselves."""
        hits = {self._hits[i].id for i in self._shares}
        for i, sides in self._beside.items():
            doubles = [turn for side in sides for turn in side if turn.id in hits]
            self._left += sum(neighbour_cost(turn, self._id_chars) for turn in doubles)
            before, after = (tuple(turn for turn in side if turn.id not in hits) for side in sides)
            self._beside[i] = NeighbourTurns(before, after)

    def _enough(self, i: int) -> int:
        """Return the room for the sentence of a hit that answers, within bounds."""
        if self._is_beside(i):
            most = self._most or 0
            whole = _WHOLE_UP_TO[self._hits[i].kind] * most
            return self._needs[i] if self._needs[i] <= whole else most
        least, most = _ENOUGH
        if self._needs[i] <= least or self._hits[i].tool is not None:
            return most
        start, end = self._finder(i).best_sentence
        return max(least, min(words_cost(self._hits[i].text[start:end]), most))

    def _is_beside(self, i: int) -> bool:
        """Return whether a line stands beside the hits, and is shown up to a fixed length."""
        return self._most is not None and self._hits[i].shown_as is not None

    def _finder(self, i: int) -> ExcerptFinder:
        """Return the finder of excerpts in a hit's words."""
        if i not in self._finders:
            text, focus = self._hits[i].text, self._focuses[i]
            self._finders[i] = ExcerptFinder(text, self._weights, focus)
        return self._finders[i]

    def _take_fitting(
        self, turns: Iterable[AdjacentTurn], seen: set[str]
    ) -> tuple[AdjacentTurn, ...]:
        """Take neighbours outwards, each cut to its first sentences, until one does not fit."""
        taken: list[AdjacentTurn] = []
        for turn in turns:
            if turn.id in seen:
                continue
            short, price = _shorten_neighbour(turn)
            cost = neighbour_frame_cost(short, self._id_chars) + price
            if cost > self._left:
                break
            seen.add(turn.id)
            self._left -= cost
            taken.append(short)
        return tuple(taken)

    def _pour(self) -> None:
        """Share the room that is left, by rank, among the hits that need more."""
        poured = (i for i in self._shares if not self._is_beside(i))
        wants = {i: self._needs[i] - self._shares[i] for i in poured}
        weights = {i: 1 / (4 + i) for i, want in wants.items() if want > 0}
        for i in sorted(weights, key=lambda i: (wants[i] / weights[i], i)):
            part = int(self._left * weights[i] / sum(weights.values()))
            more = min(wants[i], part)
            self._shares[i] += more
            self._left -= more
            del weights[i]

    def _show(self, i: int, share: int) -> Hit:
        hit, need = self._hits[i], self._needs[i]
        if share < need:
            hit = (
                cut_to_excerpt(hit, _find_affordable(hit.text, need, self._finder(i), share))
                if hit.tool is None
                else _shorten_call(hit, hit.tool, self._weights, share)
            )
        before, after = self._beside.get(i, NO_NEIGHBOURS)
        if not before and not after:
            return hit
        return hit.model_copy(update={"before": before, "after": after})


def _shorten_neighbour(turn: AdjacentTurn) -> tuple[AdjacentTurn, int]:
    """Cut a turn beside a hit to its first sentences, and price its words."""
    beginning = turn.text[: _NEIGHBOUR + 1]  # each character costs a part at least
    text, price = _shorten_beginning(beginning)
    return (turn if text == turn.text else turn.model_copy(update={"text": text})), price


@remember_results(1024)
def _shorten_beginning(text: str) -> tuple[str, int]:
    """Return a text, or the first sentences that have room, with their price."""
    beginning = text[:_NEIGHBOUR]
    price = words_cost(beginning)
    if beginning == text and price <= _NEIGHBOUR:
        return text, price
    span = _find_affordable(beginning, price, ExcerptFinder(beginning, {}), _NEIGHBOUR)
    short = f"{beginning[slice(*span)]} {_CUT}"
    return short, words_cost(short)


def _list_parts(hit: Hit) -> tuple[str, ...]:
    """Return the words of a hit, and the arguments and result of its tool call."""
    if hit.tool is None:
        return (hit.text,)
    return hit.text, as_text(hit.tool.args), as_text(hit.tool.result)


def _shorten_call(hit: Hit, tool: ToolCall, weights: Mapping[str, float], share: int) -> Hit:
    """Cut a hit and its tool call so that their words cost no more than a share."""
    parts = _list_parts(hit)
    costs = [words_cost(part) for part in parts]
    text, args, result = (
        _find_affordable(part, cost, ExcerptFinder(part, weights), part_share)
        for part, cost, part_share in zip(parts, costs, _share_evenly(costs, share), strict=True)
    )
    cut = tool.model_copy(
        update={
            "args": parts[1][slice(*args)] or None,
            "result": parts[2][slice(*result)] or None,
            "cut": True,
        }
    )
    return cut_to_excerpt(hit, text).model_copy(update={"tool": cut})


def _share_evenly(costs: Sequence[int], room: int) -> list[int]:
    """Divide room: small costs are met, the rest is split evenly."""
    shares = [0] * len(costs)
    left = room
    for rank, i in enumerate(sorted(range(len(costs)), key=lambda i: costs[i])):
        shares[i] = min(costs[i], left // (len(costs) - rank))
        left -= shares[i]
    return shares


def _find_affordable(text: str, price: int, finder: ExcerptFinder, room: int) -> Span:
    """Find the excerpt whose words cost no more than `room`.

    Args:
        text: the whole text.
        price: the cost of the whole text.
        finder: finds excerpts of the text.
        room: parts of a token.
    """
    chars = len(text)
    span = 0, chars
    while price > room and chars > 0:
        chars = min(chars - 1, chars * room // price)  # denser than ASCII: fewer characters
        span = finder.find(chars)
        price = words_cost(text[slice(*span)])
    return span
