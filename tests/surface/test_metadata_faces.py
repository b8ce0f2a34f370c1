"""A caller's fields and episodes of its own at the command line and over MCP."""

from tests.surface.agent import Agent
from tests.surface.shell import Shell

FIELDS = {"ticket": "T-12", "count": 3, "tags": ["a", "b"]}


def test_a_person_gives_metadata_filters_by_it_and_is_shown_it(shell: Shell) -> None:
    given = [f"--metadata={one}" for one in ("ticket=T-12", "count=3", 'tags=["a","b"]')]
    kept = shell("remember", "The harbour opens at nine", *given, "--json").document
    shell("remember", "The harbour closes at six", "--metadata", "ticket=T-1")
    listed = shell("list", "--metadata", "tags=a", "--json").document["memories"]
    found = shell("search", "harbour", "--metadata", "count=3", "--json").document["hits"]
    shown = [(one["id"], one["metadata"]) for one in (*listed, *found)]
    assert shown == [(kept["id"], FIELDS)] * 2
    told = " ".join(shell("show", kept["id"]).out.split())
    assert "metadata count=3, tags=a · b, ticket=T-12" in told
    refused = shell("list", "--metadata", "ticket")
    assert (refused.code, "as key=value" in refused.err) == (1, True)


async def test_an_agent_gives_metadata_and_an_episode_among_several_memories(agent: Agent) -> None:
    turns = [{"role": "user", "content": "The harbour closes at six."}]
    receipt = await agent.call("record_conversation", turns=turns, session_id="s")
    episode = {"content": "The harbour's hours were told.", "covers": receipt["turn_ids"]}
    done = await agent.call("remember", memories=[{**episode, "metadata": FIELDS}])
    shown, text = await agent.both("get_memory", id=done["kept"][0]["id"])
    assert shown["type"] == "episode"
    assert shown["metadata"].items() >= FIELDS.items()
    assert "ticket=T-12" in text
