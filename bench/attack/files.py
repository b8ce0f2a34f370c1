"""Files of a home that are not what they seem: links, pipes, giants, other people's, and modes."""

import os
import sqlite3
import stat
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import anyio

from bench.attack.arena import Arena, SkippedError
from bench.attack.attack import slow_attack
from bench.attack.remains import DATABASE, find_remains

CORE = ("MEMORY.md", "USER.md", "PERSONA.md")
_PAGES = ("daily_summaries/2026-01-01.md", "conversation_history/x.jsonl")
_GIANT = 1 << 30
_USUAL_MODE = 0o644
_TENANTS = (
    "../../zqout",
    "..",
    ".",
    "/etc/zqout",
    "a/b/../../c",
    "C:\\zqout",
    "zq\x00out",
    "~root",
    "tenants/../x",
    "%2e%2e%2fzqout",
    "zq\nout",
    "x" * 200,
    "CON",
    "zqout.",
    " zqout ",
    "ｚｑ",
)
_SHADOW = "zqshadow of another file"
_HAND_EDITS = {
    "CRLF": b"# MEMORY.md\r\n\r\n## Facts and concepts\r\n- The kiln is by the river.\r\n",
    "BOM": b"\xef\xbb\xbf# MEMORY.md\n\n## Facts and concepts\n- The kiln is by the river.\n",
    "bad UTF-8": b"# MEMORY.md\n\n## Facts and concepts\n- The kiln \xff\xfe is by the river.\n",
    "NUL": b"# MEMORY.md\n\n## Facts and concepts\n- The kiln\x00 is by the river.\n",
    "UTF-16": "# MEMORY.md\n\n## Facts and concepts\n- The kiln is by the river.\n".encode(
        "utf-16"
    ),
    "an endless line": b"- " + b"kiln " * 400_000,
    "a million headings": b"## x\n" * 200_000,
    "no last newline": b"## Facts and concepts\n- The kiln is by the river.",
    "half a mark": b"## Facts and concepts\n- The kiln is by the river. <!-- m:\n<!--",
}


def _need_posix() -> None:
    if sys.platform == "win32":
        raise SkippedError("links, pipes and modes are another matter on Windows")


async def _make_home(arena: Arena) -> None:
    """A home with a memory, a closed conversation, pages and core files."""
    async with arena.connect(workspace="none") as caller:
        await caller.say("Remember: the kiln is warm.", "I prefer tea.", event="session_end")
        await caller.remember("The user prefers green tea", type="preference")
    await arena.run("nightly")


def _open_files(home: Path) -> Iterator[str]:
    """What others than the owner may read or enter, with its mode."""
    for path in (home, *home.rglob("*")):
        mode = stat.S_IMODE(path.lstat().st_mode)
        if mode & 0o077 and not path.is_symlink():
            yield f"{path.relative_to(home.parent)} {mode:04o}"


@slow_attack
async def write_through_core_files_that_are_links(arena: Arena) -> None:
    """Link core files to a file elsewhere: it must be neither changed, nor chmodded, nor shown."""
    _need_posix()
    await _make_home(arena)
    target = arena.folder / "precious"
    for name in CORE:
        (arena.home / name).unlink(missing_ok=True)
        (arena.home / name).symlink_to(target)
    target.write_text(f"{_SHADOW}\n## Facts and concepts\n- {_SHADOW}\n", "utf-8")
    target.chmod(_USUAL_MODE)
    before = target.read_bytes()
    async with arena.serve() as caller:
        shown = await caller.show_model("kiln")
        await caller.remember("The user prefers black tea", type="preference")
        await arena.run("nightly")
        await arena.run("nightly")
        shown["afterwards"] = "\n".join((await caller.show_model("kiln")).values())
        memory = await caller.remember("The kiln is cold by now")
        await caller.forget(memory)
    told = [place for place, text in shown.items() if _SHADOW in text]
    arena.check(not told, f"another file's text is shown in {told}")
    arena.check(target.read_bytes() == before, "the file behind the link was changed")
    mode = stat.S_IMODE(target.stat().st_mode)
    arena.check(mode == _USUAL_MODE, f"the file behind the link has mode {mode:04o}")
    arena.check(not find_remains(arena.home, _SHADOW), "another file's text is in the home")


