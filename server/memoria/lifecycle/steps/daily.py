"""Daily: a page that people can read for every day that is over."""

from collections.abc import Iterator
from datetime import date, timedelta

from memoria.disk.folders import daily_path
from memoria.lifecycle.files.daily import list_events, read_notes, render_page
from memoria.lifecycle.files.generated import FileItem, digest, files_of
from memoria.lifecycle.files.sentences import DaySummaries
from memoria.lifecycle.interface import ItemResult, PlannedStep, StepContext
from memoria.model import DAY_MS
from memoria.model.nightly import WITHOUT_MODEL
from memoria.model.zone import LocalDay
from memoria.store.rows.transaction import Transaction

_FIRST = -62_135_000_000_000  # the year 1
_LAST = date(9999, 12, 30)
_ONE_DAY = timedelta(days=1)
_LISTS_ALONE = f"{WITHOUT_MODEL} the pages of days are lists, with no sentences above them"


class DayPage(FileItem):
    """A page to be written."""

    day: date
    begin: int
    end: int
    offset_minutes: int = 0
    """Offset that plans from before local days had."""
    sentences: tuple[str, ...] = ()


class DailyStep(PlannedStep[DayPage]):
    """Writes the pages of days in which something has changed since."""

    name = "daily"
    summary = "Write a page for each day that is over."
    things = ("page of a day", "pages of days")
    deed = "written"
    item = DayPage
    rows = 500
    """Most rows of a transaction: one page fills it, for a file is written in it."""

    def describe_limits(self, context: StepContext) -> str | None:
        """Say that without a chat model pages have only lists, or what was left out."""
        return _LISTS_ALONE if context.chat is None else context.shortfalls.get(self.name)

    def plan(self, context: StepContext) -> Iterator[DayPage]:
        """Yield the days whose page is missing or made from something else."""
        sentences = DaySummaries(context)
        for today in self._list_days(context):
            with context.store.read(context.tenant) as tx:
                notes = read_notes(tx, today)
                written = tx.file_records.get(daily_path(today.date))
            listed = list_events(notes, context.store.zone)
            stamp = digest(listed.encode()) or ""
            stands = files_of(context).exists(daily_path(today.date))
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

        A conversation's own clock may put it a day before or after the one that it has here.
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
