"""Answers about recorded tool calls: what failed and what worked, then what was said about it.

Turns and memories stand in the order of what they tell of the file, the error or the command: who
speaks of it plainly, who spoke while it was mended, what changed it; and, where something was asked
in words beside, how well it answers that.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memoria.language.calls.command import shell_text
from memoria.language.calls.error import error_keys, telling_line
from memoria.language.calls.files import files_of_call
from memoria.language.calls.output import read_output
from memoria.language.reading.fences import join_lines
from memoria.language.words.analyser import query_terms
from memoria.model import Role, StoredTurn, to_iso
from memoria.model.calls import CallOutcome, CallStep
from memoria.model.moments import Zone
from memoria.retrieval.answer.lines import AnswerLine, ToldConditions, read_visible
from memoria.retrieval.lookup.called import Called, find_called, mentions
from memoria.retrieval.lookup.outcomes import FoundOutcome, find_outcomes
from memoria.retrieval.query.plan import AskedCalls, SearchPlan
from memoria.retrieval.ranking.candidates import FusedCandidate, ScoredCandidate, read_text
from memoria.retrieval.snapshot import ScoredSearch
from memoria.store.rows.transaction import Transaction

_MOST_OUTCOMES = 3
_MOST_CALLS = 60
"""Most calls that are read, those that fit best first."""
_MOST_ALIKE = 5
"""Most like failures around which something may have been said."""
_LEAST_SAID = 2
"""Least number of words that it shares with what worked or with the error."""
_MOST_NAMING = 60
"""Most documents that are read because they hold the words of what is asked for."""
_AROUND = (2, 4)
"""Places before a call and behind it at which somebody may speak of it."""
_WHAT_CHARS = 160
_ERROR_CHARS = 160
_FAILED, _CHANGED, _RAN, _READ = 0.6, 0.5, 0.35, 0.15
"""Worth of calls: one that failed, an edit, a command, a look at a file."""
_NAMED, _NEAR, _SAID, _ASKED = 1.0, 0.4, 0.25, 1.6
"""Worth of a text that names what is asked for, of one near a call, of any that somebody said, and
of one that answers the question beside."""


class AnswerAboutCalls(NamedTuple):
    """Outcomes and lines that a question about calls found."""

    outcomes: tuple[CallOutcome, ...]
    lines: list[AnswerLine]
    """Hits, best first."""
    unmet: str
    """Remark that no call failed or was run as asked, where nothing else was asked."""


def answer_calls(
    tx: Transaction, found: ScoredSearch, told: ToldConditions, asked: AskedCalls
) -> AnswerAboutCalls:
    """Answer a question about a file, an error or a command.

    Args:
        tx: where it was searched.
        found: what a search for the words of the question found.
        told: reads the conditions under which candidates were told.
        asked: the file, the error and the command.
    """
    called = find_called(tx, asked)
    outcomes = find_outcomes(tx, called.failed)
    reading = _CallReading(tx, found, told, called, asked)
    rated = reading.rate_all(outcomes)
    shown = _choose_outcomes(outcomes, rated, asked)
    sayings = [reading.find_saying(one, rated) for one in shown]
    written = tuple(
        _write_outcome(one, said, rated.turns, found.plan.options.zone)
        for one, said in zip(shown, sayings, strict=True)
    )
    inside = {n for one in shown for n in (*_list_numbers(one), *one.alike)}
    inside |= {n for n in sayings if n is not None}
    others = (n for n in rated.scores if n not in inside)
    ordered = sorted(others, key=lambda n: -rated.scores[n])[: found.plan.limit]
    lines = [rated.lines[n] for n in ordered]
    return AnswerAboutCalls(written, lines, _tell_unmet(called, asked, lines))


def _tell_unmet(called: Called, asked: AskedCalls, lines: Sequence[AnswerLine]) -> str:
    """Tell that no call was found, unless a text has the very error or command in it."""
    if called.fits or asked.file or not asked.is_alone:
        return ""
    named = [*error_keys(asked.error or ""), *filter(None, [(asked.command or "").casefold()])]
    texts = [read_text(line.candidate.document).casefold() for line in lines]
    if any(one in text for one in named for text in texts):
        return ""
    return f"Nothing on record {'failed' if asked.error else 'was run'} so."


class _Rated(NamedTuple):
    """Documents that may be told, with how much they tell."""

    scores: Mapping[int, float]
    lines: Mapping[int, AnswerLine]
    turns: Mapping[int, StoredTurn]
    fits: Mapping[int, float]
    """How well each answers what was asked in words beside, 0 to 1."""


class _CallReading:
    """The documents around calls, as one question reads them."""

    def __init__(
        self,
        tx: Transaction,
        found: ScoredSearch,
        told: ToldConditions,
        called: Called,
        asked: AskedCalls,
    ) -> None:
        self._tx = tx
        self._found = found
        self._told = told
        self._called = called
        self._asked = asked
        self._plan: SearchPlan = found.plan
        self._near_of: dict[int, dict[int, None]] = {}
        self._scored = {each.n: each for each in [*found.scored[:_MOST_NAMING]]}

    def rate_all(self, outcomes: Sequence[FoundOutcome]) -> _Rated:
        """Read and rate the calls, what was said around them, and what names them."""
        calls = sorted(self._called.fits, key=lambda n: (-self._called.fits[n], -n))[:_MOST_CALLS]
        near = self._list_near(calls, outcomes)
        naming = self._list_naming()
        steps = [n for one in outcomes for n in _list_numbers(one)]
        wanted = dict.fromkeys([*steps, *calls, *near, *naming, *self._scored])
        lines = {line.candidate.n: line for line in self._read(list(wanted))}
        fits = {n: self._fit(line.candidate) for n, line in lines.items()}
        scores = {
            n: self._rate(line.candidate, near.get(n, 0.0), fits[n]) for n, line in lines.items()
        }
        turns = {
            n: line.candidate.document
            for n, line in lines.items()
            if isinstance(line.candidate.document, StoredTurn)
        }
        kept = {n: score for n, score in scores.items() if score > 0}
        return _Rated(kept, lines, turns, fits)

    def find_saying(self, one: FoundOutcome, rated: _Rated) -> int | None:
        """Find the turn that says most of what a failure was about and of what worked."""
        failed = rated.turns[one.failed]
        worked = None if one.worked is None else rated.turns.get(one.worked)
        before = {*query_terms(_tell_call(failed))}
        new = {*query_terms(_tell_call(worked))} - before if worked else set[str]()
        about = {*query_terms(one.error)} - before - new
        best: tuple[float, int] | None = None
        for n in self._near_of.get(one.failed, ()):
            document = rated.turns.get(n)
            if document is None or document.role is Role.TOOL:
                continue
            words = rated.lines[n].candidate.words
            telling = len(words & new) + len(words & about)
            rate = telling + len(words & new) + 0.5 * len(words & before)
            rate += _ASKED * rated.fits.get(n, 0.0) + 0.5 * (document.role is Role.ASSISTANT)
            if telling >= _LEAST_SAID and (best is None or rate > best[0]):
                best = rate, n
        return best and best[1]

    def _read(self, ns: Sequence[int]) -> list[AnswerLine]:
        """Read the documents that the filters let through and that may be told."""
        plan = self._plan
        passing = self._tx.documents.keep_passing(plan.kinds, ns, plan.filters)
        wanted = [FusedCandidate(n, 0.0) for n in passing]
        read = read_visible(self._tx, self._found, plan, wanted)
        return [AnswerLine(*each) for each in self._told.take(read, len(read))]

    def _list_near(
        self, calls: Sequence[int], outcomes: Sequence[FoundOutcome]
    ) -> dict[int, float]:
        """Map turns that were said around calls to how near they stand."""
        before, behind = _AROUND
        around: dict[int, float] = {}
        groups = {one.failed: [one.failed, *one.alike[:_MOST_ALIKE]] for one in outcomes}
        for one in outcomes:
            groups[one.failed] += [] if one.worked is None else [one.worked]
        worths = dict.fromkeys(calls, 0.6) | {n: 1.0 for ns in groups.values() for n in ns}
        positions = self._tx.conversations.list_positions([*worths], max(before, behind))
        places = {(one.session_n, one.turn_index): one.n for one in positions}
        at = {one.n: (one.session_n, one.turn_index) for one in positions}
        beside: dict[int, list[int]] = {}
        for n, worth in worths.items():
            if n not in at:
                continue
            session, index = at[n]
            for distance in range(-before, behind + 1):
                other = places.get((session, index + distance))
                if other is None or not distance:
                    continue
                beside.setdefault(n, []).append(other)
                nearness = worth * (1 - abs(distance) / (2 * behind))
                around[other] = max(nearness, around.get(other, 0.0))
        self._near_of = {
            failed: dict.fromkeys(other for n in ns for other in beside.get(n, ()))
            for failed, ns in groups.items()
        }
        return around

    def _list_naming(self) -> list[int]:
        """List documents that hold the words of what is asked for."""
        plan = self._plan
        texts = [*self._called.names, self._asked.words]
        terms = dict.fromkeys(term for text in texts for term in query_terms(text))
        found = self._tx.documents.match(plan.kinds, [*terms], plan.filters, _MOST_NAMING)
        return [match.n for match in found]

    def _fit(self, candidate: ScoredCandidate) -> float:
        """Return how well a document answers what was asked in words beside."""
        if self._asked.is_alone:
            return 0.0
        weights = {term: self._found.weights.get(term, 1.0) for term in self._plan.terms}
        total = sum(weights.values()) or 1.0
        share = sum(weight for term, weight in weights.items() if term in candidate.words) / total
        scored = self._scored.get(candidate.n)
        return max(share, scored.relevance if scored else 0.0)

    def _rate(self, candidate: ScoredCandidate, near: float, fit: float) -> float:
        document = candidate.document
        text = read_text(document)
        named = mentions(text, self._asked, self._called.names)
        rate = _ASKED * fit
        if isinstance(document, StoredTurn) and document.role is Role.TOOL:
            worth = self._called.fits.get(candidate.n, 0.0) * self._worth_of(candidate.n)
            return (rate + worth) if worth else 0.0
        if not (named or near):
            return 0.0
        is_users = isinstance(document, StoredTurn) and document.role is Role.USER
        return rate + _NAMED * named + _NEAR * near + _SAID + (0.1 if is_users else 0.0)

    def _worth_of(self, n: int) -> float:
        if n in self._called.failed:
            return _FAILED
        rows = self._tx.tool_calls.list_of_turns([n])
        if any(row.is_edit for row in rows):
            return _CHANGED
        return _RAN if any(row.kind == "command" for row in rows) else _READ


def _list_numbers(one: FoundOutcome) -> Iterator[int]:
    yield one.failed
    if one.worked is not None:
        yield one.worked
    yield from one.between


def _choose_outcomes(
    outcomes: Sequence[FoundOutcome], rated: _Rated, asked: AskedCalls
) -> list[FoundOutcome]:
    """Choose the outcomes to show: those that fit the question best, mended ones first."""
    seen = [one for one in outcomes if one.failed in rated.turns]

    def rank(one: FoundOutcome) -> tuple[float, bool, float]:
        fit = max(rated.fits.get(n, 0.0) for n in _list_numbers(one))
        return (-fit, one.worked is None, -rated.scores.get(one.failed, 0.0))

    ordered = sorted(seen, key=rank)
    if not asked.is_alone:
        best = max((-rank(one)[0] for one in ordered), default=0.0)
        ordered = [one for one in ordered if -rank(one)[0] >= best / 2 > 0]
    return ordered[: _MOST_OUTCOMES if asked.file is None else _MOST_OUTCOMES - 1]


def _tell_call(turn: StoredTurn) -> str:
    line = shell_text(turn.tool_name, turn.tool_args)
    return line or " ".join((turn.tool_name or "tool", *files_of_call(None, turn.tool_args)[:1]))


def _write_outcome(
    one: FoundOutcome, said: int | None, turns: Mapping[int, StoredTurn], zone: Zone
) -> CallOutcome:
    failed = turns[one.failed]
    worked = None if one.worked is None else turns.get(one.worked)
    return CallOutcome(
        failed=_write_step(failed, zone),
        error=telling_line(read_output(failed.tool_result).text)[:_ERROR_CHARS],
        times=len(one.alike),
        between=tuple(_write_step(turns[n], zone) for n in one.between if n in turns),
        worked=None if worked is None else _write_step(worked, zone),
        said=None if said is None else _write_step(turns[said], zone),
        way=one.way if worked is not None else None,
    )


def _write_step(turn: StoredTurn, zone: Zone) -> CallStep:
    what = _tell_call(turn) if turn.role is Role.TOOL else turn.content
    return CallStep(
        id=turn.id,
        at=to_iso(turn.at, zone),
        session_id=turn.session_id,
        what=join_lines(what)[:_WHAT_CHARS],
    )
