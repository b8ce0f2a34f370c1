"""`memoria show`, `history` and `graph`: from a memory back to the words, and on to its links."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from rich.cells import cell_len
from tests.ingest.play import add, answers, opened, reader
from tests.llm.scripted import ScriptedModel
from tests.surface.shell import Shell

import memoria
from memoria import Memoria, Settings
from memoria.app.engine import open_store
from memoria.errors import InvalidInputError, NotFoundError
from memoria.memories.links import link_contradictions
from memoria.model import COMMAND_LINE, Edge, EdgeType, Mention, Node, now_millis, parse_instant
from memoria.model.provenance import EntityRecord, MemoryRecord, Namesakes, TurnOrigin
from memoria.surface.cli.entities import render_entity, render_namesakes, unknown_name_text
from memoria.surface.cli.layout import entry_lines, wrap_text
from memoria.surface.cli.records import render_history, render_memory, render_review, render_turn
from memoria.surface.cli.times import moment
from memoria.surface.origins import write_graph_answer, write_history, write_memory_record

WIDTHS = (30, 44, 60, 80, 100)


@pytest.fixture
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as scripted:
        scripted.answer = reader(lambda n, who, said, _: reads(n, said) if who == "user" else [])
        yield scripted


def reads(turn: int, said: str) -> list[dict[str, object]]:
    """Where somebody lives, with the place as an entity and the time as it was said."""
    found = re.search(r"(Lin|小李)(?: moved to |搬到了)(\w+)", said)
    if found is None:
        return []
    who, where = found.groups()
    entities = [
        {"name": who, "kind": "person", "role": "agent"},
        {"name": where, "kind": "place", "role": "location"},
    ]
    content = f"{who} lives in {where}" if who == "Lin" else f"{who}住在{where}"
    when = "last Friday" if "last Friday" in said else None
    more = {"subject": who, "predicate": "home", "entities": entities, "event_time": when}
    return [add(found[0], turn, content, **more)]


async def say(m: Memoria, content: str, session: str, at: str) -> None:
    turn = {"role": "user", "content": content, "at": at, "message_id": f"m-{session}"}
    await m.record_conversation([turn], "session_end", session_id=session)
    await m.wait_until_idle(60)


async def moved(m: Memoria) -> str:
    """Lin moved to Berlin, said twice, and then to Lisbon. Gives the memory's id."""
    await say(m, "Lin moved to Berlin last Friday, imagine.", "first", "2026-03-04T09:14:00Z")
    await say(m, "As I said, Lin moved to Berlin.", "again", "2026-03-09T10:00:00Z")
    await say(m, "News: Lin moved to Lisbon.", "later", "2026-05-01T10:00:00Z")
    (hit,) = (await m.search_memory("Where does Lin live?")).hits
    return hit.id


def clock(at: str) -> str:
    """A moment on the clock of this machine."""
    return moment(parse_instant(at))


def test_a_dot_between_details_stays_with_the_first_of_them() -> None:
    for line in ("one two · three four · five", "一二三 · 四五六 · 七八"):
        for width in range(8, 40):
            lines = wrap_text(line, width)
            assert not any(one.lstrip().startswith("·") for one in lines)
            assert " ".join(lines).replace(" ", "") == line.replace(" ", "")
            assert max(map(cell_len, lines)) <= width


def fits(text: str, width: int) -> bool:
    return all(cell_len(line) <= width for line in text.split("\n"))


