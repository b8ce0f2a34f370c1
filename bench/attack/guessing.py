"""Guessing what was forgotten, from what is kept so that it is not learnt again."""

import hashlib
import hmac
import json
import re
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import islice
from pathlib import Path

from bench.attack.arena import Arena
from bench.attack.attack import attack, slow_attack
from bench.attack.remains import DATABASE, find_remains, read_everything
from bench.attack.returning import forget_fact

_PIN = "My locker opens on the number {}"


@attack
async def learn_from_refusals_what_another_tenant_has_forgotten(arena: Arena) -> None:
    """State guesses as another tenant: a refusal would say that somebody forgot just this."""
    async with arena.connect(tenant="owner") as owner, arena.connect(tenant="spy") as spy:
        await forget_fact(owner, _PIN.format(4711))
        for guess in ("4711", "1234"):
            answer = await spy.ask("remember", content=_PIN.format(guess))
            arena.check(answer.refusal is None, f"{guess}: {answer.refusal}")


@slow_attack
async def guess_a_forgotten_pin_from_the_database_file_alone(arena: Arena) -> None:
    """Steal memoria.db with its log, and try every four-digit PIN with whatever the file offers."""
    pin = "8352"
    async with arena.serve() as caller:
        await caller.say(f"Remember: {_PIN.format(pin)}.")
        memory = await caller.remember(_PIN.format(pin))
        await caller.forget(memory, include_source=True)
    stolen = arena.folder / "stolen"
    stolen.mkdir()
    for file in arena.home.glob(f"{DATABASE}*"):
        shutil.copy2(file, stolen)
    arena.check(not find_remains(stolen, pin), "the PIN itself is in the file")
    digests = set(_digests_in(stolen))
    arena.check(bool(digests), "there is no tombstone to guess from")
    key = (arena.home / "tombstone.key").read_bytes()
    copies = [
        place
        for place, data in read_everything(stolen)
        if key in data or key.hex().encode() in data
    ]
    arena.check(not copies, f"the key lies in the stolen file too: {copies}")
    keys = [b"", b"\0" * 32, *islice(_keys_in(stolen), 20)]
    guessed = _guess(digests, keys, [f"{n:04}" for n in range(10_000)], arena)
    arena.check(guessed is None, f"the PIN is {guessed}")


@slow_attack
async def guess_a_forgotten_pin_under_another_key(arena: Arena) -> None:
    """Guess under keys that are not the home's; with its own key, the same guesser must find it."""
    pin = "8352"
    async with arena.serve() as caller:
        memory = await caller.remember(_PIN.format(pin))
        await caller.forget(memory, include_source=True)
    digests = set(_digests_in(arena.home))
    key = (arena.home / "tombstone.key").read_bytes()
    guesses = [f"{n:04}" for n in range(10_000)]
    guessed = _guess(digests, [bytes(32), key[::-1]], guesses, arena)
    arena.check(guessed is None, "another key finds it")
    arena.check(_guess(digests, [key], guesses, arena) == pin, "the guesser itself guesses wrongly")


def _guess(digests: set[str], keys: list[bytes], guesses: list[str], arena: Arena) -> str | None:
    """Try all guesses under all keys, as tombstones are made; notes how many a second."""
    began, tried = time.perf_counter(), 0
    for key in keys:
        for guess in guesses:
            tried += 1
            form = _PIN.format(guess).casefold()
            message = json.dumps(["default", "words", form], ensure_ascii=False).encode()
            keyed = hmac.digest(key, message, "sha256").hex()
            plain = hashlib.sha256(form.encode()).hexdigest()
            if keyed in digests or plain in digests:
                return guess
    arena.note("guesses a second on one core", tried / (time.perf_counter() - began))
    return None


def _digests_in(folder: Path) -> Iterator[str]:
    with closing(sqlite3.connect(folder / DATABASE)) as connection:
        for (digest,) in connection.execute("SELECT digest FROM tombstone_digests"):
            text = digest.hex() if isinstance(digest, bytes) else str(digest)
            yield from (text, *re.findall("[0-9a-f]{64}", text), text[-64:])


def _keys_in(folder: Path) -> Iterator[bytes]:
    """Every blob of 32 bytes: any of them might be a key."""
    for _, data in read_everything(folder):
        if len(data) == 32:  # noqa: PLR2004  (of a key)
            yield data
