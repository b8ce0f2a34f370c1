"""Files in the user's folder that a scheduler reads."""

from pathlib import Path

from memoria.errors import ScheduleError
from memoria.store.files import replace_file


def of_user(path: str) -> Path:
    """A path that begins with `~`, in full.

    Raises:
        ScheduleError: nobody knows which folder is the user's.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise ScheduleError("This user has no home folder: HOME is not set.") from error


def write(file: Path, content: bytes) -> None:
    """Write a file and the folders it lies in.

    Raises:
        ScheduleError: it can't be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, content)
    except OSError as error:
        raise ScheduleError(f"{file} can't be written: {error.strerror}.") from error


def read(file: Path) -> bytes | None:
    """What is in a file; None where there is none.

    Raises:
        ScheduleError: it can't be read.
    """
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ScheduleError(f"{file} can't be read: {error.strerror}.") from error


def delete(*files: Path) -> None:
    """Delete files; those that are not there are no matter.

    Raises:
        ScheduleError: one can't be deleted.
    """
    for file in files:
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise ScheduleError(f"{file} can't be deleted: {error.strerror}.") from error