async def test_a_memory_shows_every_turn_it_rests_on_and_who_concluded_it(
    home: Path, model: ScriptedModel
) -> None:
    async with opened(home, model) as m:
        record = await m.provenance.get(await moved(m))
        assert isinstance(record, MemoryRecord)
        again = await m.provenance.get(record.evidence[1].turn_id)
    assert isinstance(again, TurnOrigin)
    assert [one.id for one in again.restated_memories] == [record.memory.id]
    assert "Evidence for\n  Lin lives in Lisbon" in render_turn(again, 80)
    assert [(w.version.content, w.said and w.said.session_id) for w in record.versions] == [
        ("Lin lives in Lisbon", "later"),
        ("Lin lives in Berlin", "first"),
    ]
    assert [(one.session_id, one.quote, one.version) for one in record.evidence] == [
        ("first", "Lin moved to Berlin", 1),
        ("again", "Lin moved to Berlin", None),
        ("later", "Lin moved to Lisbon", 2),
    ]
    text = render_memory(record, 80)
    assert "concluded by the model scripted (user said, trust reported)" in text
    assert f"user, {clock('2026-03-04T09:14:00Z')}, session first #0 (library)" in text
    began, ended = clock("2026-03-04T09:14:00Z"), clock("2026-05-01T10:00:00Z")
    assert f"held from {began} to {ended}" in text
    assert "Further evidence; it rests on 3 turns" in text
    assert re.search(r"location\s+Lisbon \(place\)", text)
    assert re.search(r"about, agent\s+Lin \(person\)", text)
    assert all(fits(render_memory(record, width), width) for width in WIDTHS)
    document = write_memory_record(record)
    wordings = [(one["version"], one["quote"], one["model"]) for one in document["wordings"]]
    assert wordings == [
        (2, "Lin moved to Lisbon", "scripted"),
        (1, "Lin moved to Berlin", "scripted"),
    ]
    keys = ("type", "direction", "role")
    links = {(*map(one.get, keys), one["other"]["text"]) for one in document["links"]}
    assert links >= {("ROLE", "out", "location", "Lisbon"), ("ABOUT", "out", None, "Lin")}


async def test_the_life_of_a_memory_is_told_from_the_first_word_to_the_last_deed(
    home: Path, model: ScriptedModel
) -> None:
    async with opened(home, model) as m:
        memory_id = await moved(m)
        await m.revise_memory(memory_id, "confirm")
        await m.with_channel(COMMAND_LINE).revise_memory(memory_id, "confirm")
        await m.revise_memory(memory_id, "upvote")
        await m.revise_memory(memory_id, "archive")
        text = render_history(await m.provenance.history(memory_id), 80)
        narrow = render_history(await m.provenance.history(memory_id), 30)
        events = write_history(await m.provenance.history(memory_id))["events"]
    assert [(one["event"], one.get("action"), one.get("channel")) for one in events] == [
        ("wording", None, None),
        ("evidence", None, None),
        ("wording", None, None),
        ("action", "confirm", "library"),
        ("action", "confirm", "cli"),
        ("action", "upvote", "library"),
        ("action", "archive", "library"),
    ]
    told = [
        "v1  Lin lives in Berlin",
        "further evidence",
        "v2  Lin lives in Lisbon",
        f"held from {clock('2026-05-01T10:00:00Z')}",
        "confirmed by a program, whose word does not verify it",
        "confirmed on the command line",
        "voted up by a program",
        "archived by a program",
        "now                      fact, archived, verified by the user",
    ]
    places = [text.index(one) for one in told]
    assert places == sorted(places)
    assert text.count(f"{clock('2026-03-09T10:00:00Z')}, session again #0") == 1
    assert fits(text, 80)
    assert fits(narrow, 30)


async def test_what_stands_against_a_memory_is_shown_from_either_side(
    home: Path, model: ScriptedModel
) -> None:
    async with opened(home, model) as m:
        ids = [(await m.remember(f"Lin likes {taste}")).id for taste in ("tea", "coffee")]
        proposed = {"op": "LINK", "src": ids[0], "type": "CONTRADICTS", "dst": ids[1]}
        model.answer = lambda _: {"operations": [proposed]}
        await say(m, "So what is it that Lin likes, tea or coffee?", "asked", "2026-03-04")
        for own, other in (ids, reversed(ids)):
            record = await m.provenance.get(own)
            assert isinstance(record, MemoryRecord)
            (bond,) = (one for one in record.edges if one.edge.type == "CONTRADICTS")
            assert (bond.edge.type, bond.other.id) == ("CONTRADICTS", other)
            assert re.search(r"contradicts\s+Lin likes \w+ \(active\)", render_memory(record, 80))


