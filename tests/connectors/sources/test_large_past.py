"""A large past is found by its words as it comes in, and a bar tells what has no vector yet."""

import json
import threading
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import anyio
import numpy as np
import pytest
from rich.console import Console
from rich.progress import Progress

import memoria
from memoria import Memoria, Settings
from memoria.admin.importer import Importer, ImportReport
from memoria.app import project_of
from memoria.connectors.sources.detect import detect_files
from memoria.errors import InvalidInputError
from memoria.model import Vector
from memoria.surface.cli.importing import show_vectors

TURNS = 450
TIMEOUT_S = 30


class HeldEmbedder:
    """A real embedder of letter counts that makes no document's vector until it is let go."""

    name = "letters/26"

    def __init__(self) -> None:
        self.go = threading.Event()
        self.texts = 0

    def embed_query(self, text: str) -> Vector:
        counts = np.full(26, 0.1, np.float32)
        for char in text.lower():
            counts[ord(char) % 26] += 1
        return counts / np.float32(np.linalg.norm(counts))

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        assert self.go.wait(TIMEOUT_S)
        self.texts += len(texts)
        return [self.embed_query(text) for text in texts]


@pytest.fixture
def past(tmp_path: Path) -> Path:
    """A file of that many turns, each with a number of its own."""
    file = tmp_path / "past.jsonl"
    lines = [
        {"role": "user", "content": f"Bed {1000 + n} grows leeks and 韭菜"} for n in range(TURNS)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return file


def terminal() -> Progress:
    console = Console(file=StringIO(), force_terminal=True, width=100)
    return Progress(console=console, auto_refresh=False)


async def bring_in(memory: Memoria, file: Path) -> ImportReport:
    ((group,), _) = detect_files([file])
    by_path = lambda folder: project_of("", folder)  # noqa: E731
    run = Importer(memory, group.source, group.files, lambda _f, _d: None, by_path, "none")
    return await run.run()


async def read_bar(progress: Progress, left: int) -> None:
    """Wait until the bar says how much has no vector yet."""
    said = f"{left} without a vector yet, found by words"
    with anyio.fail_after(TIMEOUT_S):
        while not any(task.description.startswith(said) for task in progress.tasks):
            await anyio.sleep(0.01)


async def test_what_has_come_in_is_found_by_words_while_the_bar_says_that_it_has_no_vector(
    home: Path, past: Path
) -> None:
    embedder = HeldEmbedder()
    settings = Settings.load(home=home)
    async with memoria.open(settings=settings, embedder=embedder) as m:
        with terminal() as progress:
            async with show_vectors(m, progress):
                assert (await bring_in(m, past)).recorded == TURNS
                await read_bar(progress, TURNS)
                for number in (1000, 1000 + TURNS - 1):
                    found = await m.search_conversation_traces(f"What grows in bed {number}?")
                    assert str(number) in found.hits[0].text
                assert (await m.statistics()).vectors == embedder.texts == 0
                embedder.go.set()
                await m.wait_until_idle()
                await read_bar(progress, 0)
        (task,) = progress.tasks
        assert (task.completed, task.total) == (TURNS, TURNS)
        assert (await m.statistics()).vectors == embedder.texts == TURNS


async def test_what_ends_an_import_is_told_as_it_is_though_a_bar_is_shown(home: Path) -> None:
    async with memoria.open(settings=Settings.load(home=home, embedder="off")) as m:
        with terminal() as progress, pytest.raises(InvalidInputError, match="no such file"):
            async with show_vectors(m, progress):
                raise InvalidInputError("no such file")