@slow_attack
async def hang_a_reader_with_pipes_and_devices(arena: Arena) -> None:
    """Put pipes and links to /dev/zero where core files, the key and pages belong."""
    _need_posix()
    await _make_home(arena)
    (arena.home / "MEMORY.md").unlink(missing_ok=True)
    os.mkfifo(arena.home / "MEMORY.md")
    (arena.home / "USER.md").unlink(missing_ok=True)
    (arena.home / "USER.md").symlink_to("/dev/zero")
    for place in _PAGES:
        (arena.home / place).parent.mkdir(exist_ok=True)
        os.mkfifo(arena.home / place)
    commands = (("nightly",), ("context", "kiln"), ("doctor",), ("backup", arena.folder / "b.zip"))
    for command in commands:
        ran = await arena.run_bare("--home", str(arena.home), *command, timeout_s=20)
        arena.check(ran.code is not None, f"{command[0]} hangs")
        arena.check("Traceback" not in ran.err, f"{command[0]}: {ran.err[-200:]}")
    async with arena.serve() as caller:
        for place in (*(f"memory://core/{name}" for name in CORE), "memory://scratchpad"):
            with anyio.move_on_after(8) as scope:
                await caller.read(place)
            arena.check(not scope.cancelled_caught, f"{place} hangs")
        with anyio.move_on_after(8) as scope:
            found = await caller.find("kiln")
            arena.check(bool(found), "nothing is found any more")
        arena.check(not scope.cancelled_caught, "a search hangs")


@slow_attack
async def fill_the_memory_with_a_giant_file(arena: Arena) -> None:
    """Put a gigabyte where a core file, a page and the key belong, and watch time and memory."""
    _need_posix()
    await _make_home(arena)
    for place in ("MEMORY.md", *_PAGES):
        (arena.home / place).parent.mkdir(exist_ok=True)
        with (arena.home / place).open("wb") as file:
            file.truncate(_GIANT)
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (3 << 29, 3 << 29))\n"
    (arena.folder / "sitecustomize.py").write_text(limit, "utf-8")
    for command in (("nightly",), ("context", "kiln"), ("doctor",)):
        ran = await arena.run_bare(
            "--home",
            str(arena.home),
            *command,
            timeout_s=30,
            environment={"PYTHONPATH": str(arena.folder)},
        )
        arena.check(ran.code is not None, f"{command[0]} hangs")
        arena.check("Traceback" not in ran.err, f"{command[0]}: {ran.err[-300:]}")
    size = (arena.home / "MEMORY.md").stat().st_size
    arena.check(size == _GIANT, "the file was rewritten")


@slow_attack
async def read_the_home_as_another_user(arena: Arena) -> None:
    """Use everything under umask 000, and list what others than the owner may read."""
    _need_posix()
    for umask in (0o000,):
        home = arena.folder / "deep" / "er" / "home"
        commands: tuple[tuple[str, ...], ...] = (
            ("remember", "The", "kiln", "is", "warm"),
            ("import", str(arena.folder / "chat.jsonl")),
            ("nightly",),
            ("backup",),
            ("nightly", "runs"),
            ("doctor", "--fix"),
            ("--tenant", "other", "remember", "The", "kiln", "is", "warm"),
            ("--tenant", "other", "nightly"),
        )
        line = '{"role": "user", "content": "Remember: I like tea.", "session_id": "s"}\n'
        (arena.folder / "chat.jsonl").write_text(line * 2, "utf-8")
        for command in commands:
            ran = await arena.run_bare("--home", str(home), *command, umask=umask)
            arena.check(ran.code in (0, 3), f"{command}: {ran.text[-200:]}")
        seen = sorted(_open_files(home))
        arena.check(not seen, f"umask {umask:03o}: {seen}")


@slow_attack
async def leave_the_home_through_a_name(arena: Arena) -> None:
    """Name tenants, sessions, workspaces and days so that a path made of them leads elsewhere."""
    before = _outside(arena)
    for name in _TENANTS:
        try:
            async with arena.connect(name) as caller:
                await caller.say(
                    "Remember: the kiln is warm.",
                    session_id=name.replace("\x00", "")[:99],
                    event="session_end",
                )
                await caller.ask("remember", content="The kiln is hot", workspace=name)
                arena.check("zq-none" not in await caller.read("memory://core/MEMORY.md"), name)
        except Exception as error:  # noqa: BLE001  (a refusal of the settings is as good)
            arena.check("Traceback" not in str(error), f"{name!r}: {error}")
    after = _outside(arena)
    arena.check(after == before, f"there are {sorted(after - before)}")


def _outside(arena: Arena) -> set[str]:
    skipped = {arena.home, arena.temporary}
    paths = {str(path) for path in arena.folder.glob("*") if path not in skipped}
    return paths | {str(path) for path in Path("/etc").glob("zq*")}


