"""Daily: every day that is over as a page that people can read."""

from collections.abc import Iterator
from datetime import date

from memoria.lifecycle.face import Applied, Night
from memoria.lifecycle.files.calendar import LocalDay, local_day
from memoria.lifecycle.files.daily import lists, page
from memoria.lifecycle.files.sentences import Sentences
from memoria.lifecycle.files.shelf import Written, digest, shelf
from memoria.store.base import Transaction
from memoria.store.folders import daily_path

_FIRST = -62_135_000_000_000  # the year 1
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
    item = Page
    rows = 500
    """One a transaction, for a file is written in it."""

    def reduced(self, night: Night) -> str | None:
        """Without a model there are only lists."""
        return _ALONE if night.gate is None else night.short.get(self.name)

    def plan(self, night: Night) -> Iterator[Page]:
        """Days whose page is missing or made from something else."""
        sentences = Sentences(night)
        at: int | None = night.run.options.since or _FIRST
        while at is not None and (today := self._next(night, at)) is not None:
            with night.store.read(night.tenant) as tx:
                notes = tx.days.notes(today.begin, today.end)
                written = tx.files.get(daily_path(today.date))
            listed = lists(notes, today.offset_minutes)
            stamp = digest(listed.encode()) or ""
            stands = shelf(night).stands(daily_path(today.date))
            if (listed or stands) and not (stands and written and written.stamp == stamp):
                yield _page(today, listed, stamp, sentences.of(today.date, notes.episodes))
            at = today.end
        if sentences.trouble:
            night.short[self.name] = f"later days have lists alone: {sentences.trouble}"

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


def _page(today: LocalDay, listed: str, stamp: str, sentences: tuple[str, ...]) -> Page:
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
