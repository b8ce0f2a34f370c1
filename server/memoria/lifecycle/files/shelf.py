"""Writing files: a killed night goes on, an undoing puts them back, and no hand's work is lost.

What is to be written is known by its digest before anything is: it stands in the plan. So a file
is ours if it says what we wrote last, or what we are about to write: then the process died between
the file and the row that tells of it. Anything else is somebody's work, and is left alone.
"""

import hashlib
import os
import shutil
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from memoria.errors import UnusableFileError
from memoria.lifecycle.face import Applied, Item, Night
from memoria.model.day import NightFile
from memoria.model.night import Outcome, Run
from memoria.store.base import Transaction
from memoria.store.files import replace
from memoria.store.folders import (
    BEFORE_IMAGES,
    DERIVED,
    DRAFT,
    WRITTEN,
    make_private,
    tenant_folder,
)

_EDITED = "edited by hand: it is left as it is"


class Written(Item):
    """A file to be written; its key is its place below the tenant's folder."""

    digest: str | None
    """Of what it shall say; None where it shall go."""
    stamp: str
    """What it is made from."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """A tenant's files."""

    folder: Path

    def stands(self, path: str) -> bool:
        """Whether there is such a file."""
        return (self.folder / path).is_file()

    def digest(self, path: str) -> str | None:
        """Of what a file says; None where there is none."""
        return digest(_content(self.folder / path))

    def write(self, tx: Transaction, run: Run, item: Written, content: str | None) -> Applied:
        """Let a file say this, and note it.

        Raises:
            UnusableFileError: it can't be written.
        """
        known, present = tx.files.get(item.key), self.digest(item.key)
        if present not in (None, item.digest, known.digest if known else None):
            return Applied(Outcome.CHANGED_SINCE, item.key, _EDITED)
        data = None if content is None else content.encode()
        if digest(data) != item.digest:
            if present is not None and present == item.digest:
                _note(tx, run, item.model_copy(update={"stamp": ""}))
            return Applied(Outcome.CHANGED_SINCE)
        if present != item.digest:
            self._change(run, item.key, data)
        _note(tx, run, item)
        return Applied(Outcome.DONE)

    def put_back(self, tx: Transaction, run: Run) -> tuple[int, int]:
        """Let files say again what they said before a run. Gives (put back, left: edited since)."""
        back = left = 0
        for path in sorted({*self._imaged(run), *_written_by(tx, run)}):
            known = tx.files.get(path)
            ours = known.digest if known and known.run_n == run.n else None
            present, before = self.digest(path), _content(self._image(run, path))
            if present == digest(before):
                continue
            if present != ours:
                left += 1
                continue
            _put(self.folder / path, before)
            back += 1
        return back, left

    def forget_before(self, run: Run) -> None:
        """Let go of what files said before a run."""
        shutil.rmtree(self.folder / BEFORE_IMAGES / run.id, ignore_errors=True)

    def forget_all_before(self, undoable: Collection[str]) -> None:
        """Let go of what files said before runs, but for those that may still be undone.

        Args:
            undoable: their ids.
        """
        for folder in (self.folder / BEFORE_IMAGES).glob("*"):
            if folder.name not in undoable:
                shutil.rmtree(folder, ignore_errors=True)

    def sweep(self) -> None:
        """Take away what was half written by the dead."""
        for name in DERIVED:
            for file in (self.folder / name).rglob(".*"):
                if DRAFT.fullmatch(file.name):
                    file.unlink(missing_ok=True)

    def _change(self, run: Run, path: str, content: bytes | None) -> None:
        before, image = _content(self.folder / path), self._image(run, path)
        if before is not None:
            _put(image, before)
        _put(self.folder / path, content)

    def _image(self, run: Run, path: str) -> Path:
        return self.folder / BEFORE_IMAGES / run.id / path

    def _imaged(self, run: Run) -> Iterator[str]:
        root = self.folder / BEFORE_IMAGES / run.id
        for file in (each for name in WRITTEN for each in (root / name).rglob("*")):
            if file.is_file() and not DRAFT.fullmatch(file.name):
                yield file.relative_to(root).as_posix()


def shelf(night: Night) -> Shelf:
    """The files of a night's tenant."""
    return Shelf(tenant_folder(night.settings.home_path, night.tenant))


def digest(content: bytes | None) -> str | None:
    """What tells a content from all others; None of none."""
    return None if content is None else hashlib.sha256(content).hexdigest()


def _note(tx: Transaction, run: Run, item: Written) -> None:
    if item.digest is None:
        tx.files.drop(item.key)
    else:
        tx.files.put(NightFile(path=item.key, digest=item.digest, stamp=item.stamp, run_n=run.n))


def _written_by(tx: Transaction, run: Run) -> Iterator[str]:
    return (file.path for file in tx.files.all() if file.run_n == run.n)


def _content(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _unusable(file, error) from error


def _put(file: Path, content: bytes | None) -> None:
    try:
        if content is None:
            file.unlink(missing_ok=True)
        else:
            make_private(file.parent)
            replace(file, content)
            _sync(file.parent)
    except OSError as error:
        raise _unusable(file, error) from error


def _sync(folder: Path) -> None:
    """Have the names in a folder on disk, before a row tells of them. Windows has no such thing."""
    if os.name != "nt":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _unusable(file: Path, error: OSError) -> UnusableFileError:
    return UnusableFileError(
        f"{file} can't be used: {error.strerror}. Mend that, and the next night writes it."
    )
