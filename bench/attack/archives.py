"""Archives and exports that somebody has damaged or prepared, and exports that were killed."""

import json
import os
import re
import signal
import struct
import sys
import time
import zipfile
import zlib
from pathlib import Path

from bench.attack.arena import Arena, SkippedError
from bench.attack.attack import slow_attack

_SOON_S = 45.0
_ENTRIES = 3_000
_ENTRY_BYTES = 63 << 20
_BEYOND = 10**30
_MEMORIES = 400
_LOCAL, _CENTRAL, _END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"


def _line(content: str) -> str:
    return json.dumps({"role": "user", "content": content, "session_id": "s"}) + "\n"


def _chats(*titles: str) -> str:
    """An export of claude.ai: a chat for each title."""
    moment = "2026-01-05T08:00:00.000000Z"
    return json.dumps(
        [
            {
                "uuid": title,
                "name": title,
                "created_at": moment,
                "updated_at": moment,
                "chat_messages": [
                    {
                        "uuid": f"m-{title}",
                        "text": f"The {title} is warm",
                        "sender": "human",
                        "content": [],
                        "created_at": moment,
                    }
                ],
            }
            for title in titles
        ]
    )


def _with_wrong_checksum(text: str, *, first: bool) -> bytes:
    """An archive whose entry says another checksum, in its own head or in the list at the end."""
    body = text.encode()
    wrong, right = zlib.crc32(body) ^ 1, zlib.crc32(body)
    return _pack(("conversations.json",), body, body, right if first else wrong, wrong, stored=True)


def _overlapping() -> bytes:
    """An archive whose entries are all the same bytes."""
    body = _chats("lathe")[:-1].encode().ljust(_ENTRY_BYTES) + b"]"
    pack = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = pack.compress(body) + pack.flush()
    names = ("conversations.json",) * _ENTRIES
    return _pack(names, packed, body, zlib.crc32(body), zlib.crc32(body), stored=False)


def _pack(
    names: tuple[str, ...], packed: bytes, body: bytes, head: int, listed: int, *, stored: bool
) -> bytes:
    """An archive in which each name stands for the one entry."""
    method = 0 if stored else 8
    entry = names[0].encode()
    sizes = (len(packed), len(body))
    local = _LOCAL + struct.pack("<HHHHHIIIHH", 20, 0, method, 0, 0x21, head, *sizes, len(entry), 0)
    start = local + entry + packed
    central = b"".join(
        _CENTRAL
        + struct.pack(
            "<HHHHHHIIIHHHHHII",
            *(20, 20, 0, method, 0, 0x21, listed, *sizes, len(name), 0, 0, 0, 0, 0, 0),
        )
        + name.encode()
        for name in names
    )
    count = len(names)
    end = _END + struct.pack("<HHHHIIH", 0, 0, count, count, len(central), len(start), 0)
    return start + central + end


