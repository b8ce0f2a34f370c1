"""Homes that are not ours to use: another user's, read-only, newer, or no homes at all.

Whatever it is, it is said with what to do next, and nothing in it changes.
"""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import mkdtemp

from bench.faults.homes import copy_home
from bench.faults.strings import PuppetError, Strings, puppet
from bench.faults.verdict import Verdict
from memoria.store.sqlite.driver import sqlite3

_NOBODY = 65534
_DEEDS: tuple[tuple[str, dict[str, object]], ...] = (
    ("record", {"session": "s9", "texts": ["may I?"]}),
    ("remember", {"text": "this home is mine"}),
    ("search", {"query": "code of door 3"}),
    ("read", {"session": "s0"}),
)


def read_only(pattern: Path) -> Verdict:
    """Homes that this user may not write, as another user and with modes that forbid it."""
    fault = "a read-only home"
    if sys.platform == "win32" or os.geteuid() != 0:
        return Verdict(fault, skipped="becoming another user takes root")
    ways: dict[str, Callable[[Path], None]] = {
        "another user's home": lambda home: _modes(home, 0o755, 0o644),
        "another user's home, closed": lambda home: _modes(home, 0o700, 0o600),
        "files 0444 in a folder 0555": lambda home: _give_away(home, 0o555, 0o444),
        "files 0444 in a folder 0755": lambda home: _give_away(home, 0o755, 0o444),
    }
    broken = []
    with _in_the_open() as folder, puppet() as it:
        homes = [copy_home(pattern, folder / str(number)) for number in range(len(ways))]
        _warm_up(it, folder / "scratch")
        it.tell("become", uid=_NOBODY)
        for home, (name, prepare) in zip(homes, ways.items(), strict=True):
            prepare(home)
            broken += [f"{name}: {line}" for line in _find_breaches(it, home, doctor="privacy")]
    return Verdict(fault, {"homes": len(ways)}, tuple(broken))


def no_home(pattern: Path, folder: Path) -> Verdict:
    """A newer version's home, a file of something else, a folder where the file belongs."""
    ways: dict[str, Callable[[Path], object]] = {
        "a newer version's": _newer,
        "not a database": lambda file: file.write_text("Dear diary, " * 1000),
        "a folder": _folder,
    }
    broken = []
    with puppet() as it:
        for name, prepare in ways.items():
            home = copy_home(pattern, folder / "home")
            prepare(home / "memoria.db")
            broken += [f"{name}: {line}" for line in _find_breaches(it, home, doctor="database")]
        home = copy_home(pattern, folder / "home")
        (home / "memoria.db").write_bytes(b"")
        broken += [f"an empty file: {line}" for line in _try_service(it, home)]
    return Verdict("a home that is none", {"homes": len(ways) + 1}, tuple(broken))


def _find_breaches(it: Strings, home: Path, *, doctor: str) -> Iterator[str]:
    """What is not as promised: sentences instead of tracebacks, findings with cures, no change."""
    before = _content(home)
    opened = _error_of(it, "open", home=str(home))
    if opened is None:
        for do, arguments in _DEEDS:
            yield from _without_a_cure(do, _error_of(it, do, **arguments))
        it.tell("close")
    else:
        yield from _without_a_cure("open", opened)
    found = it.tell("doctor", home=str(home))
    if doctor not in [check for check, _, _ in found]:
        yield f"doctor does not name it: {found}"
    yield from (f"doctor has no cure for {detail}" for _, detail, cure in found if not cure)
    if not before.items() <= _content(home).items():  # a log beside it is no change
        yield "it was changed"


def _try_service(it: Strings, home: Path) -> Iterator[str]:
    it.tell("open", home=str(home))
    it.tell("record", session="s", texts=["hello"])
    if it.tell("read", session="s") != ["hello"] or it.tell("doctor", home=str(home)):
        yield "it does not serve as a new home"


def _error_of(it: Strings, do: str, **arguments: object) -> str | None:
    """The sentence an error of ours is said with; None where there was none."""
    try:
        it.tell(do, **arguments)
    except PuppetError as error:
        if error.name == "dead":
            raise
        return f"{error.name}: {error.message}"
    return None


def _without_a_cure(do: str, sentence: str | None) -> Iterator[str]:
    hints = ("MEMORIA_HOME", "writable", "Upgrade", "memoria doctor", "Move")
    if sentence is not None and not any(hint in sentence for hint in hints):
        yield f"{do} does not say what to do: {sentence}"


def _warm_up(it: Strings, home: Path) -> None:
    """Have everything imported that another user may not read."""
    it.tell("open", home=str(home))
    for do, arguments in _DEEDS:
        _error_of(it, do, **arguments)
    it.tell("close")
    it.tell("doctor", home=str(home))


@contextmanager
def _in_the_open() -> Iterator[Path]:
    """A folder anybody may enter."""
    folder = Path(mkdtemp(prefix="memoria-faults-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _modes(home: Path, folder: int, file: int) -> None:
    for path in home.iterdir():
        path.chmod(file)
    home.chmod(folder)


def _give_away(home: Path, folder: int, file: int) -> None:
    for path in (home, *home.iterdir()):
        os.chown(path, _NOBODY, _NOBODY)
    _modes(home, folder, file)


def _newer(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 9999")


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _content(home: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in home.iterdir() if path.is_file()}
