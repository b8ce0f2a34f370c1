"""Daily pages: for every day that is over, its conversations and the changes of memories.

Each conversation has the sentence with which the user opened it, so a page says what a day was
about. A chat model's sentences stand above the lists; it is asked day by day until it can't answer.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta

from memoria.disk.folders import daily_path
from memoria.errors import ChatModelError, InvalidAnswerError, ModelRefusedError
from memoria.inference.tasks import request_day_summary
from memoria.language.reading.clean import Tally, clean_text
from memoria.language.reading.excerpt import cut_title
from memoria.language.reading.pasted import own_part
from memoria.language.statements.orders import instruction_shaped
from memoria.lifecycle.generated_files import FileItem, digest, files_of
from memoria.lifecycle.interface import ItemResult, PlannedStep, StepContext
from memoria.memories.conditions import is_open, list_open
from memoria.model import DAY_MS, Trust
from memoria.model.moments import LocalDay, Zone
from memoria.model.nightly import WITHOUT_MODEL, DayMemory, DayNotes, DayOpening, DaySession
from memoria.store.rows.transaction import Transaction

_MARK_CHARS = 8
_OPENED, _INERT = "<!--", "‹!--"
_MOST_TOKENS = 1024
_MOST_EPISODES = 50
_FEW_EPISODES = 3
_MOST_CHARS = 1000
_FIRST = -62_135_000_000_000  # the year 1
_LAST = date(9999, 12, 30)
_ONE_DAY = timedelta(days=1)
_LISTS_ALONE = f"{WITHOUT_MODEL} the pages of days are lists, with no sentences above them"


def read_notes(tx: Transaction, day: LocalDay) -> DayNotes:
    """Read the notes of a day; episodes are marked as outdated if something has changed since."""
    notes = _without_confidences(tx, tx.days.notes(day))
    changes = tx.derivations.list_changed([one.id for one in notes.episodes])
    outdated = {change.derived_id for change in changes}
    episodes = tuple(
        one.model_copy(update={"is_outdated": one.id in outdated}) for one in notes.episodes
    )
    sessions = tuple(_open_sessions(tx, notes.sessions))
    return notes.model_copy(update={"episodes": episodes, "sessions": sessions})


def _open_sessions(tx: Transaction, sessions: Sequence[DaySession]) -> Iterator[DaySession]:
    """Yield conversations with their first sentences, unless these were told in confidence."""
    turns = tx.conversations.turns([one.opening_n for one in sessions])
    told = {turn.n: turn for turn in list_open(tx, list(turns.values()))}
    for one in sessions:
        turn = told.get(one.opening_n)
        sentence = cut_title(own_part(turn.content)) if turn else ""
        opening = DayOpening(turn_id=turn.id, sentence=sentence) if turn and sentence else None
        yield one.model_copy(update={"opening": opening})


def _without_confidences(tx: Transaction, notes: DayNotes) -> DayNotes:
    """Return a day's notes without what was told in confidence."""

    def tell(told: Iterable[DayMemory]) -> tuple[DayMemory, ...]:
        pairs = ((one, tx.memories.get(one.id)) for one in told)
        return tuple(one for one, memory in pairs if memory is None or is_open(tx, memory))

    names = ("episodes", "learnt", "changed", "archived")
    return notes.model_copy(update={name: tell(getattr(notes, name)) for name in names})


def list_events(notes: DayNotes, zone: Zone) -> str:
    """List the events of a day as Markdown; an empty text if there are none.

    Args:
        notes: of the day.
        zone: by whose clock, unless a conversation has its own.
    """
    parts = {
        "Conversations": [_session_line(each, zone) for each in notes.sessions],
        "What they came to": [_memory_line(each, zone) for each in notes.episodes],
        "Learnt": [_memory_line(each, zone) for each in notes.learnt],
        "Changed": [_memory_line(each, zone) for each in notes.changed],
        "Put aside": [_memory_line(each, zone) for each in notes.archived],
    }
    return "\n".join(_parts(parts.items()))


def render_page(day: date, sentences: Sequence[str], listed: str) -> str:
    """Render the page of a day.

    Args:
        day: which.
        sentences: what stands above the lists, if anything.
        listed: what `lists` gave.
    """
    above = f"{' '.join(map(_one_line, sentences))}\n\n" if sentences else ""
    return f"# {day.isoformat()}, {day:%A}\n\n{above}{listed}"


def _parts(parts: Iterable[tuple[str, list[str]]]) -> Iterator[str]:
    for title, lines in parts:
        if lines:
            yield "\n".join([f"## {title}", "", *lines, ""])


def _session_line(session: DaySession, zone: Zone) -> str:
    own = zone.at_offset(session.first_at, session.utc_offset)
    begin, end = (f"{own.to_local(at):%H:%M}" for at in (session.first_at, session.last_at))
    span = begin if begin == end else f"{begin}–{end}"
    many = "1 message" if session.messages == 1 else f"{session.messages:,} messages"
    line = f"- {span} {_one_line(session.source)}, {_one_line(session.session_id)}: {many}"
    if session.opening is None:
        return line
    mark = f"<!-- q:{session.opening.turn_id[-_MARK_CHARS:]} -->"
    return f"{line}\n  “{_one_line(session.opening.sentence)}” {mark}"