@slow_attack
async def write_outside_through_linked_folders(arena: Arena) -> None:
    """Link the home's folders for pages, histories, runs, backups and projects to elsewhere."""
    _need_posix()
    await _make_home(arena)
    outside = arena.folder / "outside"
    outside.mkdir()
    for name in ("daily_summaries", "conversation_history", "night", "projects", "tenants"):
        place = arena.home / name
        if place.exists():
            place.rename(arena.folder / f"former-{name}")
        place.symlink_to(outside)
    async with arena.connect(workspace="den") as caller:
        await caller.say("Remember: the kiln is cold today.", session_id="t", event="session_end")
        await caller.remember("The build of den needs gcc 12", workspace="den")
    for tenant in ("default", "other"):
        ran = await arena.run("--tenant", tenant, "--workspace", "den", "nightly")
        arena.check("Traceback" not in ran.err, f"{tenant}: {ran.err[-200:]}")
    written = sorted(
        str(path.relative_to(outside)) for path in outside.rglob("*") if path.is_file()
    )
    arena.check(not written, f"outside of the home were written {written[:5]}")


@slow_attack
async def take_the_place_of_files_before_they_are_made(arena: Arena) -> None:
    """Plant links where a new home will make its key, its database and its backups."""
    _need_posix()
    target = arena.folder / "target"
    for name in (DATABASE, "tombstone.key", "MEMORY.md"):
        home = arena.folder / f"home {name}"
        home.mkdir(mode=0o700)
        (home / name).symlink_to(target)
        ran = await arena.run_bare("--home", str(home), "remember", "The", "kiln", "is", "warm")
        arena.check("Traceback" not in ran.err, f"{name}: {ran.err[-200:]}")
        await arena.run_bare("--home", str(home), "nightly")
        listed = await arena.run_bare("--home", str(home), "search", "kiln", "--json")
        if '"kiln' in listed.out.lower():
            memory = listed.document["hits"][0]["id"]
            await arena.run_bare("--home", str(home), "forget", memory, "--yes")
        written = target.exists() and name != DATABASE
        arena.check(not written, f"{name}: written through the link")
        if target.exists():
            mode = stat.S_IMODE(target.stat().st_mode)
            arena.check(not mode & 0o077, f"{name}: readable by others: {mode:04o}")
            target.unlink()


@slow_attack
async def edit_core_files_in_every_broken_way(arena: Arena) -> None:
    """Save MEMORY.md with CRLF, BOM, bad UTF-8, NUL, UTF-16, endless lines: no byte is lost."""
    await _make_home(arena)
    file = arena.home / "MEMORY.md"
    for how, content in _HAND_EDITS.items():
        file.write_bytes(content)
        ran = await arena.run("nightly")
        arena.check(ran.code is not None, f"{how}: the night hangs")
        arena.check("Traceback" not in ran.err, f"{how}: {ran.err[-200:]}")
        now = file.read_bytes()
        arena.check(
            _keeps_words(content, now), f"{how}: words of the user's are gone: {now[:150]!r}"
        )


def _keeps_words(before: bytes, after: bytes) -> bool:
    """Whether all that was in the file is there still, but for how its lines end.

    In a line that is remembered, what could open a comment of ours stands as `‹!--`.
    """
    plain = before.replace(b"\r\n", b"\n").strip()
    return plain == after.replace(b"\r\n", b"\n").strip() or all(
        line in after or line.replace(b"<!--", "‹!--".encode()) in after
        for line in map(bytes.strip, plain.split(b"\n"))
    )


@slow_attack
async def look_into_a_home_that_is_not_there(arena: Arena) -> None:
    """Mistype --home and --tenant in commands that only read: nothing may be made."""
    reading = (
        ("search", "kiln"),
        ("traces", "kiln"),
        ("stats",),
        ("doctor",),
        ("review",),
        ("list", "tasks"),
        ("show", "x"),
        ("show", "x", "--history"),
        ("show", "kiln"),
        ("context", "kiln"),
        ("model", "queue", "list"),
        ("nightly", "runs"),
        ("nightly", "--dry-run"),
        ("nightly", "schedule", "show"),
        ("list", "forgotten"),
        ("forget", "x", "--yes"),
        ("import", str(arena.folder / "none.jsonl")),
        ("restore", str(arena.folder / "none.zip"), "--yes"),
    )
    for number, command in enumerate(reading):
        missing = arena.folder / f"mistyped{number}"
        ran = await arena.run_bare("--home", str(missing), *command)
        arena.check(not missing.exists(), f"{command[0]} made a home")
        arena.check("Traceback" not in ran.err, f"{command}: {ran.err[-200:]}")
    await _make_home(arena)
    before = set(arena.read_home())
    rows = _count_tenants(arena)
    for command in reading[:6]:
        await arena.run("--tenant", "mistyped", *command)
    arena.check(_count_tenants(arena) == rows, "a tenant was made by reading")
    made = {
        name
        for name in set(arena.read_home()) - before
        if "-wal" not in name and "-shm" not in name
    }
    arena.check(not made, f"reading made {made}")


def _count_tenants(arena: Arena) -> int:

    with closing(sqlite3.connect(arena.home / DATABASE)) as connection:
        return int(connection.execute("SELECT count(*) FROM tenants").fetchone()[0])
