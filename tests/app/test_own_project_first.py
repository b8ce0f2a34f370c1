"""Where all projects are asked, what is of the project at hand comes first."""

from pathlib import Path

import memoria
from memoria import Settings


async def test_a_list_and_a_day_begin_with_the_project_at_hand(tmp_path: Path) -> None:
    settings = Settings.from_values(
        home=tmp_path, embedder="off", workspace="boat", time_zone="UTC"
    )
    async with memoria.open(settings=settings) as m:
        for n, place in enumerate(("boat", "train", "none")):
            words = f"Build {n} runs on Sundays"
            await m.remember(
                words, scope="project", valid_from=f"2026-03-0{n + 1}", workspace=place
            )
            turn = {"role": "user", "content": f"We mend part {n}.", "at": f"2026-03-09T1{n}:00Z"}
            await m.record_conversation([turn], session_id=f"s{n}", workspace=place)
        listed = await m.list_memories(workspace="*")
        own = [one.content for one in listed.memories]
        assert own == [f"Build {n} runs on Sundays" for n in (2, 0, 1)]
        sessions = await m.list_sessions(workspace="*")
        assert [one.session_id for one in sessions.sessions] == ["s2", "s0", "s1"]
        found = await m.search_conversation_traces("What did we do on 2026-03-09?", workspace="*")
        assert [hit.source.session_id for hit in found.hits] == ["s0", "s2", "s1"]
