"""A full disk: a clear refusal that says what to do, nothing half written, and on it goes.

Three ways to run out of room: the limit a user or container sets (`RLIMIT_FSIZE`), SQLite's own
(`max_page_count`), and a small file system that is really full.
"""

import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import memoria
from bench.faults.homes import settings, texts_of, unsound
from bench.faults.server import Served, serve_home
from bench.faults.verdict import Verdict
from memoria.errors import StoreUnavailableError

if sys.platform != "win32":
    import resource

_ROOM = 1 << 20
_PAGES_OF_ROOM = 40
_MOST_CALLS = 400
_TURNS = 3
_TEXT_BYTES = 20_000

Record = Callable[[list[str]], Awaitable[str | None]]
"""Records turns in one call; gives the refusal, if it is refused."""

Resizer = Callable[[str], None]
"""Changes the size of a file system, as `3m`."""


async def full_by_limit(home: Path) -> Verdict:
    """The largest size of a file, set on the running server."""
    fault = "disk full: RLIMIT_FSIZE under the server"
    if sys.platform != "linux":
        return Verdict(fault, skipped="the limit of a running process can be set on Linux only")
    async with serve_home(home) as server:

        def limit(size: int) -> None:
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

        return await _fill_disk(
            fault,
            home,
            server,
            narrow=lambda: limit(_largest(home) + _ROOM),
            widen=lambda: limit(resource.RLIM_INFINITY),
        )


async def full_for_real(folder: Path) -> Verdict:
    """A file system of its own, of a few megabytes."""
    fault = "disk full: a file system without room"
    with mount_small_disk(folder) as resize:
        if resize is None:
            return Verdict(fault, skipped="a file system can be mounted by root on Linux only")
        home = folder / "home"
        async with serve_home(home) as server:
            return await _fill_disk(
                fault, home, server, narrow=lambda: resize("3m"), widen=lambda: resize("64m")
            )


async def full_by_pages(home: Path) -> Verdict:
    """SQLite's own limit, on the connection that writes."""
    async with memoria.open(settings=settings(home)) as m:
        writer = m._store._connections.writer.connection  # type: ignore[attr-defined]  # noqa: SLF001  (the very one)

        async def record(texts: list[str]) -> str | None:
            turns = [{"role": "user", "session_id": "s", "content": text} for text in texts]
            try:
                await m.record_conversation(turns)
            except StoreUnavailableError as error:
                return str(error)
            return None

        def limit(more: int) -> None:
            pages = writer.execute("PRAGMA page_count").fetchone()[0]
            writer.execute(f"PRAGMA max_page_count = {pages + more}")

        kept, wrong = await _until_refused(
            record, narrow=lambda: limit(_PAGES_OF_ROOM), widen=lambda: limit(1 << 20)
        )
    wrong += await _compare_calls(home, kept)
    figures = {"calls kept": len(kept)}
    return Verdict("disk full: max_page_count", figures, tuple(wrong))


async def full_everywhere(home: Path) -> Verdict:
    """Every way to write without room: it is done, or refused with what to do."""
    async with memoria.open(settings=settings(home)) as m:
        writer = m._store._connections.writer.connection  # type: ignore[attr-defined]  # noqa: SLF001  (the very one)
        first = await m.remember("The gate is opened with 1000")
        deeds: dict[str, Callable[[str], Awaitable[object]]] = {
            "record": lambda said: m.record_conversation(
                [{"role": "user", "session_id": "s", "content": said * 20}]
            ),
            "remember": lambda said: m.remember(f"The cellar is opened with {said}"),
            "correct": lambda said: m.revise_memory(first.id, "correct", f"The gate is {said}"),
            "note": lambda said: m.update_scratchpad(current_focus=said, session_id="s"),
        }
        wrong = []
        pages = writer.execute("PRAGMA page_count").fetchone()[0]
        writer.execute(f"PRAGMA max_page_count = {pages}")
        for name, deed in deeds.items():
            refusals = [said async for said in _repeat(deed) if said is not None]
            if not refusals:
                wrong.append(f"{name} never ran out of room")
            wrong += [f"{name}: {said}" for said in refusals if "Free some space" not in said]
        writer.execute(f"PRAGMA max_page_count = {1 << 20}")
        for name, deed in deeds.items():
            refusal = await _refusal_of(deed("there is room again"))
            wrong += [] if refusal is None else [f"{name}, with room again: {refusal}"]
        wording = (await m.get_memory(first.id)).content
        wrong += [] if wording.endswith("again") else [f"the gate reads {wording}"]
    figures = {"ways to write": len(deeds)}
    return Verdict("disk full: every way to write", figures, (*wrong, *unsound(home)))


