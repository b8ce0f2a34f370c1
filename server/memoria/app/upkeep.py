"""Upkeep of a home: doctor, backup and restore. Every function blocks, so that Ctrl-C stops it."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

import memoria.admin.backup
import memoria.admin.restore
from memoria.admin.archive import read_manifest
from memoria.admin.backup import BackupReport
from memoria.admin.doctor import examine, examine_unopened, name_newest_backup
from memoria.admin.encryption import EncryptionReport, HomeEncryption
from memoria.admin.mend import mend_home, mend_store, report_failures, report_repairs
from memoria.app.engine import choose_engine, open_store, refuse_elsewhere, require_files
from memoria.app.private_times import carry_private_times
from memoria.app.tokens import carry_tokens, end_tokens
from memoria.app.webhooks import carry_webhooks
from memoria.bare.sealing import VARIABLE, EncryptionKeyError, key_of
from memoria.config import Settings
from memoria.erasure.reforget import reforget
from memoria.errors import InvalidInputError, StoreError
from memoria.inference import LazyEmbedder, choose_embedder
from memoria.model import BacklogStatus, Channel, Health, Repair, now_millis
from memoria.store.engine import DatabaseFiles, Store

Progress = Callable[[int, int], None]
Treatment = Literal["none", "fix", "rebuild"]


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Findings of doctor, and what it mended before."""

    health: Health
    mended: tuple[Repair, ...] = ()


@dataclass(frozen=True, slots=True)
class Restored:
    """A backup that was put in a home's place."""

    former: Path | None
    """Place of the database that was there before."""
    forgotten_again: int | None
    """Memories and turns that had been forgotten since; None: the former home can't say."""
    ended_tokens: int = 0
    """Number of tokens of the backup that held when it was made, and open nothing here."""


def diagnose(settings: Settings, treatment: Treatment, progress: Progress) -> Diagnosis:
    """Examine a home in whatever state, and mend it if that is wanted.

    Args:
        settings: whose home.
        treatment: nothing, whatever can be mended safely, or all indexes anew.
        progress: told (documents done, of how many) by what takes long.
    """
    look = partial(_look, settings, choose_embedder(settings))
    before = look()
    if treatment == "none":
        return Diagnosis(before)
    if treatment == "rebuild":
        failures = _with_store(settings, lambda store: _rebuild(store, progress))
    else:
        mend_home(settings, before)
        opened = look()  # a mode that was mended may have let us in
        failures = _with_store(
            settings, lambda store: mend_store(store, settings, opened, progress)
        )
        before = _merge_findings(before, opened)
    after = look()
    told = name_newest_backup(report_failures(after, failures), settings)
    return Diagnosis(told, report_repairs(before, after, failures))


def back_up(settings: Settings, target: Path | None, progress: Progress) -> BackupReport:
    """Write a backup of a home while others go on using it; see `admin.backup`."""
    return memoria.admin.backup.back_up(settings, require_files(settings), target, progress)


def check_backup(settings: Settings, backup: Path) -> None:
    """Check that a file is a backup, as far as its list of contents says, and the home can take it.

    Raises:
        BackupError: it is none, or is not there; or a server has the home's database.
        StoreTooNewError: a newer Memoria made it.
    """
    require_files(settings)
    read_manifest(backup)