@slow_attack
async def end_an_import_with_a_damaged_archive(arena: Arena) -> None:
    """Import a zip with a wrong checksum, one of half its bytes, and good files beside them."""
    whole = arena.folder / "whole.zip"
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", _chats(*(f"oven {n}" for n in range(500))))
    packed = bytearray(whole.read_bytes())
    middle = bytearray(packed)
    middle[len(middle) // 3] ^= 0xFF
    whole.unlink()
    damaged = {
        "a wrong checksum": _with_wrong_checksum(_chats("lathe"), first=False),
        "another wrong checksum": _with_wrong_checksum(_chats("lathe"), first=True),
        "a byte turned over": bytes(middle),
        "half its bytes": bytes(packed[: len(packed) // 2]),
    }
    for number, (what, data) in enumerate(damaged.items()):
        folder = arena.folder / f"folder-{number}"
        folder.mkdir()
        (folder / "a.zip").write_bytes(data)
        (folder / "z.jsonl").write_text(_line(f"The kiln {number} is warm"), "utf-8")
        for options in (("--dry-run",), ()):
            ran = await arena.run("import", folder, *options)
            arena.check("Traceback" not in ran.err, f"{what} {options}: {ran.err[-200:]}")
            arena.check("a.zip" in ran.text, f"{what} {options}: not named: {ran.text[-200:]}")
        found = await arena.run("traces", f"kiln {number}")
        arena.check(f"kiln {number} is warm" in found.out, f"{what}: nothing else was imported")


@slow_attack
async def import_an_archive_of_overlapping_entries(arena: Arena) -> None:
    """Import a small zip whose 3,000 entries are the same bytes, and unpack to 63 MB each."""
    folder = arena.folder / "folder"
    folder.mkdir()
    (folder / "a.zip").write_bytes(_overlapping())
    (folder / "z.jsonl").write_text(_line("The kiln is warm"), "utf-8")
    for options in (("--dry-run",), ()):
        ran = await arena.run_in(arena.folder, "import", folder, *options, timeout_s=_SOON_S)
        arena.check(ran.code is not None, f"{options}: it goes on")
        arena.check("Traceback" not in ran.err, f"{options}: {ran.err[-200:]}")
        arena.check("a.zip" in ran.text, f"{options}: it is not named")
    found = await arena.run("traces", "kiln")
    arena.check("kiln is warm" in found.out, "nothing else was imported")


@slow_attack
async def end_an_import_with_one_huge_number(arena: Arena) -> None:
    """Write a number beyond 64 bits into one record of each kind of an export, and import it."""
    await arena.run("remember", "The kiln is warm")
    async with arena.connect(workspace="none") as caller:
        await caller.say("Remember: the barn is red.", event="session_end")
    export = arena.folder / "all.jsonl"
    await arena.run("export", export)
    lines = export.read_text("utf-8").splitlines()
    kinds = [next(iter(json.loads(line))) for line in lines]
    for kind in sorted({*kinds} - {"memoria_export", "end"}):
        number = kinds.index(kind)
        spoilt = _spoil(lines[number])
        if spoilt == lines[number]:
            continue
        file = arena.folder / f"{kind}.jsonl"
        text = "\n".join((*lines[:number], spoilt, *lines[number + 1 :]))
        file.write_text(text + "\n", "utf-8")
        ran = await arena.run_bare("--home", str(arena.folder / kind), "import", str(file))
        arena.check("Traceback" not in ran.err, f"{kind}: {ran.err[-200:]}")
        named = re.search(rf"\b{number + 1}\b", ran.text) is not None
        arena.check(named, f"{kind}: line {number + 1} is not named: {ran.text[-200:]}")
        kept = await arena.run_bare("--home", str(arena.folder / kind), "stats")
        arena.check(kept.code == 0, f"{kind}: nothing was imported: {kept.text[-100:]}")


def _spoil(line: str) -> str:
    """A record whose first moment in time is beyond what fits."""
    return re.sub(r'("\w+":) ?\d{12,14}\b', rf"\g<1>{_BEYOND}", line, count=1)


@slow_attack
async def kill_an_export_and_look_for_its_drafts(arena: Arena) -> None:
    """Kill exports while they write: what they leave beside is gone once another has run."""
    if sys.platform == "win32":
        raise SkippedError("Windows can not kill so")
    items = [
        {"content": f"Shelf {n} holds the glaze number {n * 7}", "type": "fact"}
        for n in range(_MEMORIES)
    ]
    source = arena.folder / "memories.json"
    source.write_text(json.dumps(items), "utf-8")
    ran = await arena.run("import", source, "--format", "memories-json", "--no-wait")
    arena.check(ran.code == 0, f"{ran.text[-200:]}")
    caught = 0
    for number, options in enumerate((("--format", "markdown"), ())):
        place = arena.folder / f"place-{number}"
        place.mkdir()
        target = place / ("vault" if options else "all.jsonl")
        with arena.start("export", target, *options) as process:
            caught += _kill_with_a_draft(process.pid, place)
        again = await arena.run("export", place / f"again-{target.name}", *options)
        arena.check(again.code == 0, f"{again.text[-200:]}")
        left = sorted(path.name for path in place.iterdir() if path.name.startswith("."))
        arena.check(not left, f"beside {target.name} is still {left}")
    arena.note("killed while a draft was there", caught)


def _kill_with_a_draft(pid: int, place: Path) -> bool:
    """Kill a process as soon as a hidden file or folder of its own is there."""
    until = time.monotonic() + _SOON_S
    while time.monotonic() < until:
        if any(path.name.startswith(".") for path in place.iterdir()):
            os.kill(pid, signal.SIGKILL)
            return True
    return False
