"""Makes a home in which rules have concluded memories: run with the code of schema 20.

python tests/homes/rules.py FOLDER    # leaves rules.zip and rules.json in FOLDER
"""

import json
import sqlite3
import sys
import tempfile
import zipfile
from contextlib import closing
from pathlib import Path

import anyio

import memoria
from memoria import Settings
from memoria.model import COMMAND_LINE, Revision

SAID = {
    "plain": "I'm allergic to walnuts.",
    "zh": "以后都用中文回答我。",
    "wish": "Never push to main without asking me.",
    "pinned": "I prefer tea over coffee.",
    "confirmed": "I live in Leeds.",
    "voted": "I love chess.",
    "edited": "I work at Siemens.",
    "asked": "Remember that I keep bees.",
}
DONE: dict[str, Revision] = {"pinned": "pin", "voted": "upvote"}


async def live(home: Path) -> dict[str, list[str]]:
    """Say everything, and touch some of what rules made of it."""
    made: dict[str, str] = {}
    async with memoria.open(settings=Settings(home=home, embedder="off")) as m:
        for name, words in SAID.items():
            turn = {"role": "user", "content": words, "session_id": name}
            await m.record_conversation([turn], "session_end")
            (memory,) = [
                one
                for one in (await m.list_memories(limit=100)).memories
                if one.id not in made.values()
            ]
            made[name] = memory.id
        for name, action in DONE.items():
            await m.revise_memory(made[name], action)
        person = m.with_channel(COMMAND_LINE)
        await person.revise_memory(made["confirmed"], "confirm")
        await person.revise_memory(made["edited"], "correct", "The user works at Bosch.")
        return {name: [i, (await m.get_memory(i)).content] for name, i in made.items()}


def main(folder: Path) -> None:
    """Leave the packed home and what is in it."""
    with tempfile.TemporaryDirectory() as made:
        home = Path(made) / "home"
        (folder / "rules.json").write_text(json.dumps(anyio.run(live, home), indent=1), "utf-8")
        with closing(sqlite3.connect(home / "memoria.db")) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with zipfile.ZipFile(folder / "rules.zip", "w", zipfile.ZIP_DEFLATED) as packed:
            for file in sorted(home.rglob("*")):
                if file.is_file():
                    packed.write(file, file.relative_to(home))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