def test_a_turn_shows_the_memories_drawn_from_it(shell: Shell, tmp_path: Path) -> None:
    chat = tmp_path / "chat.jsonl"
    chat.write_text(
        '{"role": "user", "content": "记住：我对花生过敏。", "session_id": "s"}\n', "utf-8"
    )
    shell.json("import", chat)
    (hit,) = shell.json("traces", "花生")["hits"]
    shown = shell.json("show", hit["id"])
    assert [(one["text"], one["validity"]) for one in shown["memories"]] == [
        ("我对花生过敏", "active")
    ]
    memory_id = shown["memories"][0]["id"]

    memory = shell.json("show", memory_id)
    assert [one["turn_id"] for one in memory["evidence"]] == [hit["id"]]
    assert (memory["subject"], memory["wordings"][0]["inferred_by"]) == ("user", "rules")


def test_the_history_of_what_is_unknown_or_was_forgotten_says_so(shell: Shell) -> None:
    unknown = shell("show", "nope", "--history")
    assert (unknown.code, unknown.out) == (1, "")
    assert "memoria search --include-history" in unknown.err
    memory_id = shell.json("remember", "Lin likes tea")["id"]
    shell.json("forget", memory_id, "--yes")
    output = shell("show", "--history", memory_id)
    assert output.code == 1
    assert "was forgotten on" in output.err


async def test_a_turn_has_no_history_and_a_memory_no_surroundings(home: Path) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off")) as m:
        said = await m.record_conversation([{"role": "user", "content": "我对花生过敏。"}])
        turn_id = said.turns[0].id
        assert turn_id is not None
        with pytest.raises(InvalidInputError, match="is a turn"):
            await m.provenance.history(turn_id)
        with pytest.raises(InvalidInputError, match="memoria show"):
            await m.graph.around(turn_id)
        with pytest.raises(NotFoundError):
            await m.provenance.get("nobody")


async def test_a_turn_is_printed_with_its_call_its_neighbours_and_its_memories(home: Path) -> None:
    call: dict[str, object] = {
        "role": "tool",
        "tool_name": "bash",
        "tool_args": {"c": "ls"},
        "tool_result": "a\nb",
    }
    async with memoria.open(settings=Settings(home=home, embedder="off")) as m:
        asked = {"role": "user", "content": "记住：我对花生过敏。"}
        turns: list[dict[str, object]] = [{**asked}, call]
        first, second = (await m.record_conversation(turns, session_id="s")).turns
        assert first.id is not None
        assert second.id is not None
        origins = [await m.provenance.get(turn_id) for turn_id in (first.id, second.id)]
    said, called = origins
    assert isinstance(said, TurnOrigin)
    assert isinstance(called, TurnOrigin)
    text = render_turn(said, 80)
    assert text.index("After") < text.index("Memories from it") < text.index("  我对花生过敏\n")
    assert f"memory {said.memories[0].id[-8:]}" in text
    assert 'bash({"c": "ls"})\n    a\n    b' in render_turn(called, 80)
    assert all(fits(render_turn(one, width), width) for one in (said, called) for width in WIDTHS)


async def test_what_is_known_of_a_name_is_found_by_any_spelling_and_by_id(
    home: Path, model: ScriptedModel
) -> None:
    async with opened(home, model) as m:
        memory_id = await moved(m)
        found = [await m.graph.around(name, hops=2) for name in ("Lin", " lin ", "“LIN”")]
        assert isinstance(found[0], EntityRecord)
        assert found == [await m.graph.around(found[0].entity.id, hops=2)] * 3
        near = await m.graph.around("Lim")
    (telling,) = found[0].entity_memories
    assert telling.memory.id == memory_id
    assert {bond.edge.type.value for bond in telling.edges} == {"ABOUT", "ROLE", "MENTIONS"}
    assert "Lisbon" in {bond.other.text for bond in telling.further_edges}
    assert "is about it, as agent (by a model)" in render_entity(found[0], 80)
    assert all(fits(render_entity(found[0], width), width) for width in WIDTHS)
    assert isinstance(near, Namesakes)
    assert [one.name for one in near.near] == ["Lin"]
    assert "Names like it: Lin." in unknown_name_text(near)


