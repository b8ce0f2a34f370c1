"""Search: both levels, and of each hit why it is there."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal, NamedTuple
from urllib.parse import urlencode

from pydantic import BeforeValidator

from memoria.language.words.document import as_text
from memoria.model import (
    AdjacentTurn,
    ExplainedCandidate,
    Explanation,
    Hit,
    PartReport,
    SearchResult,
)
from memoria.model.memory_types import AnyType
from memoria.model.moments import parse_instant
from memoria.model.query import read_list
from memoria.retrieval.answer.form import write_words
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.surface.http.viewer import phrases
from memoria.surface.http.viewer.table import ROOT, Area, Filled, PageRow, Visit, Wish

PATH = f"{ROOT}/search"
_HITS = 10
_TOKENS = 20_000
"""Budget of an answer, so large that hits are left out by their number and not by their length."""
_REJECTED = 10
"""Most candidates to list that did not become hits."""


class SearchWish(Wish):
    """A question, and the filters of its search."""

    query: str | None = None
    level: Literal["memories", "record"] = "memories"
    types: Annotated[tuple[AnyType, ...], BeforeValidator(read_list)] = ()
    project: str = EVERYWHERE
    since: str | None = None
    until: str | None = None
    include_history: bool = False
    limit: int = _HITS
    undo: str | None = None
    """Id of a change that was just made here, to be taken back."""


class HitView(NamedTuple):
    """A hit as the page shows it."""

    hit: Hit
    at: int
    """Time at which it was said, UTC epoch milliseconds."""
    words: str
    tool: tuple[str, str, str] | None
    """Name, arguments and result of a tool's call."""
    why: ExplainedCandidate | None
    """What decided its rank; None for what is shown beside the hits."""
    rank: int

    @property
    def beside(self) -> tuple[tuple[AdjacentTurn, ...], tuple[AdjacentTurn, ...]]:
        """Turns said before and after it."""
        return self.hit.before, self.hit.after


async def show_search(visit: Visit, wish: SearchWish) -> Filled:
    """Show the answer to a question, or the form alone."""
    query = (wish.query or "").strip()
    found = await _search(visit, wish, query) if query else None
    explanation = None if found is None else found.explanation
    lacking = [] if explanation is None else _list_lacking(explanation)
    by_meaning = all(one.part != "vectors" for one in lacking)
    hits = () if found is None else found.hits
    return Filled(
        "search.html",
        {
            "wish": wish,
            "found": found,
            "hits": [] if found is None else list(_view_hits(found)),
            "shown_as": phrases.SHOWN_AS if by_meaning else phrases.SHOWN_WITHOUT_VECTORS,
            "is_newest": not by_meaning and {one.shown_as for one in hits} == {"nearest"},
            "lacking": lacking,
            "notes": [] if found is None else _list_other_notes(found.notes, lacking),
            "words_of": await _read_cited(visit, hits),
            "rejected": [] if explanation is None else _list_rejected(explanation),
            "projects": await visit.memory.told.list_projects(),
            "has_private": bool(visit.memory.settings.private_workspaces),
            "here": write_path(wish),
            "with_history": write_path(wish, include_history=True),
            "with_more": write_path(wish, limit=min(10 * _HITS, 200)),
            "everywhere": write_path(wish, project=EVERYWHERE),
            "other_level": write_path(
                wish, level="record" if wish.level == "memories" else "memories", types=()
            ),
            "say": phrases.SAY,
        },
    )


def write_path(wish: SearchWish, **changed: object) -> str:
    """Return the path of a search's page, with some of its arguments changed."""
    wanted = wish.model_copy(update=changed)
    fields = {
        "query": wanted.query,
        "level": wanted.level if wanted.level != "memories" else None,
        "types": [str(one) for one in wanted.types],
        "project": wanted.project if wanted.project != EVERYWHERE else None,
        "since": wanted.since,
        "until": wanted.until,
        "include_history": "true" if wanted.include_history else None,
        "limit": wanted.limit if wanted.limit != _HITS else None,
    }
    given = {name: one for name, one in fields.items() if one}
    return f"{PATH}?{urlencode(given, doseq=True)}" if given else PATH


async def _search(visit: Visit, wish: SearchWish, query: str) -> SearchResult:
    asked = {
        "query": query,
        "since": wish.since,
        "until": wish.until,
        "workspace": wish.project,
        "include_history": wish.include_history,
        "limit": wish.limit,
        "max_tokens": _TOKENS,
        "explain": True,
    }
    if wish.level == "record":
        return await visit.memory.search_conversation_traces(**asked)
    return await visit.memory.search_memory(**asked, types=wish.types)


def _view_hits(found: SearchResult) -> Iterator[HitView]:
    candidates = () if found.explanation is None else found.explanation.candidates
    ranked = dict[str, tuple[int, ExplainedCandidate]]()
    for rank, each in enumerate(candidates, 1):
        ranked.setdefault(each.id, (rank, each))
    for hit in found.hits:
        rank, why = ranked.get(hit.id, (0, None))
        call = hit.tool
        tool = None if call is None else (call.name, as_text(call.args), as_text(call.result))
        at = parse_instant(hit.source.at)
        yield HitView(hit, at, write_words(hit).strip(), tool, why, rank)


def _list_lacking(explanation: Explanation) -> list[PartReport]:
    """List the parts of the search that could not serve."""
    return [one for one in explanation.parts if one.state in ("missing", "off")]


def _list_other_notes(notes: Iterable[str], lacking: Iterable[PartReport]) -> list[str]:
    """List the notes of an answer but those on parts that could not serve."""
    told = {f"searched without {one.part}: {one.why}" for one in lacking}
    return [one for one in notes if one not in told]


async def _read_cited(visit: Visit, hits: Sequence[Hit]) -> dict[str, str]:
    """Map the ids of what hits contradict or rest on to its words, if its project has a hit.

    Other projects may be private ones, whose words no search of all projects shows.
    """
    cited = {other for hit in hits for other in (*hit.contradicts, *hit.outdated_by)}
    cited |= {hit.restated_by for hit in hits if hit.restated_by is not None}
    found = await visit.memory.told.find(cited) if cited else {}
    words = {one: (record.memory or record.turn) for one, record in found.items()}
    seen = {None, *(hit.source.workspace for hit in hits)}
    return {
        one: said.content
        for one, said in words.items()
        if said is not None and said.workspace in seen
    }


def _list_rejected(explanation: Explanation) -> list[ExplainedCandidate]:
    return [one for one in explanation.candidates if one.outcome != "shown"][:_REJECTED]


AREA = Area(
    (
        PageRow(
            PATH,
            "search",
            "Search",
            SearchWish,
            show_search,
            menu="first",
            example={"query": "checkout"},
            is_savable=True,
        ),
    )
)
