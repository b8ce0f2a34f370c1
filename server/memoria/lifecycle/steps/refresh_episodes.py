"""Refreshed episodes: summaries of what has changed since are to be written anew.

Its segment goes back into the queue, as it does when a message is edited. Whoever reads the queue
next, this run or an open window, tells the chat model what no longer holds (`ingest/episode`).
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from operator import itemgetter

from memoria.lifecycle.interface import Item, ItemResult, PlannedStep, StepContext
from memoria.lifecycle.pages import read_pages
from memoria.model import InferredBy, Memory, Validity
from memoria.model.nightly import WITHOUT_MODEL, StepOutcome
from memoria.store.rows.transaction import Transaction

MAX_EPISODES = 20
"""Number of segments that one run puts back; the rest in the next run."""
_PAGE = 200


class OutdatedItem(Item):
    """An episode that is outdated; its key is its id."""

    changed_at: int
    """Time of the last change of anything that it rests on, UTC epoch ms."""


class RefreshEpisodesStep(PlannedStep[OutdatedItem]):
    """Puts the segments of outdated episodes back into the queue."""

    name = "refresh_episodes"
    summary = "Have the chat model sum up conversations again that tell what has changed since."
    things = ("summary of a conversation", "summaries of conversations")
    deed = "to be written anew"
    item = OutdatedItem
    rows = 10

    def describe_limits(self, context: StepContext) -> str | None:
        """Say that without a chat model nothing is summed up."""
        if context.chat is not None:
            return None
        return f"{WITHOUT_MODEL} no summary is written anew; searches mark what is outdated"

    def plan(self, context: StepContext) -> Iterator[OutdatedItem]:
        """Yield outdated episodes that were last written before the change, the oldest first."""
        if context.chat is None:
            return
        pages = read_pages(
            context, lambda tx, after: tx.episodes.list_active(after, _PAGE), itemgetter(0), 0
        )
        found = (item for page in pages for item in _find_on_page(context, page))
        yield from islice(found, MAX_EPISODES)

    def apply(self, tx: Transaction, item: OutdatedItem, _context: StepContext) -> ItemResult:
        """Put the segment back, unless it was summed up or decided about since."""
        memory = tx.memories.get(item.key)
        if memory is None or not _may_be_rewritten(memory):
            return ItemResult(StepOutcome.CHANGED_SINCE, item.key)
        if not tx.episodes.requeue_summary(item.key, item.changed_at):
            return ItemResult(StepOutcome.CHANGED_SINCE, item.key)
        return ItemResult(StepOutcome.DONE, item.key, "something that it tells has changed since")


def _find_on_page(context: StepContext, page: Sequence[tuple[int, str]]) -> list[OutdatedItem]:
    with context.store.read(context.tenant) as tx:
        return [*_find_outdated(tx, [memory_id for _, memory_id in page])]


def _find_outdated(tx: Transaction, ids: list[str]) -> Iterator[OutdatedItem]:
    changed_at: dict[str, int] = {}
    for change in tx.derivations.list_changed(ids):
        last = max(change.changed_at, changed_at.get(change.derived_id, 0))
        changed_at[change.derived_id] = last
    for memory_id in tx.episodes.list_read_before(changed_at):
        memory = tx.memories.get(memory_id)
        if memory is not None and _may_be_rewritten(memory):
            yield OutdatedItem(key=memory_id, changed_at=changed_at[memory_id])


def _may_be_rewritten(episode: Memory) -> bool:
    """Check that no person has decided about an episode."""
    is_ours = episode.validity is Validity.ACTIVE and not (episode.verified or episode.pinned)
    return is_ours and episode.current.inferred_by is InferredBy.MODEL