async def test_what_only_an_archived_memory_says_is_still_known_of_a_name(
    home: Path, model: ScriptedModel
) -> None:
    async with opened(home, model) as m:
        await say(m, "小李搬到了杭州，终于。", "s", "2026-03-04")
        (hit,) = (await m.search_memory("小李 杭州")).hits
        await m.revise_memory(hit.id, "archive")
        found = await m.graph.around("小李")
        assert isinstance(found, EntityRecord)
    assert [one.memory.validity for one in found.entity_memories] == ["archived"]
    assert "小李住在杭州" in render_entity(found, 80)


async def test_of_several_namesakes_all_are_listed_with_how_to_choose(
    home: Path, model: ScriptedModel
) -> None:
    async with opened(home, model) as m:
        await say(m, "Lin moved to Lisbon.", "s", "2026-03-04")
        await m.remember("Lin is a brand of tea")
        with m._store.write(m.tenant) as tx:  # noqa: SLF001  (the name of another kind of thing)
            (tea,) = [x for x in tx.memories.list_unverified(9) if "tea" in x.content]
            brand = tx.graph.upsert_entity(tea.id, Mention(name="Lin", kind="product"))
            about = Edge(
                src=Node("memory", tea.id),
                type=EdgeType.ABOUT,
                dst=brand,
                weight=0.5,
                confidence=0.5,
                made_at=1,
            )
            tx.graph.upsert_edges([about])
        found = await m.graph.around("Lin")
        assert isinstance(found, Namesakes)
        kinds = {one.kind: one.id for one in found.entities}
        assert kinds.keys() == {"person", "product"}
        chosen = await m.graph.around(kinds["product"][-8:])
        assert isinstance(chosen, EntityRecord)
    text = render_namesakes(found, 80)
    assert text.startswith("2 go by “Lin”. Choose one by its id: memoria show ID")
    assert all(f"entity {one[-8:]}\n" in f"{text}\n" for one in kinds.values())
    assert not any(one in text for one in kinds.values())
    assert [one.memory.id for one in chosen.entity_memories] == [tea.id]


@pytest.mark.parametrize(("name", "which"), [("Anna", "sister"), ("小李", "同事")])
async def test_two_people_of_one_name_are_listed_with_what_tells_them_apart(
    home: Path, model: ScriptedModel, name: str, which: str
) -> None:
    said = f"{name} A, {name} B"
    mention = {"name": name, "kind": "person"}
    subjects = [f"{name} ({which})", f"{name}（{which * 2}）"]
    model.answer = lambda _: {
        "operations": [
            add(f"{name} {letter}", 1, f"{name} {letter} is here", subject=one, entities=[mention])
            for letter, one in zip("AB", subjects, strict=True)
        ]
    }
    async with opened(home, model) as m:
        await say(m, said, "s", "2026-03-04")
        found = await m.graph.around(name)
    assert isinstance(found, Namesakes)
    namesakes = write_graph_answer(found)["namesakes"]
    assert [one["distinct"] for one in namesakes] == [which, which * 2]
    text = render_namesakes(found, 80)
    assert f"{name} ({which})" in text
    assert f"{name} ({which * 2})" in text


async def test_what_a_message_asked_for_says_in_its_history_who_asked_and_who_put_it_aside(
    home: Path,
) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off")) as m:
        turn = {"role": "user", "content": "Remember that I prefer tea.", "message_id": "m"}
        await m.record_conversation([turn], session_id="s")
        (kept,) = await m.list_unverified()
        told = render_history(await m.provenance.history(kept.id), 200)
        await m.record_conversation([{**turn, "content": "Never mind"}], session_id="s")
        after = render_history(await m.provenance.history(kept.id), 200)
    assert "asked for in the conversation" in told
    assert "superseded by rules: the message was edited" in after


