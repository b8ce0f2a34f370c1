"""`memoria context`: what an agent is told, shown to the user."""

from pathlib import Path

import pytest
from tests.surface.shell import Shell

from memoria.bare.kept import BRIEFING, read_kept
from memoria.config import Settings
from memoria.surface.mcp.instructions import instructions_for, keep_once_closed

RULE = "Never deploy on a Friday"


def test_without_words_context_shows_what_a_client_and_a_hook_tell_an_agent_of_the_project(
    shell: Shell, home: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORIA_EMBEDDER", "off")
    for project, statement in (("/work/here", RULE), ("/work/there", "Deploy at night only")):
        in_project = ("--workspace", project, "remember", statement, "--type", "rule")
        assert shell(*in_project, "--scope", "project").code == 0
    told = shell("--workspace", "/work/here", "context", "--json").document
    chosen = Settings.load(home=str(home), workspace="/work/here")
    keep_once_closed(chosen)
    assert told["instructions"] == instructions_for(chosen)
    if engine == "sqlite":  # nobody keeps what a database says, which others may change
        assert told["briefing"] == read_kept(str(home), "default", "/work/here", BRIEFING)
    assert RULE in told["instructions"]
    assert RULE in told["briefing"]
    assert "at night" not in f"{told}"
    shown = shell("--workspace", "/work/here", "context").out
    assert shown.index("# Instructions") < shown.index("# Briefing") < shown.rindex(RULE)


@pytest.mark.parametrize(
    "option", [("--task", "x"), ("--max-tokens", "300"), ("--session-id", "s1")]
)
def test_an_option_for_a_prompt_is_refused_where_no_prompt_is_given(
    shell: Shell, option: tuple[str, str]
) -> None:
    refused = shell("context", *option)
    assert refused.code == 2
    assert "prompt" in refused.err
