"""Forget: erase memories everywhere they are, and see that they don't come back.

The sources of what is forgotten stay in the verbatim record unless `include_source` is given, but
nothing is concluded from them any more. First the tombstones and the deletions, in one transaction;
then the file is scrubbed, which can be stopped and repeated. A tombstone holds ids, a date and
digests, never a word of what was forgotten.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from memoria.erasure.deletion import Deletion
from memoria.erasure.files import TextFileEraser
from memoria.erasure.plan import ErasurePlan, check_ids, plan_erasure
from memoria.erasure.reach import list_affected, list_places, texts_in_plans
from memoria.erasure.scrub import scrub_store
from memoria.erasure.suppression import Digester
from memoria.errors import EmbedderError, InvalidInputError
from memoria.model import Channel, ForgetResult, RemainingBackup
from memoria.store.base import Store, Transaction
from memoria.store.values import SuppressedMeaning

_LOG = logging.getLogger(__name__)
_MAX_REASON_CHARS = 200
MeaningLookup = Callable[[Sequence[str]], Mapping[str, SuppressedMeaning]]
"""Gives what texts mean, by text; leaves out what it can't tell."""
BackupLookup = Callable[[int], tuple[RemainingBackup, ...]]
"""Gives the backups made since a moment, UTC epoch ms."""


class Eraser:
    """Forgets for one tenant."""

    def __init__(
        self,
        store: Store,
        tenant: str,
        channel: Channel,
        digester: Digester,
        home: Path,
        list_backups: BackupLookup = lambda _since: (),
        look_up_meanings: MeaningLookup | None = None,
    ) -> None:
        """Nothing is forgotten yet.

        Args:
            store: from where.
            tenant: whose.
            channel: who wants it.
            digester: makes what tombstones recognise texts by.
            home: the data folder.
            list_backups: gives the backups that still hold what was forgotten; none without.
            look_up_meanings: what texts mean, to be kept with their tombstones; nothing without.
        """
        self._store = store
        self._tenant = tenant
        self._channel = channel
        self._digester = digester
        self._home = home
        self._list_backups = list_backups
        self._look_up_meanings = look_up_meanings

    def run(
        self, ids: Sequence[str], *, include_source: bool = False, reason: str | None = None
    ) -> ForgetResult:
        """Forget. What was forgotten before counts as done, so a broken off call can be repeated.

        Args:
            ids: of memories or turns.
            include_source: erase the turns it came from as well, from the verbatim record.
            reason: in a few words, shown when somebody tries to bring it back. It is kept: it
                must not say what was forgotten.

        Raises:
            InvalidInputError: no id was given, or the reason is too long.
            NotFoundError: an id is unknown. Nothing was forgotten.
        """
        why, wanted = self._describe_reason(reason), check_ids(ids)
        files = TextFileEraser(self._home, self._tenant)
        with self._store.read(self._tenant) as tx:
            before = plan_erasure(tx, wanted, include_source=include_source)
            generated = _read_generated(tx)
        meanings = self._meanings_of(before.wordings)
        changed = files.erase_phrases(  # takes long: others may write
            before.phrases, generated, before.ids_to_erase
        )
        with self._store.write(self._tenant) as tx:
            plan = plan_erasure(tx, wanted, include_source=include_source)
            affected = list_affected(tx, plan)
            places = list_places(tx, plan)
            Deletion(tx, plan, self._digester, self._channel, why, meanings).run()
            changed += _erase_files(tx, files, plan, places)
        return ForgetResult(
            memories=tuple(plan.memories),
            turns_erased=tuple(plan.sources) if include_source else (),
            turns_suppressed=() if include_source else tuple(plan.sources),
            already_forgotten=tuple(plan.forgotten_before),
            related_memories=affected,
            files=tuple(map(str, dict.fromkeys(changed))),
            scrubbed=scrub_store(self._store),
            backups=self._list_backups(plan.earliest),
        )

    def _meanings_of(self, wordings: Sequence[str]) -> Mapping[str, SuppressedMeaning]:
        """What is to be forgotten means, asked before anybody has to wait to write."""
        if self._look_up_meanings is None:
            return {}
        try:
            return self._look_up_meanings(wordings)
        except EmbedderError as error:
            _LOG.warning("Forgotten by its words only, for what it means can't be told: %s", error)
            return {}

    def _describe_reason(self, reason: str | None) -> str:
        by = self._channel.description
        if reason is None:
            return by
        if len(reason) > _MAX_REASON_CHARS:
            raise InvalidInputError(f"reason has at most {_MAX_REASON_CHARS} characters.")
        return f"{by}: {' '.join(reason.split())}"


def _read_generated(tx: Transaction) -> dict[str, str]:
    """What nightly runs wrote: digests by place below the tenant's folder."""
    return {file.path: file.digest for file in tx.file_records.all()}


def _erase_files(
    tx: Transaction, files: TextFileEraser, plan: ErasurePlan, places: set[str]
) -> list[Path]:
    """Take out what was written since it was looked for, and whatever may say it in other words."""
    generated, phrases = _read_generated(tx), plan.phrases
    changed = [file for place in places for file in files.remove_generated(place, generated)]
    changed = files.erase_phrases(phrases, generated, plan.ids_to_erase) + changed
    tx.nightly_runs.drop_items([*places, *texts_in_plans(phrases)])
    for place in files.list_places(changed):
        tx.file_records.forget(place)
    return changed
