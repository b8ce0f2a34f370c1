"""What an import says at its end, and where it was stopped."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.surface.shell import Shell

from memoria.store.sqlite.driver import sqlite3


def count_turns(home: Path) -> int:
    """How many turns are on disk; it waits for nobody who writes."""
    try:
        with closing(sqlite3.connect(f"file:{home / 'memoria.db'}?mode=ro", uri=True)) as database:
            return int(database.execute("SELECT count(*) FROM turns").fetchone()[0])
    except sqlite3.OperationalError:  # it is not there yet
        return 0


ASKED = ("Remember: my name is Anna Weber.", "记住，我叫林芳。")


def talk(folder: Path, *contents: str) -> Path:
    path = folder / f"{len(contents)}.jsonl"
    lines: list[dict[str, Any]] = [{"role": "user", "content": content} for content in contents]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def test_the_summary_counts_what_messages_asked_for_and_is_silent_where_none_did(
    shell: Shell, tmp_path: Path
) -> None:
    idle = shell("import", talk(tmp_path, "Could you look again?", "还行吧?"), COLUMNS="400")
    assert "asked for" not in idle.out
    assert "A chat model would still read" in idle.out
    assert (
        "every turn can be searched without; `memoria model` finds one that you have."
        in " ".join(idle.out.split())
    )
    plain = talk(tmp_path, *ASKED, "Could you look at that again?")
    first = shell("import", plain, COLUMNS="400")
    (made,) = [line for line in first.out.splitlines() if "asked for" in line]
    known = shell.json("stats")["memories"]
    assert f"{sum(known.values())} that messages asked for" in made
    again = shell("import", plain, COLUMNS="400")
    assert "asked for" not in again.out
    assert again.out.endswith('Next: memoria search "…"\n')


def test_an_import_that_is_stopped_says_what_came_in_and_that_it_can_go_on(
    shell: Shell, tmp_path: Path
) -> None:
    path = talk(tmp_path, *(f"Bed {n} grows leeks and 韭菜" for n in range(20_000)))
    command = [sys.executable, "-m", "memoria", "--home", str(shell.home), "import", str(path)]
    settings = {"PATH": os.environ["PATH"], "MEMORIA_EMBEDDER": "off", "COLUMNS": "80"}
    # What is started where interrupts are ignored, as in the background of a shell, ignores them.
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    with subprocess.Popen(  # noqa: S603  (our own program)
        command, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    ) as running:
        signal.signal(signal.SIGINT, former)
        while running.poll() is None:
            if count_turns(shell.home):  # the first batch, maybe before anybody is told of it
                break
        running.send_signal(signal.SIGINT)
        said, complaint = running.communicate(timeout=60)
    assert (running.returncode, said) == (130, "")
    (came_in,) = re.findall(r"Came in so far: turns: ([\d,]+) new\.", complaint)
    assert "The same command goes on where it stopped." in complaint
    turns = shell.json("stats")["turns"]
    assert 0 < int(came_in.replace(",", "")) == turns < 20_000


def test_what_has_no_vector_yet_is_counted_and_the_same_command_goes_on_with_it(
    shell: Shell, tmp_path: Path
) -> None:
    path = talk(tmp_path, *(f"Bed {n} grows leeks and 韭菜" for n in range(30)))
    modelled = replace(shell, environment={"MEMORIA_EMBEDDER": "bundled"})
    first = " ".join(modelled("import", path, "--no-wait").out.split())
    assert "30 texts have no vector yet" in first
    assert "without --no-wait" in first
    assert "no vector yet" not in modelled("import", path).out
    assert modelled.json("stats")["vectors"] == 30
    assert "no vector yet" not in shell("import", path, "--no-wait").out
