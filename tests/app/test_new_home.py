"""The very first session is told what there is to tell of a home that knows nothing."""

from pathlib import Path

import pytest
from bench.tokens import count_tokens

import memoria
from memoria import Memoria, Settings
from memoria.surface.mcp.instructions import briefing_writer, load_text

MOST_TOKENS = 60


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home folder, in which no program has left anything."""
    folder = tmp_path / "person"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    return folder


def leave(file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_text("{}")


async def brief(m: Memoria) -> str:
    """What the briefing has beside the guide."""
    told = (await m.compose(briefing_writer(m.settings))).text
    guide = load_text("session_start.md").strip()
    assert guide in told
    return told.partition(guide)[2].partition("</")[0]


async def test_a_new_home_tells_what_is_known_whose_past_could_come_in_and_who_reads(
    home: Path, person: Path
) -> None:
    leave(person / ".claude" / "projects" / "shop" / "a.jsonl")
    leave(person / ".codex" / "sessions" / "2026" / "b.jsonl")
    (person / ".gemini" / "tmp").mkdir(parents=True)
    chosen = Settings(home=home, embedder="off", workspace="/work/harbour-master-console")
    async with memoria.open(settings=chosen) as m:
        told = await brief(m)
        assert told.strip().splitlines() == [
            "- Nothing is on record yet, in project harbour-master-console or any other.",
            "- `memoria import --all` brings in the past of Claude Code, Codex.",
            "- No chat model reads it: keep what lasts with `remember`.",
        ]
        assert count_tokens(told) <= MOST_TOKENS
        await m.remember("Ann likes tea")
        assert "Nothing is on record" not in await brief(m)


async def test_a_new_home_offers_no_past_that_is_not_there_and_names_no_project_outside_of_any(
    home: Path,
    person: Path,  # noqa: ARG001  (it is empty)
) -> None:
    chosen = Settings(home=home, embedder="off", llm_command="true")
    async with memoria.open(settings=chosen) as m:
        assert (await brief(m)).strip().splitlines() == [
            "- Nothing is on record yet.",
            "- A chat model will read what is said.",
        ]


@pytest.mark.parametrize("name", ["q1z-" * 60, "我的项目" * 9])
async def test_a_project_of_a_long_name_is_not_named(home: Path, person: Path, name: str) -> None:
    for place in (".claude/projects", ".codex/sessions", ".gemini/tmp"):
        leave(person / place / "shop" / "a.jsonl")
    async with memoria.open(
        settings=Settings(home=home, embedder="off", workspace=f"/work/{name}")
    ) as m:
        told = await brief(m)
    assert "Nothing is on record yet, in this project or any other." in told
    assert "Gemini CLI" in told
    assert count_tokens(told) <= MOST_TOKENS
