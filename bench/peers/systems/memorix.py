"""memorix: an observation a turn; a search gives an index, a second call what stands behind it.

Without a topic of its own a turn is dropped as a duplicate of any other that shares its words.
"""

import re
import subprocess
from pathlib import Path

from bench.peers.client import Connection, Launch
from bench.peers.envs import Npm
from bench.peers.notes import Note
from bench.peers.systems.system import HITS, System
from bench.peers.systems.words import key_words

_ROW = re.compile(r"^\| obs:(\d+) ", re.MULTILINE)


def _launch(environment: Path, folder: Path) -> Launch:
    # It keeps what it knows by git repository and serves none without one.
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)  # noqa: S603, S607  (our folder)
    return Launch((str(environment / "node_modules" / ".bin" / "memorix"), "serve"), folder)


async def _store(connection: Connection, note: Note) -> bool:
    answer = await connection.call(
        "memorix_store",
        entityName=note.turn.session_id,
        topicKey=note.marker,
        type="discovery",
        title=f"{note.who}, {note.when}",
        narrative=note.text,
    )
    return kept(answer)


def kept(answer: str) -> bool:
    """Whether a turn was stored as one of its own: it discards what it takes for a duplicate."""
    return "Stored observation" in answer


def listed(index: str) -> list[int]:
    """The observations a search lists, best first."""
    return [int(number) for number in _ROW.findall(index)]


async def _ask(connection: Connection, question: str, _: int) -> str:
    found = listed(await connection.call("memorix_search", query=question, limit=HITS))
    return await connection.call("memorix_detail", ids=found) if found else ""


async def _ask_key_words(connection: Connection, question: str, budget: int) -> str:
    return await _ask(connection, " ".join(key_words(question)), budget)


SYSTEM = System(
    name="memorix",
    package=Npm("memorix@1.0.7"),
    embeds="no",
    launch=_launch,
    store=_store,
    ways={"default": _ask, "key words": _ask_key_words},
)