def _memory_line(memory: DayMemory, zone: Zone) -> str:
    remark = " (outdated)" if memory.is_outdated else ""
    if memory.held_until is not None:
        remark = f" (until {zone.to_local(memory.held_until):%Y-%m-%d})"
    return f"- {_one_line(memory.content)}{remark} <!-- m:{memory.id[-_MARK_CHARS:]} -->"


def _one_line(text: str) -> str:
    """Return a text in one line, so that a forget finds it, and without comments that hide text."""
    return " ".join(text.split()).replace(_OPENED, _INERT)


class DaySummaries:
    """Asks a chat model for summaries of days, for one run."""

    def __init__(self, context: StepContext) -> None:
        self._context = context
        self._chat = context.chat
        self.trouble: str | None = None
        """Reason why the model is no longer asked; None while it is."""

    def summarize(self, today: date, episodes: Sequence[DayMemory]) -> tuple[str, ...]:
        """Return a summary of a day as sentences; empty if no model answers.

        No model is asked about a day with few conversations: their summaries stand on the page.

        Args:
            today: the day.
            episodes: the summaries of its conversations.
        """
        if self._chat is None or self.trouble or not _is_much(episodes):
            return ()
        shown = episodes[:_MOST_EPISODES]
        question = request_day_summary(
            day=f"{today:%A} {today.isoformat()}",
            episodes=_number_episodes(shown),
            max_output_tokens=min(_MOST_TOKENS, self._context.output_tokens),
        )
        try:
            answer = self._chat.ask(self._context.tenant, question)
        except (InvalidAnswerError, ModelRefusedError):
            return ()
        except ChatModelError as error:
            self.trouble = str(error)
            return ()
        said = ((clean_text(each.text, Tally()), each.episodes) for each in answer.sentences)
        return tuple(
            text
            for text, rests_on in said
            if max(rests_on) <= len(shown) and not instruction_shaped(text, Trust.REPORTED)
        )


def _is_much(episodes: Sequence[DayMemory]) -> bool:
    """Check whether a day has more summaries than can be read at a glance."""
    chars = sum(len(each.content) for each in episodes)
    return len(episodes) > _FEW_EPISODES or (len(episodes) > 1 and chars > _MOST_CHARS)


def _number_episodes(episodes: Sequence[DayMemory]) -> str:
    lines: list[dict[str, object]] = []
    for n, each in enumerate(episodes, 1):
        remark = {"outdated": True} if each.is_outdated else {}
        lines.append({"episode": n, "summary": each.content[:_MOST_CHARS], **remark})
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)


class DayPage(FileItem):
    """A page to be written."""

    day: date
    begin: int
    end: int
    offset_minutes: int = 0
    """Unused: plans stored by earlier versions have this field."""
    sentences: tuple[str, ...] = ()


class DailyStep(PlannedStep[DayPage]):
    """Writes pages of days that are missing or outdated."""

    name = "daily"
    summary = "Write a page for each day that is over."
    things = ("page of a day", "pages of days")
    deed = "written"
    item = DayPage
    rows = 500
    """Most rows of a transaction: so a page has one of its own, in which its file is written."""

    def describe_limits(self, context: StepContext) -> str | None:
        """Return a sentence on what the daily pages lack after this run; None if nothing."""
        return _LISTS_ALONE if context.chat is None else context.shortfalls.get(self.name)

    def plan(self, context: StepContext) -> Iterator[DayPage]:
        """Yield the days whose page is missing or outdated."""
        sentences = DaySummaries(context)
        for today in self._list_days(context):
            with context.store.read(context.tenant) as tx:
                notes = read_notes(tx, today)
                written = tx.file_records.get(daily_path(today.date))
            listed = list_events(notes, context.store.zone)
            stamp = digest(listed.encode()) or ""
            stands = context.files.exists(daily_path(today.date))
            if (listed or stands) and not (stands and written and written.stamp == stamp):
                yield _page(today, listed, stamp, sentences.summarize(today.date, notes.episodes))
        if sentences.trouble:
            context.shortfalls[self.name] = f"later days have lists alone: {sentences.trouble}"

    def apply(self, tx: Transaction, item: DayPage, context: StepContext) -> ItemResult:
        """Write the page, unless the day has changed since or the user has edited its page."""
        listed = list_events(read_notes(tx, LocalDay(item.day, item.begin, item.end)), tx.zone)
        content = render_page(item.day, item.sentences, listed) if listed else None
        return files_of(context).write(tx, context.run, item, content)

    def _list_days(self, context: StepContext) -> Iterator[LocalDay]:
        """Yield the days that are over and in which something may have happened, in order.

        By its own clock a conversation may be on the day before or after.
        """
        zone = context.store.zone
        begin = zone.date_of(context.run.options.since or _FIRST)
        while begin is not None and begin < _LAST:
            today = zone.day(begin)
            with context.store.read(context.tenant) as tx:
                active = tx.days.next_activity_at(today.begin - DAY_MS)
            there = None if active is None else zone.date_of(active)
            if there is None:
                return
            today = zone.day(max(begin, there - _ONE_DAY))
            if today.end > context.at:
                return
            yield today
            begin = today.date + _ONE_DAY


def _page(today: LocalDay, listed: str, stamp: str, sentences: tuple[str, ...]) -> DayPage:
    content = render_page(today.date, sentences, listed) if listed else None
    return DayPage(
        key=daily_path(today.date),
        digest=digest(None if content is None else content.encode()),
        stamp=stamp,
        day=today.date,
        begin=today.begin,
        end=today.end,
        sentences=sentences,
    )
