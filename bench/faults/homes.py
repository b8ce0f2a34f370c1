"""Homes to be mistreated, and what is asked of them afterwards."""

import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import anyio

import memoria
from bench.faults.toy import ToyEmbedder
from memoria import Memoria, Settings
from memoria.app.upkeep import diagnose
from memoria.errors import NotFoundError
from memoria.model import Finding

_PAGE = 200
_SETTLE_S = 60
_SESSIONS, _TURNS, _MEMORIES = 4, 40, 20


def settings(home: Path) -> Settings:
    """Without vectors: most faults are no matter of theirs."""
    return Settings.from_values(home=home, embedder="off")


def unsound(home: Path) -> list[str]:
    """The errors doctor finds."""
    return [f"{f.check}: {f.detail}" for f in findings(home) if f.state == "error"]


def findings(home: Path) -> tuple[Finding, ...]:
    """All that doctor says."""
    return diagnose(settings(home), "none", lambda _done, _total: None).health.findings


def turns_of_home() -> Mapping[str, list[str]]:
    """The turns of a filled home, by session: short and long, some thrice."""
    return {
        f"s{s}": [
            f"s{s}t{i}: bluebird 杭州 " + f"word{i % 7} " * (1 + i % 60) for i in range(_TURNS)
        ]
        for s in range(_SESSIONS)
    }


def memories_of_home() -> list[str]:
    """The memories of a filled home; every second was corrected."""
    return [f"the code of door {i} is {i * 17}" for i in range(_MEMORIES)]


async def fill(home: Path) -> None:
    """Make a home with turns, tool calls, memories, corrections and vectors."""
    async with memoria.open(settings=settings(home), embedder=ToyEmbedder()) as m:
        for session, texts in turns_of_home().items():
            turns = [{"role": "user", "session_id": session, "content": text} for text in texts]
            await m.record_conversation(turns)
        tools = [
            {"role": "tool", "tool_name": "bash", "tool_args": {"n": i}} for i in range(_TURNS)
        ]
        await m.record_conversation(tools, session_id="tools")
        for i, statement in enumerate(memories_of_home()):
            first = await m.remember(statement if i % 2 else f"door {i} has no code")
            if not i % 2:
                await m.revise_memory(first.id, "correct", statement)
        await m.update_scratchpad(current_focus="doors", session_id="s0")
        await m.wait_until_idle(_SETTLE_S)


def fill_and_die(home: Path) -> None:
    """Fill a home in a process that is killed, so that its log is left behind."""
    with subprocess.Popen(  # noqa: S603  (our own module)
        [sys.executable, "-m", "bench.faults.homes", str(home)],
        cwd=Path(__file__).resolve().parents[2],
        stdout=subprocess.PIPE,
    ) as process:
        if process.stdout is not None:
            process.stdout.readline()
        process.kill()


async def _fill_and_wait(home: Path) -> None:
    await fill(home)
    async with memoria.open(settings=settings(home)) as m:
        await m.record_conversation([{"role": "user", "session_id": "log", "content": "the last"}])
        await m.remember("what is in the log counts too")
        sys.stdout.write("filled\n")
        sys.stdout.flush()
        await anyio.sleep_forever()


def copy_home(home: Path, target: Path) -> Path:
    """The home once more, with its log."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(home, target)
    return target


async def texts_of(m: Memoria, session: str) -> list[str]:
    """The texts of a session, in order; none of a session that is not there."""
    found: list[str] = []
    try:
        while page := (await m.get_session(session, offset=len(found), limit=_PAGE)).turns:
            found += [turn.content for turn in page]
    except NotFoundError:
        return found
    return found


if __name__ == "__main__":
    anyio.run(_fill_and_wait, Path(sys.argv[1]))