def test_a_name_that_nothing_goes_by_is_an_error_that_says_what_to_do(shell: Shell) -> None:
    output = shell("show", "Zorro")
    assert (output.code, output.out) == (1, "")
    assert (
        "No memory, turn or session is called Zorro, and none is linked with that name."
        in output.err
    )
    assert "memoria search" in output.err


@pytest.mark.parametrize(
    ("name", "said", "other"),
    [
        ("Ferreira", "the landlady, mrs ferreira, only accepts letters", "Ferreiras are ships"),
        ("美团", "我把公司改成了美团", "我住在成都"),
    ],
)
def test_a_name_that_nothing_goes_by_shows_what_holds_it_as_a_word(
    shell: Shell, name: str, said: str, other: str
) -> None:
    kept = shell.json("remember", said)["id"]
    shell.json("remember", other)
    assert [one["id"] for one in shell.json("show", name)["hits"]] == [kept]
    output = shell("show", name)
    assert f"Nothing is linked with the name {name}." in output.out
    assert said in output.out
    assert "Nothing fits" not in output.out
    assert shell("show", "x" * 5_000).code == 1


async def test_another_workspaces_memories_are_not_known_of_a_name(home: Path) -> None:
    for place in ("alpha", "beta"):
        settings = Settings(home=home, embedder="off", workspace=place)
        async with memoria.open(settings=settings) as m:
            said = f"Remember that Lin Wei works at Acme in {place}."
            await m.record_conversation([{"role": "user", "content": said}], session_id=place)
            found = await m.graph.around("Lin Wei")
            assert isinstance(found, EntityRecord)
            assert [one.memory.workspace for one in found.entity_memories] == [place]


def test_lines_break_between_chinese_characters_and_never_before_punctuation() -> None:
    assert wrap_text("我对花生过敏，请记住。", 12) == ["我对花生过", "敏，请记住。"]
    assert wrap_text("用 SQLite 存储", 8) == ["用", "SQLite", "存储"]
    assert wrap_text("a  b\n\nc", 40, 2) == ["  a  b", "  ", "  c"]
    assert wrap_text("x" * 25, 12) == ["x" * 12, "x" * 12, "x"]


def test_columns_stand_under_each_other_in_either_script() -> None:
    for label in ("地点", "at"):
        first, second = entry_lines(label, ["杭州", "Lisbon"], 80)
        assert cell_len(first[: first.index("杭")]) == 14
        assert second == " " * 14 + "Lisbon"


def test_what_is_printed_fits_the_terminal_and_is_whole_where_there_is_none(shell: Shell) -> None:
    content = "林岚对花生过敏，所以她从来不吃任何含有坚果的甜点，也不去那家餐厅。 And more words."
    memory_id = shell.json("remember", content)["id"]
    assert content in shell("show", memory_id).out
    assert fits(shell("show", "--history", memory_id, COLUMNS="50").out, 50)


async def test_what_waits_for_the_users_word_is_listed_with_why_and_against_what(
    home: Path, model: ScriptedModel
) -> None:
    async with opened(home, model) as m:
        kept = await m.with_channel(COMMAND_LINE).remember("Lin lives in Bath")
        await m.with_channel(COMMAND_LINE).revise_memory(kept.id, "pin")
        update = {"op": "UPDATE", "id": kept.id, "content": "Lin lives in Leeds", "turn": 1}
        said = {"quote": "Lin is in Leeds", "reason": "correction"}
        model.answer = lambda _: {"operations": [{**update, **said}]}
        turn = {"role": "assistant", "content": "I gather that Lin is in Leeds these days, no?"}
        await m.record_conversation([turn], "session_end", session_id="s")
        await m.wait_until_idle(60)
        (record,) = await m.provenance.list_pending()
        told = render_review([record], [], [], 80)
        await m.with_channel(COMMAND_LINE).revise_memory(record.memory.id, "archive")
        assert await m.provenance.list_pending() == []
    assert "Lin lives in Leeds" in told
    assert re.search(r"reason\s+it contradicts another memory", told)
    assert re.search(r"contradicts\s+Lin lives in Bath", told)
    assert "“Lin is in Leeds”" in told
    assert render_review([], [], [], 80) == "No memory waits for your confirmation."


