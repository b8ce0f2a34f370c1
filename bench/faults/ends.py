"""Ends that nobody asked for: a signal in the middle of a write, a client that is deaf or gone.

The process ends without a traceback, in time, and the home is sound: what was acknowledged is
there, and of everything else each call whole or not at all.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Timer

import anyio

import memoria
from bench.faults.homes import settings, texts_of, unsound
from bench.faults.pipe import Piped, ServerGoneError, serve_piped
from bench.faults.server import ROOT, process_environment
from bench.faults.verdict import Verdict
from bench.faults.wal import is_writing

_IN_FLIGHT = 8
_SOME = 20
_PAUSE_S = 0.01
_MANY = 200
_LINES = 100
_UNREAD = 60
_LONG = "bluebird 杭州 " * 100
_ENDS_WITHIN_S = 60
_LOOK_S = 1.0
_IDLE_SHARE = 0.5
"""Of that, the time a server may work that has nothing to do."""
_IDLE_WITHIN_S = 20.0
_JOB_STOPPED = {"SIGTERM": (-15, 143), "SIGINT": (130, 1)}


def stop_server(home: Path) -> Verdict:
    """SIGTERM and SIGINT while calls are in flight: the server ends with 0, and without a word."""
    fault = "a signal while a server writes"
    if sys.platform == "win32":
        return Verdict(fault, skipped="Windows has no such signals")
    broken: list[str] = []
    kept: list[list[str]] = []
    for name in ("SIGTERM", "SIGINT"):
        errors = _errors_beside(home, name)
        with serve_piped(home, errors) as server:
            server.initialize()
            stop = partial(os.kill, server.process.pid, getattr(signal, name))
            kept += _send_until_gone(server, name, stop)
            code = _wait(server)
        if code != 0:
            broken.append(f"after {name} the server ended with {code}")
        broken += _find_traceback(errors)
    broken += anyio.run(_compare, home, kept)
    return Verdict(fault, {"calls acknowledged": len(kept)}, tuple(broken))


def leave_in_the_middle(home: Path) -> Verdict:
    """A client that closes both pipes with calls in flight: the server ends by itself."""
    broken: list[str] = []
    errors = _errors_beside(home, "left")
    with serve_piped(home, errors) as server:
        server.initialize()
        kept = _send_until_gone(server, "left", server.hang_up)
        if (code := _wait(server)) != 0:
            broken.append(f"a server without a client ended with {code}")
    broken += _find_traceback(errors)
    broken += anyio.run(_compare, home, kept)
    fault = "a client that leaves in the middle of its answers"
    return Verdict(fault, {"calls acknowledged": len(kept)}, tuple(broken))


def never_read(home: Path) -> Verdict:
    """A client that sends and never reads, until nobody takes more; then it is gone.

    Meanwhile the server waits without working, and whoever else uses the home is not held up.
    """
    broken: list[str] = []
    errors = _errors_beside(home, "deaf")
    with serve_piped(home, errors) as server:
        server.initialize()
        sent = _send_until_nobody_takes(server)
        broken += anyio.run(_write_beside, home)
        broken += _find_busy_loop(server)
        server.hang_up()
        if (code := _wait(server)) != 0:
            broken.append(f"a server without a client ended with {code}")
    broken += _find_traceback(errors)
    broken += anyio.run(_compare, home, [])
    return Verdict("a client that never reads", {"calls sent": sent}, tuple(broken))


def stop_job(home: Path, transcript: Path) -> Verdict:
    """SIGTERM and SIGINT while a command imports: it ends, and what it did is whole."""
    fault = "a signal while a command writes"
    if sys.platform == "win32":
        return Verdict(fault, skipped="Windows has no such signals")
    texts = [f"line {i}: {_LONG}" for i in range(_LINES)]
    lines = (
        {"session_id": "imported", "role": "user", "content": text, "message_id": str(i)}
        for i, text in enumerate(texts)
    )
    transcript.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    broken = []
    for name, codes in _JOB_STOPPED.items():
        code, said = _stop_import(home, transcript, getattr(signal, name))
        if code not in (0, *codes):
            broken.append(f"after {name} the command ended with {code}: {said}")
        broken += [f"after {name} it said: {said}"] if "Traceback" in said else []
    broken += unsound(home)
    code, said = _stop_import(home, transcript, None)
    stored = anyio.run(_texts, home, "imported")
    if code != 0 or stored != texts:
        broken.append(f"once more, it ended with {code}, and {len(stored)} turns are there: {said}")
    return Verdict(fault, {"turns": len(stored)}, tuple(broken))


def _errors_beside(home: Path, name: str) -> Path:
    home.parent.mkdir(parents=True, exist_ok=True)
    return home.with_name(f"{home.name}-{name}.stderr")


def _send_until_gone(server: Piped, name: str, end: Callable[[], None]) -> list[list[str]]:
    """Send calls, several in flight, until the server is gone. Gives what was acknowledged."""
    ending: Timer | None = None
    sent: dict[int, list[str]] = {}
    kept = []
    with suppress(ServerGoneError, ValueError):  # a pipe that was closed meanwhile
        for i in range(_MANY):
            texts = [f"{name} {i}.{part}: {_LONG}" for part in range(2)]
            turns = [{"role": "assistant", "content": text} for text in texts]
            arguments = {"turns": turns, "session_id": f"{name} {i}"}
            sent[server.send_call("record_conversation", arguments)] = texts
            if i < _IN_FLIGHT:
                continue
            number, answer = server.receive()
            if not answer.get("isError"):
                kept.append(sent[number])
            if i == _SOME:
                ending = Timer(0.01, end)
                ending.start()
    if ending is not None:
        ending.join()
    return kept


def _send_until_nobody_takes(server: Piped) -> int:
    """Send without reading until the pipes are full, or so many are sent. Gives how many."""
    if server.process.stdin is None:
        return 0
    pipe = server.process.stdin.fileno()
    os.set_blocking(pipe, False)
    for sent in range(_UNREAD):
        turns = [{"role": "assistant", "content": f"deaf {sent}: {_LONG}"}]
        line = server.encode_call("record_conversation", {"turns": turns, "session_id": "deaf"})
        line += server.encode_call("search_conversation_traces", {"query": "bluebird", "limit": 50})
        until = time.monotonic() + _LOOK_S
        while line:
            try:
                line = line[os.write(pipe, line) :]
                until = time.monotonic() + _LOOK_S
            except BlockingIOError:
                if time.monotonic() > until:
                    return sent
                time.sleep(_PAUSE_S)
    return _UNREAD


def _find_busy_loop(server: Piped) -> Iterator[str]:
    """A server with nobody who reads has nothing to do, once it has finished what it was at."""
    until = time.monotonic() + _IDLE_WITHIN_S
    worked = _LOOK_S
    while worked > _IDLE_SHARE * _LOOK_S and time.monotonic() < until:
        before = _processor_s(server.process.pid)
        time.sleep(_LOOK_S)
        worked = _processor_s(server.process.pid) - before
    if worked > _IDLE_SHARE * _LOOK_S:
        yield f"the server worked for {worked:.2f} s of {_LOOK_S} s while nobody read"


def _processor_s(pid: int) -> float:
    """The processor time of a process so far; 0 where there is no telling."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return 0.0
    fields = stat.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _wait(server: Piped) -> int | None:
    try:
        return server.process.wait(_ENDS_WITHIN_S)
    except subprocess.TimeoutExpired:
        return None


