"""Encryption of a home that is there already, and the way back.

The database is copied under the key and compared, and takes its place at once; then each file is
written anew, and the former bytes are written over. What is stopped goes on when it is run again:
what is as it should be is left alone. The mark comes right before the database, and goes last.
"""

import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from memoria.admin import archive
from memoria.admin.archive import Manifest, Member
from memoria.admin.backup import ASIDE, STAGING, delete_abandoned, workshop
from memoria.bare.home import TENANTS
from memoria.bare.kept import KEPT
from memoria.bare.sealing import MARK, SEAL, EncryptionKeyError, has_mark, seal, unseal, write_mark
from memoria.bare.spool import HOOKS, SPOOL
from memoria.disk.folders import DRAFT, explain_system_errors, sync_folder
from memoria.disk.home_files import BACKUPS, DATABASE, replace_file, wipe_file
from memoria.disk.regular_files import list_files, list_folder, walk
from memoria.errors import BackupError, StoreUnavailableError
from memoria.store.engine import DatabaseFiles, KeyChange

_TEXTS = (".md", ".txt", ".jsonl")
_DELETE = "`memoria doctor --fix` deletes the folder once it is an hour old."
_FIRST_BYTES = b"SQLite format 3\0"


@dataclass(slots=True)
class EncryptionReport:
    """Numbers of rows, files and backups that were encrypted, or decrypted."""

    rows: Mapping[str, int] = field(default_factory=dict)
    """Numbers of rows in the home's database, by table, all compared; empty if it was done."""
    files: int = 0
    backups: int = 0
    left: list[str] = field(default_factory=list)
    """Sentences on what is as it was: backups that can't be read, folders of stopped commands."""


class HomeEncryption:
    """Encrypts a home, with its backups and what restores have set aside, or decrypts it."""

    def __init__(self, files: DatabaseFiles, key: bytes, *, decrypts: bool = False) -> None:
        """Bind to an engine's operations on files, and to the key that the environment names."""
        self._files = files
        self._key = key
        self._decrypts = decrypts
        self._keys = KeyChange(key, None) if decrypts else KeyChange(None, key)
        self.report = EncryptionReport()

    def change_home(self, home: Path) -> EncryptionReport:
        """Encrypt or decrypt all that is in a home, which no process may have open.

        Raises:
            StoreError: a database is in use or damaged, or can't be written. It is as it was.
        """
        with explain_system_errors():
            delete_abandoned(home)
            self.report.rows = self.change_folder(home)
            for folder in sorted(home.glob(f"{ASIDE}*")):
                self.change_folder(folder)
            for path in list_files(home, BACKUPS):
                if path.suffix == ".zip":
                    self._change_backup(path)
            for path, _ in (*list_folder(home, ""), *list_folder(home, BACKUPS)):
                if path.name.startswith(STAGING):
                    self.report.left.append(f"{path}: a command was stopped. {_DELETE}")
        return self.report

    def change_folder(self, folder: Path) -> Mapping[str, int]:
        """Encrypt or decrypt a home's folder, or one like it; return the database's rows by table.

        Raises:
            StoreError: as `change_home`.
        """
        database, rows = folder / DATABASE, dict[str, int]()
        is_due = database.is_file() and database.stat().st_size > 0
        if is_due and _is_plain(database) is not self._decrypts:
            with workshop(folder) as work:
                rows |= self._files.recode(database, work, self._keys, lambda: self._mark(folder))
        self._mark(folder)
        for file in _list_texts(folder):
            self.report.files += self._change_file(folder, file)
        if self._decrypts:
            (folder / MARK).unlink(missing_ok=True)
        sync_folder(folder)
        return rows

    def _mark(self, folder: Path) -> None:
        if not self._decrypts and not has_mark(str(folder)):
            write_mark(str(folder), self._key)

    def _change_file(self, folder: Path, file: Path) -> bool:
        """Write a file as it should be; return whether it was another way."""
        parts = file.relative_to(folder).parts
        is_remade = KEPT in parts or (SPOOL in parts and _is_draft(file))
        if is_remade and not self._decrypts:
            wipe_file(file)  # made again, or never whole
            return True
        content = file.read_bytes()
        if not content or content.startswith(SEAL) is not self._decrypts:
            return False
        try:
            new = unseal(content) if self._decrypts else seal(str(folder), content)
        except EncryptionKeyError as error:
            if _is_draft(file):
                return False
            raise StoreUnavailableError(f"{file} can't be read. {error}") from error
        former = _name_twice(file, file.with_name(f".{file.name}.{secrets.token_hex(8)}"))
        replace_file(file, new)
        wipe_file(former)
        return True

    def _change_backup(self, path: Path) -> None:
        try:
            manifest = archive.read_manifest(path)
            if (MARK in manifest.files) is self._decrypts:
                with workshop(path.parent) as folder:
                    self._pack_anew(path, manifest, folder)
                self.report.backups += 1
        except BackupError as error:
            self.report.left.append(str(error))

    def _pack_anew(self, path: Path, manifest: Manifest, folder: Path) -> None:
        inside, packed = folder / "inside", folder / path.name
        inside.mkdir(mode=0o700)
        archive.unpack(path, inside, lambda *_: None)
        self.change_folder(inside)
        names = {*manifest.files, MARK} if not self._decrypts else {*manifest.files} - {MARK}
        sources = {name: inside / name for name in sorted(names, key=lambda name: name != DATABASE)}
        archive.pack(packed, sources, manifest.model_copy(update={"files": {}}), lambda *_: None)
        archive.verify(packed, lambda *_: None)
        former = _name_twice(path, folder / "former.zip")
        packed.replace(path)
        wipe_file(former)


def encrypt_unpacked(
    folder: Path, manifest: Manifest, files: DatabaseFiles, key: bytes | None
) -> Manifest:
    """Encrypt an unpacked backup that is plain, where a key is set; return its list of files."""
    if key is None or MARK in manifest.files:
        return manifest
    HomeEncryption(files, key).change_folder(folder)
    mark = Member(sha256="", size=(folder / MARK).stat().st_size)
    return manifest.model_copy(update={"files": {**manifest.files, MARK: mark}})


def _list_texts(folder: Path) -> Iterator[Path]:
    """Yield the files of a home that hold words, beside the database and backups."""
    for path, found in list(walk(folder)):
        parts = path.relative_to(folder).parts
        own = parts[2:] if parts[0] == TENANTS else parts
        if not stat.S_ISREG(found.st_mode) or not own or own[0] in (BACKUPS, HOOKS):
            continue
        if own[0].startswith(ASIDE):
            continue  # a folder by itself
        draft = DRAFT.fullmatch(path.name)
        name = Path(draft[1] if draft else path.name)
        if name.suffix in _TEXTS or own[0] in (SPOOL, KEPT):
            yield path


def _name_twice(file: Path, former: Path) -> Path:
    """Give a file a second name, under which its bytes are found when the first has others."""
    try:
        os.link(file, former)
    except OSError:  # a file system without hard links
        file.rename(former)
    return former


def _is_draft(file: Path) -> bool:
    return DRAFT.fullmatch(file.name) is not None


def _is_plain(database: Path) -> bool:
    """Check whether a database is not encrypted. No connection of this process may be open."""
    with database.open("rb") as file:
        return file.read(len(_FIRST_BYTES)) == _FIRST_BYTES