def test_review_is_quiet_where_nothing_waits(shell: Shell) -> None:
    assert shell("review").out.strip() == "No memory waits for your confirmation."
    assert shell.json("review") == {"pending": [], "contradicted": []}


def test_what_cannot_both_be_true_is_listed_for_review_until_one_is_archived(shell: Shell) -> None:
    said = ("The user takes aspirin and metformin", "The user stopped taking aspirin")
    taken, stopped = (shell.json("remember", text)["id"] for text in said)
    settings = Settings(home=shell.home)
    with closing(open_store(settings)) as store, store.write(settings.tenant) as tx:
        newer = tx.memories.get(stopped)  # as a night does, of which a model has said so
        assert newer is not None
        link_contradictions(tx, newer, [taken], now=now_millis())
    shown = shell("review").out
    assert "The user takes aspirin and metformin" in shown
    assert "The user stopped taking aspirin" in shown
    (pair,) = shell.json("review")["contradicted"]
    assert len(pair["contradicts"]) == 1
    shell("revise", stopped, "archive")
    assert shell.json("review")["contradicted"] == []


async def test_an_episode_shows_what_it_sums_up_and_each_turn_in_what_it_is_summed_up(
    home: Path, model: ScriptedModel
) -> None:
    summary = {"summary": "A move was planned.", "quotes": [{"turn": 1, "quote": "the move"}]}
    model.answer = answers(episode=lambda _: summary)
    turns = [
        {"role": role, "content": f"{i}: about the move, in some words."}
        for i, role in enumerate(("user", "assistant") * 2)
    ]
    async with opened(home, model) as m:
        receipt = await m.record_conversation(turns, "session_end", session_id="s")
        await m.wait_until_idle(60)
        origin = await m.provenance.get(receipt.turns[3].id or "")
        assert isinstance(origin, TurnOrigin)
        (episode,) = origin.episodes
        record = await m.provenance.get(episode.id)
    assert isinstance(record, MemoryRecord)
    assert re.search(r"Episodes of it\s+A move was planned\.", render_turn(origin, 80))
    assert re.search(r"covers\s+session s #0 to #3 \(library\)", render_memory(record, 80))
    assert record.turn_range is not None
    assert write_memory_record(record)["turn_range"] == record.turn_range.to_json()


WISH = "From now on, always answer me in English."


@pytest.fixture
async def turn_id(shell: Shell) -> str:
    async with memoria.open(settings=Settings(home=shell.home, embedder="off")) as m:
        turn = {"role": "user", "content": WISH, "session_id": "s"}
        receipt = await m.record_conversation([turn])
        return str(receipt.turns[0].id)[-8:]


async def test_a_quote_is_listed_for_review_and_becomes_a_memory_with_one_option(
    shell: Shell, turn_id: str
) -> None:
    assert f'[turn {turn_id}]: "{WISH}"' in shell("review").out
    assert f'[turn {turn_id}]: "{WISH}"' in shell("list").out
    assert WISH in shell.json("list")["quotes"][0]
    assert WISH not in shell("list", "--type", "rule").out
    assert WISH not in shell("review", "--keep", turn_id).out
    assert WISH in shell("list", "--type", "rule").out


async def test_a_quote_that_is_set_aside_is_listed_no_more(shell: Shell, turn_id: str) -> None:
    assert WISH not in shell("review", "--aside", turn_id).out
    assert WISH not in shell("list").out
    assert WISH not in shell("review").out
