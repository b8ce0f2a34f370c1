"""Daily: every day that is over as a page that people can read."""

import json
import logging
from collections.abc import Iterator, Sequence
from datetime import date

from memoria.errors import ChatModelError
from memoria.inference.tasks import Ask, day
from memoria.ingest.clean import Tally, clean_text
from memoria.lifecycle.face import Applied, Night
from memoria.lifecycle.files.calendar import LocalDay, local_day
from memoria.lifecycle.files.daily import lists, page
from memoria.lifecycle.files.shelf import Written, digest, shelf
from memoria.model import Trust
from memoria.model.day import DayNotes
from memoria.policy.orders import instruction_shaped
from memoria.store.base import Transaction
from memoria.store.folders import daily_path

_LOG = logging.getLogger(__name__)
_FIRST = -62_135_000_000_000  # the year 1
_MOST_TOKENS = 1024
_MOST_EPISODES = 50
_MOST_CHARS = 1000
_ALONE = "without a chat model there are lists and no sentences above them"


class Page(Written):
    """A day to be written."""

    day: date
    begin: int
    end: int
    offset_minutes: int
    sentences: tuple[str, ...] = ()


class Daily:
    """Writes days in which something has changed since."""

    name = "daily"
    does = "write a page for each day that is over"
    item = Page
    rows = 500
    """One a transaction, for a file is written in it."""

    def __init__(self, ask: Ask | None = None) -> None:
        """Args: ask: the way to a model, which may write sentences above the lists."""
        self._ask = ask

    def reduced(self, _night: Night) -> str | None:
        """Without a model there are only lists."""
        return _ALONE if self._ask is None else None

    def plan(self, night: Night) -> Iterator[Page]:
        """Days whose page is missing or made from something else."""
        at: int | None = night.run.options.since or _FIRST
        while at is not None and (today := self._next(night, at)) is not None:
            with night.store.read(night.tenant) as tx:
                notes = tx.days.notes(today.begin, today.end)
                written = tx.files.get(daily_path(today.date))
            listed = lists(notes, today.offset_minutes)
            stamp = digest(listed.encode()) or ""
            stands = shelf(night).stands(daily_path(today.date))
            if (listed or stands) and not (stands and written and written.stamp == stamp):
                yield self._page(today, notes, listed, stamp)
            at = today.end

    def apply(self, tx: Transaction, item: Page, night: Night) -> Applied:
        """Write it, unless the day has become another or somebody has edited its page."""
        listed = lists(tx.days.notes(item.begin, item.end), item.offset_minutes)
        content = page(item.day, item.sentences, listed) if listed else None
        return shelf(night).write(tx, night.run, item, content)

    def _next(self, night: Night, at: int) -> LocalDay | None:
        """The next day that is over and in which something happened."""
        with night.store.read(night.tenant) as tx:
            active = tx.days.next_active(at)
        found = None if active is None else local_day(active)
        return found if found and found.end <= night.at else None

    def _page(self, today: LocalDay, notes: DayNotes, listed: str, stamp: str) -> Page:
        sentences = self._sentences(today.date, notes)
        content = page(today.date, sentences, listed) if listed else None
        return Page(
            key=daily_path(today.date),
            digest=digest(None if content is None else content.encode()),
            stamp=stamp,
            day=today.date,
            begin=today.begin,
            end=today.end,
            offset_minutes=today.offset_minutes,
            sentences=sentences,
        )

    def _sentences(self, today: date, notes: DayNotes) -> tuple[str, ...]:
        """What a model says of the day, where there is one and there is something to say."""
        episodes = [each.content[:_MOST_CHARS] for each in notes.episodes[:_MOST_EPISODES]]
        if self._ask is None or not episodes:
            return ()
        question = day(
            day=f"{today:%A} {today.isoformat()}",
            episodes=_numbered(episodes),
            max_output_tokens=_MOST_TOKENS,
        )
        try:
            answer = self._ask(question)
        except ChatModelError as error:  # the lists say it as well
            _LOG.warning("The page of %s has lists alone, for no answer came: %s", today, error)
            return ()
        said = ((clean_text(each.text, Tally()), each.episodes) for each in answer.sentences)
        return tuple(
            text
            for text, rests_on in said
            if max(rests_on) <= len(episodes) and not instruction_shaped(text, Trust.REPORTED)
        )


def _numbered(episodes: Sequence[str]) -> str:
    told = ({"episode": n, "summary": each} for n, each in enumerate(episodes, 1))
    return "\n".join(json.dumps(each, ensure_ascii=False) for each in told)