def restore(
    settings: Settings,
    backup: Path,
    progress: Progress,
    *,
    keeps_tokens: bool = False,
    channel: Channel | None = None,
) -> Restored:
    """Put a backup in a home's place; what was forgotten since it was made stays forgotten.

    Args:
        settings: whose home.
        backup: the backup.
        progress: told (bytes done, of how many).
        keeps_tokens: True for the tokens of the backup, also those that were revoked since. By
            default those of the home before hold, and none where that can't be asked.
        channel: who restores, for the log; None to leave no line there.

    Raises:
        BackupError: the backup can't be used, or has nothing of a tenant whose home this is alone.
    """
    refuse_elsewhere(settings)
    files = require_files(settings)
    tenant = None if settings.homes is None else settings.tenant
    ended = set[str]()

    def prepare(database: Path) -> None:
        """End the tokens before the database can be opened as the home's: later might be never."""
        if not keeps_tokens:
            with closing(files.open_former(settings, database)) as unpacked:
                ended.update(end_tokens(unpacked))

    former = memoria.admin.restore.restore(
        settings.home_path, backup, files, progress, tenant, prepare
    )
    again = 0 if former is None else _reforget(settings, files, former)
    with closing(open_store(settings)) as now:
        if former is not None and again is not None and not keeps_tokens:
            with closing(files.open_former(settings, former)) as before:
                ended -= carry_tokens(before, now)
        if channel is not None:
            _note_restore(now, channel)
    return Restored(former, again, len(ended))


def encrypt(settings: Settings, *, decrypts: bool = False) -> EncryptionReport:
    """Encrypt a home that is there already, under the key of the environment, or decrypt it.

    Raises:
        InvalidInputError: the environment names no key, or a server has the database.
        StoreError: the home is in use or damaged. It is as it was.
    """
    refuse_elsewhere(settings)
    files = choose_engine(settings).files
    if files is None:
        raise InvalidInputError(
            f"This memory is in {settings.place}: whoever runs that server encrypts its disk. With "
            f"{VARIABLE} set, what hooks and exports leave on this machine is sealed. Nothing was "
            "done."
        )
    try:
        key = key_of(str(settings.home_path))
    except EncryptionKeyError as error:
        raise InvalidInputError(str(error)) from error
    if key is None:
        raise InvalidInputError(
            f"{VARIABLE} names no key. Make one with `openssl rand -hex 32` and set {VARIABLE} to "
            "it, or to the whole path of a file that holds it, outside of the home, for this "
            "program and every client. Keep it where you keep your passwords: without it nobody "
            "can read the home. Nothing was done."
        )
    return HomeEncryption(files, key, decrypts=decrypts).change_home(settings.home_path)


def _reforget(settings: Settings, files: DatabaseFiles, former: Path) -> int | None:
    try:
        before = files.open_former(settings, former)
    except StoreError:
        return None
    with closing(before), closing(open_store(settings)) as now:
        carry_private_times(before, now)
        carry_webhooks(before, now)
        return reforget(before, now, settings.home_path)


def _note_restore(store: Store, channel: Channel) -> None:
    for tenant in store.tenants():
        with store.write(tenant) as tx:
            tx.audit.add(
                at=now_millis(),
                channel=channel.name,
                client=channel.client,
                action="restore home",
                subject="home",
            )


def _look(settings: Settings, embedder: LazyEmbedder | None) -> Health:
    try:
        with closing(open_store(settings)) as store:
            waiting = None if embedder is None else partial(_backlog_status, store, settings)
            return examine(store, settings, embedder, waiting, deep=True)
    except StoreError as error:
        return examine_unopened(settings, error)


def _backlog_status(store: Store, settings: Settings) -> BacklogStatus:
    with store.backlog(write=False) as backlog:
        return backlog.status(settings.embedding_attempts)


def _with_store(settings: Settings, work: Callable[[Store], dict[str, str]]) -> dict[str, str]:
    """Do some work on the opened home; return the failures, or that the home can't be opened."""
    try:
        store = open_store(settings)
    except StoreError as error:
        return {"database": str(error)}
    with closing(store):
        return work(store)


def _rebuild(store: Store, progress: Progress) -> dict[str, str]:
    try:
        store.rebuild(progress)
    except StoreError as error:
        return {"full text": str(error), "vectors": str(error)}
    return {}


def _merge_findings(first: Health, second: Health) -> Health:
    """Merge the findings of both looks."""
    seen = {finding.check for finding in first.findings if finding.state != "ok"}
    return Health(
        findings=(
            *(finding for finding in first.findings if finding.check in seen),
            *(finding for finding in second.findings if finding.check not in seen),
        )
    )