async def _repeat(deed: Callable[[str], Awaitable[object]]) -> AsyncIterator[str | None]:
    """Do it with ever other words until it is refused."""
    for number in range(_MOST_CALLS):
        refusal = await _refusal_of(deed(f"{number} {'otter heron ' * 100}"))
        yield refusal
        if refusal is not None:
            return


async def _refusal_of(work: Awaitable[object]) -> str | None:
    try:
        await work
    except StoreUnavailableError as error:
        return str(error)
    return None


async def _fill_disk(
    fault: str, home: Path, server: Served, *, narrow: Callable[[], None], widen: Callable[[], None]
) -> Verdict:
    """Record over MCP until the room runs out; the same server goes on when there is some again."""

    async def record(texts: list[str]) -> str | None:
        turns = [{"role": "user", "content": text} for text in texts]
        return (await server.ask("record_conversation", turns=turns, session_id="s"))[0]

    kept, wrong = await _until_refused(record, narrow=narrow, widen=widen)
    if (await server.ask("search_memory", query="what fills the disk?"))[0] is not None:
        wrong.append("a search was refused")
    logged = server.errors.read_text("utf-8")
    wrong += [f"the server logged a traceback: {logged}"] if "Traceback" in logged else []
    wrong += await _compare_calls(home, kept)
    return Verdict(fault, {"calls kept": len(kept)}, tuple(wrong))


async def _until_refused(
    record: Record, *, narrow: Callable[[], None], widen: Callable[[], None]
) -> tuple[list[list[str]], list[str]]:
    """Record before, while and after there is no room. Gives the calls kept and what was wrong."""
    calls = (_call(number) for number in range(_MOST_CALLS))
    kept = [next(calls)]
    wrong = [f"refused with room: {said}"] if (said := await record(kept[0])) else []
    narrow()
    refusals = 0
    for call in calls:
        said = await record(call)
        if said is None:
            kept.append(call)
            continue
        refusals += 1
        if "try again" not in said or "space" not in said:
            wrong.append(f"the refusal does not say what to do: {said}")
        if refusals == _TURNS:
            break
    if not refusals:
        wrong.append("the room never ran out")
    widen()
    last = ["there is room again"]
    if said := await record(last):
        wrong.append(f"refused with room again: {said}")
    return [*kept, last], wrong


def _largest(home: Path) -> int:
    return max(file.stat().st_size for file in home.iterdir())


def _call(number: int) -> list[str]:
    return [f"{number}.{part}: {'bluebird ' * (_TEXT_BYTES // 9)}" for part in range(_TURNS)]


async def _compare_calls(home: Path, kept: list[list[str]]) -> list[str]:
    """Every call that was kept is there whole; of those refused, not a word."""
    async with memoria.open(settings=settings(home)) as m:
        stored = await texts_of(m, "s")
    told = [text for call in kept for text in call]
    wrong = [] if stored == told else [f"{len(stored)} turns are there, {len(told)} were kept"]
    return wrong + unsound(home)


@contextmanager
def mount_small_disk(folder: Path, size: str = "64m") -> Iterator[Resizer | None]:
    """A file system in the folder, and what changes its size; None where there can be none."""

    def mount(*options: str) -> bool:
        command = ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", str(folder)]
        try:
            return subprocess.run(command, check=False, capture_output=True).returncode == 0  # noqa: S603  (no word of it is a stranger's)
        except FileNotFoundError:
            return False

    def resize(size: str) -> None:
        mount("remount", f"size={size}")

    folder.mkdir(parents=True, exist_ok=True)
    if not mount(f"size={size}"):
        yield None
        return
    try:
        yield resize
    finally:
        subprocess.run(["umount", str(folder)], check=True)  # noqa: S603, S607
