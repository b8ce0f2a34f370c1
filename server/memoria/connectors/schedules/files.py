"""A scheduler that reads jobs from files in the user's folder, and is told of them by a command."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from memoria.connectors.schedules.interface import (
    InstalledJob,
    ScheduleDraft,
    SchedulerTraits,
    ScheduleText,
)
from memoria.connectors.schedules.plan import ScheduledJob
from memoria.connectors.schedules.program import SchedulerResult, run_program
from memoria.disk.home_files import replace_file
from memoria.errors import ScheduleError

Arguments = tuple[str, ...]
"""Arguments of the scheduler's own program."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileScheduler:
    """Description of such a scheduler: its files and its commands."""

    traits: SchedulerTraits
    places: Callable[[str], tuple[Path, ...]]
    """The files of a label that Memoria writes."""
    contents: Callable[[ScheduledJob], tuple[str, ...]]
    """Content of those files."""
    traces: Callable[[str], tuple[Path, ...]]
    """Files that the scheduler itself writes for a label."""
    unload: Callable[[str], Arguments]
    """Command that stops a job; fails where there is none."""
    load: Callable[[str], tuple[Arguments, ...]]
    """Commands that load a job; each must succeed."""
    is_active: Callable[[str], Arguments]
    """Command that succeeds where the job is loaded."""
    after_removal: tuple[Arguments, ...] = ()

    def draft(self, job: ScheduledJob) -> ScheduleDraft:
        """Draft the files, and the commands that load them."""
        placed = zip(self.places(job.label), self.contents(job), strict=True)
        texts = tuple(ScheduleText(str(file), content) for file, content in placed)
        commands = (shlex.join((self.traits.program, *one)) for one in self.load(job.label))
        return ScheduleDraft(texts, "".join(f"{command}\n" for command in commands))

    def install(self, job: ScheduledJob) -> None:
        """Write the files and load them, in place of what was loaded."""
        draft = self.draft(job)
        try:
            self._run(*self.unload(job.label))
            for text in draft.texts:
                _write(Path(text.where), text.content.encode())
            for arguments in self.load(job.label):
                self._run(*arguments).expect_success()
        except ScheduleError:
            self._delete(job.label)
            raise

    def remove(self, label: str) -> bool:
        """Unload the job and delete all there is of it."""
        files = (*self.places(label), *self.traces(label))
        if not any(file.exists() or file.is_symlink() for file in files):
            return False
        self._run(*self.unload(label))
        self._delete(label)
        for arguments in self.after_removal:
            self._run(*arguments)
        return True

    def find(self, label: str, job: ScheduledJob | None) -> InstalledJob | None:
        """Find the job as its files have it, and whether it is loaded."""
        places = self.places(label)
        contents = [_read(file) for file in places]
        if None in contents:
            return None
        planned = None if job is None else [content.encode() for content in self.contents(job)]
        active = self._run(*self.is_active(label)).code == 0
        return InstalledJob(str(places[-1]), is_as_planned=contents == planned, is_active=active)

    def _run(self, *arguments: str) -> SchedulerResult:
        return run_program(self.traits.program, *arguments)

    def _delete(self, label: str) -> None:
        for file in (*self.places(label), *self.traces(label)):
            try:
                file.unlink(missing_ok=True)
            except OSError as error:
                raise ScheduleError(f"{file} can't be deleted: {error.strerror}.") from error


def user_path(path: str) -> Path:
    """Expand a path that begins with `~`.

    Raises:
        ScheduleError: nobody knows which folder is the user's.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise ScheduleError("This user has no home folder: HOME is not set.") from error


def _write(file: Path, content: bytes) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, content)
    except OSError as error:
        raise ScheduleError(f"{file} can't be written: {error.strerror}.") from error


def _read(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ScheduleError(f"{file} can't be read: {error.strerror}.") from error
