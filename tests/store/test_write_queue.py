"""Writers line up: whoever comes first writes first, and nobody in line can block it for good."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from multiprocessing.connection import Connection as Pipe
from pathlib import Path

import pytest
from tests.processes import PROCESSES
from tests.store.writers import PATIENT_MS, hold, write_when_told

from memoria.errors import StoreUnavailableError
from memoria.store.sqlite.driver import connect, transaction
from memoria.store.sqlite.write_queue import FifoLock

pytestmark = pytest.mark.sqlite("the line before the file")

TIMEOUT_S = 60
IMPATIENT_MS = 600
NAMES = ("first", "second", "third", "fourth", "fifth")
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows can't stop a process")


class Other:
    """Another process, and what one hears of it."""

    def __init__(self, deed: Callable[..., None], *given: object) -> None:
        self.pipe: Pipe
        self.pipe, theirs = PROCESSES.Pipe()
        self._process = PROCESSES.Process(target=deed, args=(theirs, *given), daemon=True)
        self._process.start()
        theirs.close()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def hear(self) -> object:
        assert self.pipe.poll(TIMEOUT_S), "it says nothing"
        return self.pipe.recv()

    def kill(self) -> None:
        self._process.kill()
        self._process.join(TIMEOUT_S)


@contextmanager
def other(deed: Callable[..., None], *given: object) -> Iterator[Other]:
    process = Other(deed, *given)
    try:
        process.hear()
        yield process
    finally:
        process.kill()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "memoria.db"
    with closing(connect(path, PATIENT_MS)) as connection, transaction(connection):
        connection.execute("CREATE TABLE said (who TEXT)")
    return path


def rows(path: Path) -> list[str]:
    with closing(connect(path, PATIENT_MS)) as connection:
        return [str(row["who"]) for row in connection.execute("SELECT who FROM said")]


def join_line(process: Other, path: Path) -> None:
    """Have a process ask to write; it stands in line when this returns."""
    before = count_tickets(path)
    process.pipe.send("go")
    pause = threading.Event()
    for _ in range(TIMEOUT_S * 1000):
        if count_tickets(path) > before:
            return
        pause.wait(0.001)
    raise AssertionError("it does not stand in line")


def count_tickets(path: Path) -> int:
    queue = path.with_name("memoria.db-queue")
    return int.from_bytes(queue.read_bytes()[:8], "little") if queue.exists() else 0


def test_processes_write_in_the_order_in_which_they_asked(file: Path) -> None:
    with ExitStack() as stack:
        waiting = [stack.enter_context(other(write_when_told, file, name)) for name in NAMES]
        with other(hold, file) as holder:
            for process in waiting:
                join_line(process, file)
            holder.pipe.send("go")
            assert [process.hear() for process in waiting] == ["written"] * len(NAMES)
    assert rows(file) == ["holder", *NAMES]


def test_who_is_killed_in_line_or_while_it_writes_holds_nobody_up(file: Path) -> None:
    with ExitStack() as stack:
        first, second, third = (
            stack.enter_context(other(write_when_told, file, name)) for name in NAMES[:3]
        )
        with other(hold, file) as holder:
            for process in (first, second, third):
                join_line(process, file)
            second.kill()
            holder.kill()
            assert (first.hear(), third.hear()) == ("written", "written")
    assert rows(file) == ["first", "third"]


@posix_only
def test_who_sleeps_in_line_is_overtaken_and_writes_when_it_wakes(file: Path) -> None:
    with ExitStack() as stack:
        sleeper, awake = (
            stack.enter_context(other(write_when_told, file, name)) for name in NAMES[:2]
        )
        with other(hold, file) as holder:
            join_line(sleeper, file)
            os.kill(sleeper.pid, signal.SIGSTOP)
            join_line(awake, file)
            holder.pipe.send("go")
            assert awake.hear() == "written"
            os.kill(sleeper.pid, signal.SIGCONT)
            assert sleeper.hear() == "written"
    assert rows(file) == ["holder", "second", "first"]


def test_who_can_not_wait_any_longer_is_told_which_process_writes(file: Path) -> None:
    with (
        other(hold, file) as holder,
        closing(connect(file, IMPATIENT_MS)) as connection,
        pytest.raises(StoreUnavailableError, match=f"the process {holder.pid} .* Try again"),
        transaction(connection),
    ):
        raise AssertionError
    assert rows(file) == []


def test_without_a_queue_one_writes_all_the_same(file: Path) -> None:
    file.with_name("memoria.db-queue").mkdir()
    with closing(connect(file, PATIENT_MS)) as connection, transaction(connection):
        connection.execute("INSERT INTO said VALUES ('alone')")
    assert rows(file) == ["alone"]


def test_garbage_in_the_queue_is_in_nobodys_way(file: Path) -> None:
    file.with_name("memoria.db-queue").write_bytes(b"\xff" * 100)
    with closing(connect(file, PATIENT_MS)) as connection, transaction(connection):
        connection.execute("INSERT INTO said VALUES ('first')")
    assert rows(file) == ["first"]


def test_the_queue_is_no_file_of_the_home_once_nobody_has_it_open(file: Path) -> None:
    with closing(connect(file, PATIENT_MS)) as one, closing(connect(file, PATIENT_MS)) as two:
        for connection in (one, two):
            with transaction(connection):
                connection.execute("INSERT INTO said VALUES ('once')")
        assert file.with_name("memoria.db-queue").exists()
    assert [path.name for path in file.parent.iterdir()] == ["memoria.db"]


def test_threads_of_a_process_have_their_turns_in_order() -> None:
    line, order = FifoLock(), []

    def take(name: str) -> None:
        with line.turn():
            order.append(name)

    threads = [threading.Thread(target=take, args=(name,)) for name in NAMES]
    with line.turn():
        for standing, thread in enumerate(threads, 1):
            thread.start()
            while len(line) <= standing:
                threading.Event().wait(0.001)
    for thread in threads:
        thread.join(TIMEOUT_S)
    assert order == list(NAMES)
