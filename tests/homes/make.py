"""Makes the home of one schema version: run with the code of that version, before the next one.

    python tests/homes/make.py FOLDER    # leaves NN.zip, NN.backup and NN.json in FOLDER

A home is lived in as far as the code can live: three conversations, one of them Chinese and one of
a long message, an edited message, a tool call, statements, a correction, an archived and a pinned
memory, one that was forgotten, a task, vectors, and where there is one a nightly run. NN.json says
what must be there after every later version has opened it; `test_homes.py` looks.
"""

import json
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
from contextlib import closing
from pathlib import Path

import anyio

import memoria

TALK: list[dict[str, object]] = [
    {
        "role": "user",
        "content": "The gateway listens on port 7443 since Monday.",
        "message_id": "1",
    },
    {"role": "assistant", "content": "Noted: port 7443 for the gateway.", "message_id": "2"},
    {"role": "user", "content": "Marta reviews every change to the parser.", "message_id": "3"},
    {
        "role": "tool",
        "tool_name": "bash",
        "tool_args": {"command": "make test"},
        "tool_result": "E1437: fixture missing",
        "message_id": "4",
    },
]
LONG = (
    "The gateway listens on the port you chose, and the parser was rebuilt. "
    "Each nightly build takes eleven minutes, most of them for the container image. "
    "The dashboards were moved to the new cluster without any loss of history. "
    "Log files are kept for thirty days and then packed into an archive. "
    "The reviewers asked for shorter functions and for one more round of tests. "
    "A retry policy with four attempts was added to the payment client. "
    "My sister keeps bees behind her cottage and sells the honey in spring. "
    "The certificates are renewed by a job that runs on the first of the month. "
    "Two flaky tests were traced to a clock that was read twice. "
    "The release notes are written by whoever merges the last change. "
    "Feature flags that are older than a quarter are removed on Fridays."
)
TALK_ZH: list[dict[str, object]] = [
    {"role": "user", "content": "下周三我们在杭州开会，讨论新的索引。", "message_id": "1"},
    {"role": "assistant", "content": "好的，下周三在杭州讨论索引。", "message_id": "2"},
]
EDITED: dict[str, object] = {
    "role": "user",
    "content": "Marta reviews every change to the lexer.",
    "message_id": "3",
}
KEPT = [
    ("Commit messages are written in English", "preference"),
    ("我女儿对花生过敏", "fact"),
    ("The staging database is rebuilt every Friday", "fact"),
]
CORRECTED = ("The office is in Leeds", "The office is in York")
ARCHIVED = "The old build used Jenkins"
FORGOTTEN = "The alarm code is 4711 and a half"
FIRST_WITH_A_BACKUP = 13
QUESTIONS = {
    "which language are commit messages written in": KEPT[0][0],
    "我女儿对什么过敏": KEPT[1][0],
    "when is the staging database rebuilt": KEPT[2][0],
    "where is the office": CORRECTED[1],
}
TRACES = {
    "which port does the gateway listen on": TALK[0]["content"],
    "E1437": "E1437",
    "who keeps bees": LONG,
    "在哪里开会": TALK_ZH[0]["content"],
}


async def live(home: Path) -> dict[str, object]:
    """Live in a home. Gives what is there afterwards."""
    async with memoria.open(home=home, tenant="default") as m:
        await m.record_conversation([{**turn, "session_id": "work"} for turn in TALK])
        await m.record_conversation([{**EDITED, "session_id": "work"}])
        await m.record_conversation([{**turn, "session_id": "会议"} for turn in TALK_ZH])
        await m.record_conversation([{"role": "assistant", "content": LONG, "session_id": "long"}])
        ids = [(await m.remember(text, type=kind)).id for text, kind in KEPT]
        office = (await m.remember(CORRECTED[0])).id
        await m.revise_memory(office, "correct", CORRECTED[1])
        archived = (await m.remember(ARCHIVED)).id
        await m.revise_memory(archived, "archive")
        await m.revise_memory(ids[0], "pin")
        if hasattr(m, "forget_memory"):
            await m.forget_memory([(await m.remember(FORGOTTEN)).id])
        await m.update_scratchpad(current_focus="move the gateway", session_id="work")
        wait = getattr(m, "wait_until_idle", None) or m.settle  # type: ignore[attr-defined]  # formerly
        await wait(120)
    if "nightly" in run("--help"):
        run("--home", str(home), "nightly", "--quiet")
    async with memoria.open(home=home, tenant="default") as m:
        sessions = {name: await m.get_session(name) for name in ("work", "会议", "long")}
        memories = [await m.get_memory(one) for one in (*ids, office, archived)]
    return {
        "turns": {
            name: [[each.id, each.content] for each in session.turns]
            for name, session in sessions.items()
        },
        "memories": {
            one.id: [one.type.value, one.validity.value, [v.content for v in one.versions]]
            for one in memories
        },
        "forgotten": FORGOTTEN if hasattr(m, "forget_memory") else None,
        "memories_asked": QUESTIONS,
        "transcripts_asked": TRACES,
    }


def run(*words: str) -> str:
    """What the command line says."""
    command = [sys.executable, "-m", "memoria", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    return done.stdout


def pack(home: Path, target: Path) -> None:
    """Put a closed home into an archive."""
    with closing(sqlite3.connect(home / "memoria.db")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("PRAGMA journal_mode = DELETE")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_LZMA) as packed:
        for file in sorted(home.rglob("*")):
            if file.is_file() and file.suffix not in {".db-wal", ".db-shm", ".lock"}:
                packed.write(file, file.relative_to(home))


def main(folder: Path) -> None:
    """Make one home and what it holds."""
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary) / "home"
        there = anyio.run(live, home)
        with closing(sqlite3.connect(home / "memoria.db")) as connection:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version >= FIRST_WITH_A_BACKUP:
            run("--home", str(home), "backup", str(folder / f"{version:02}.backup"))
        pack(home, folder / f"{version:02}.zip")
    text = json.dumps(there, ensure_ascii=False, indent=1)
    (folder / f"{version:02}.json").write_text(text + "\n", "utf-8")
    sys.stdout.write(f"{folder}/{version:02}.zip\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