async def _write_beside(home: Path) -> list[str]:
    """Another process uses the same home meanwhile."""
    async with memoria.open(settings=settings(home)) as m:
        await m.record_conversation([{"role": "user", "session_id": "beside", "content": "hello"}])
        said = await texts_of(m, "beside")
    return [] if said == ["hello"] else [f"beside it {said} was recorded"]


def _stop_import(home: Path, transcript: Path, number: int | None) -> tuple[int, str]:
    """Import, with a signal inside of a write. Gives the exit code, and what it said."""
    command = ("--home", str(home), "--workspace", "none", "import", str(transcript), "--no-wait")
    with subprocess.Popen(  # noqa: S603  (our own module)
        [sys.executable, "-m", "memoria", *command],
        cwd=ROOT,
        env=process_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        while number is not None and process.poll() is None:
            if is_writing(home / "memoria.db-shm"):
                process.send_signal(number)
                break
        said = process.communicate()[0]
    return process.returncode, said


async def _texts(home: Path, session: str) -> list[str]:
    async with memoria.open(settings=settings(home)) as m:
        return await texts_of(m, session)


async def _compare(home: Path, kept: list[list[str]]) -> list[str]:
    """Each call that was acknowledged is there, and no call is there in part."""
    wrong = []
    async with memoria.open(settings=settings(home)) as m:
        for texts in kept:
            session = texts[0].partition(".")[0]
            if await texts_of(m, session) != texts:
                wrong.append(f"{session} was acknowledged and is not there as it was said")
    return wrong + unsound(home)


def _find_traceback(errors: Path) -> list[str]:
    logged = errors.read_text("utf-8", "replace")
    return [f"the server logged a traceback: {logged[-2000:]}"] if "Traceback" in logged else []
