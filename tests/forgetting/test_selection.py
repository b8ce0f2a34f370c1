"""What is to be forgotten is selected by what is known of it, and nothing else goes."""

from pathlib import Path

import pytest
from tests.databases import write_text
from tests.forgetting.checker import rows_without_sources
from tests.forgetting.remains import remaining, remains
from tests.store.insides import tracing

import memoria
from memoria.app import Memoria
from memoria.config import Settings
from memoria.errors import ForgottenError, InvalidInputError
from memoria.model import DAY_MS, MemoryType, use_clock
from memoria.model.forgetting import ForgetSelection
from memoria.surface.forgetting_text import preview_text

NOON = 1_795_176_000_000
"""2026-11-20T12:00Z."""
LATE = "2026-11-21T00:00:00Z"
WORDS = ("quokka", "wombat", "numbat", "dingo", "bilby", "emu")


async def settle(m: Memoria) -> dict[str, str]:
    """Two sessions in two projects on two days, by two speakers; gives ids by word."""

    async def say(text: str, session: str, project: str, speaker: str | None) -> str:
        turn: dict[str, object] = {
            "role": "user",
            "content": text,
            "session_id": session,
            "speaker": speaker,
        }
        turn["metadata"] = {"tags": ["Old Mill"]} if "wombat" in text else None
        given = {name: value for name, value in turn.items() if value is not None}
        receipt = await m.record_conversation([given], workspace=project)
        return str(receipt.turns[0].id)

    ids: dict[str, str] = {}
    with use_clock(lambda: NOON):
        ids["quokka turn"] = await say("Anna's locker says quokka, they told me", "s", "red", "Ann")
        kept = await m.remember(
            "Anna's locker says quokka", turn_id=ids["quokka turn"], workspace="red"
        )
        ids["quokka"] = kept.id
        kept = await m.remember(
            "likes numbat stickers", type="preference", metadata={"shelf": "the Lower Hall"}
        )
        ids["numbat"] = kept.id
    with use_clock(lambda: NOON + DAY_MS):
        ids["wombat turn"] = await say("The printer door says wombat, I heard", "t", "blue", "Bob")
        kept = await m.remember(
            "The printer door says wombat", turn_id=ids["wombat turn"], workspace="blue"
        )
        ids["wombat"] = kept.id
        ids["dingo"] = (
            await m.remember("安娜的柜子上写着 dingo", workspace="blue", subject="Anna")
        ).id
    return ids


CASES: list[tuple[ForgetSelection, set[str]]] = [
    (ForgetSelection(topic="Anna"), {"quokka", "quokka turn", "dingo"}),
    (ForgetSelection(topic="柜子"), {"dingo"}),
    (ForgetSelection(topic="printer door"), {"wombat", "wombat turn"}),
    (ForgetSelection(topic="lower hall"), {"numbat"}),
    (ForgetSelection(query="numbat stickers"), {"numbat"}),
    (ForgetSelection(types=(MemoryType.PREFERENCE,)), {"numbat"}),
    (ForgetSelection(session_id="s"), {"quokka", "quokka turn"}),
    (ForgetSelection(speaker="Bob"), {"wombat", "wombat turn"}),
    (ForgetSelection(since=LATE), {"wombat", "wombat turn", "dingo"}),
    (ForgetSelection(until=LATE), {"quokka", "quokka turn", "numbat"}),
    (ForgetSelection(workspace="blue"), {"wombat", "wombat turn", "dingo"}),
    (ForgetSelection(workspace="blue", topic="Anna"), {"dingo"}),
    (ForgetSelection(speaker="Ann", since=LATE), set()),
    (ForgetSelection(workspace="nowhere"), set()),
]


@pytest.mark.parametrize(
    ("selection", "meant"), CASES, ids=[" ".join(one.narrowing) for one, _ in CASES]
)
async def test_what_is_selected_is_shown_and_goes_with_its_turns_and_nothing_else(
    memory: Memoria, home: Path, selection: ForgetSelection, meant: set[str]
) -> None:
    ids = await settle(memory)
    wanted = selection.model_copy(update={"include_source": True})
    preview = await memory.preview_forget(wanted)
    assert {item.id for item in preview.items} == {ids[name] for name in meant}
    forgotten = await memory.forget_memory(wanted.with_token(preview.token))
    words = {name.split()[0] for name in meant}
    assert remaining(home, WORDS) == {name.split()[0] for name in ids} - words
    assert (forgotten.report is None) == (not meant)
    if forgotten.report is not None:
        assert forgotten.report.selected_by == selection.narrowing
        assert forgotten.report.remaining == {}
    assert rows_without_sources(home) == []


async def test_a_topic_is_found_in_the_metadata_of_turns(memory: Memoria) -> None:
    ids = await settle(memory)
    preview = await memory.preview_forget(topic="old mill", include_source=True)
    assert [item.id for item in preview.items] == [ids["wombat turn"]]


async def test_everything_goes_from_every_table_and_file_and_no_other_tenant_loses_a_word(
    home: Path, engine: str
) -> None:
    ann, bob = (
        Settings.from_values(home=home, embedder="off", tenant=name) for name in ("default", "bob")
    )
    async with memoria.open(settings=ann) as anns, memoria.open(settings=bob) as bobs:
        await settle(anns)
        write_text(ann, "USER.md", "- a line of my own: bilby\n")
        await anns.update_scratchpad(current_focus="look for the emu")
        other = await bobs.remember("Bob's own is quokka")
        preview = await anns.preview_forget(everything=True)
        assert preview.counts == {"memory": 4, "turn": 2, "note": 1, "file": 1}
        await anns.remember("one more wombat")
        with pytest.raises(memoria.errors.PreviewChangedError) as changed:
            await anns.forget_memory(everything=True, token=preview.token)
        token = changed.value.preview.token
        forgotten = await anns.forget_memory(everything=True, token=token)
        assert forgotten.scrubbed is (engine == "sqlite")  # a server's files are for a night
        report = forgotten.report
        assert report is not None
        assert report.remaining == {}
        assert report.removed["memories"] == 5
        assert len(report.digests) == 7
        assert not remaining(home, [word for word in WORDS if word != "quokka"])
        assert "quokka" in (await bobs.get_memory(other.id)).content
        assert (await anns.statistics()).memories == {}
        assert (await anns.search_memory("wombat")).hits == ()
        with pytest.raises(ForgottenError):
            await anns.remember("the printer door says WOMBAT!")
        assert [one.id for one in await anns.list_forget_reports()] == [report.id]
        assert (await anns.get_forget_report(report.id)).digests == report.digests
        fresh = await anns.remember("a new beginning", workspace="red")
        assert (await anns.get_memory(fresh.id)).workspace == "red"
    assert rows_without_sources(home) == []


async def test_to_forget_everything_takes_no_more_statements_for_more_rows(home: Path) -> None:
    """But for a few a page of five hundred turns, whose texts are read."""
    taken = []
    for tenant, rows in (("few", 3), ("many", 60)):
        settings = Settings.from_values(home=home, embedder="off", tenant=tenant)
        async with memoria.open(settings=settings) as m:
            for n in range(rows):
                await m.remember(f"Row {n} of the {tenant} says hello")
            await m.record_conversation(
                [
                    {"role": "user", "content": f"{tenant} turn {n}", "session_id": "s"}
                    for n in range(rows)
                ]
            )
            with tracing(m._store) as statements:  # noqa: SLF001
                await m.forget_memory(everything=True)
            # Triggers and rows that are inserted by one statement are traced row by row.
            plain = {one for one in statements if not one.lstrip().startswith(("--", "INSERT"))}
            taken.append(len(plain))
    assert taken[0] == taken[1]


async def test_a_proof_is_of_the_home_s_key_and_says_no_word(memory: Memoria, home: Path) -> None:
    first = await memory.remember("The safe opens with 4711")
    forgotten = await memory.forget_memory([first.id])
    again = await memory.remember("The safe opens with 4711", again=True)
    repeated = await memory.forget_memory([again.id])
    assert forgotten.report is not None
    assert repeated.report is not None
    assert forgotten.report.digests != repeated.report.digests
    assert remains(home, "4711") == set()
    with pytest.raises(InvalidInputError, match="everything"):
        await memory.preview_forget([first.id], everything=True)


ENGLISH = (
    "Anna's birthday is 12 March",
    "Never touch the legacy folder",
    "Amounts are stored as integer cents",
    "I drink my coffee black",
)
CHINESE = ("小雨的生日是 3 月 12 号", "不要动 legacy 目录", "接口都用 camelCase", "我喝美式咖啡")
ANSWERED = [
    (ENGLISH, "birthday", {ENGLISH[0]}),
    (ENGLISH, "the legacy folder", {ENGLISH[1]}),
    (ENGLISH, "kubernetes", set()),
    (ENGLISH, "blood type", set()),
    (CHINESE, "生日", {CHINESE[0]}),
    (CHINESE, "legacy 目录", {CHINESE[1]}),
    (CHINESE, "血型", set()),
]


@pytest.mark.parametrize(("kept", "query", "meant"), ANSWERED, ids=[case[1] for case in ANSWERED])
async def test_a_search_forgets_what_answers_it_and_nothing_that_is_only_nearest(
    memory: Memoria, kept: tuple[str, ...], query: str, meant: set[str]
) -> None:
    for one in kept:
        await memory.remember(one)
    said = ("今天天气不错", "Please have a look at the shop")
    await memory.record_conversation([{"role": "user", "content": one} for one in said])
    preview = await memory.preview_forget(query=query)
    assert {item.text for item in preview.items} == meant
    assert not preview.share


async def test_a_search_forgets_in_this_project_and_in_all_only_where_that_is_said(
    home: Path,
) -> None:
    settings = Settings.from_values(home=home, workspace="red")
    async with memoria.open(settings=settings) as m:
        red = await m.remember("The red gate opens with a brass key", workspace="red")
        blue = await m.remember("The blue gate opens with an iron key", workspace="blue")
        for scope, meant in ((None, {red.id}), ("blue", {blue.id}), ("*", {red.id, blue.id})):
            preview = await m.preview_forget(query="what opens the gate", workspace=scope)
            assert {item.id for item in preview.items} == meant, scope
        with pytest.raises(InvalidInputError, match="everything"):
            await m.preview_forget(workspace="*")


async def test_where_most_of_what_is_on_record_is_meant_the_first_line_says_so(
    memory: Memoria,
) -> None:
    for one in ENGLISH:
        await memory.remember(one)
    told = preview_text(await memory.preview_forget(since="2020-01-01")).splitlines()
    assert told[0] == "This is most of what is on record: 4 of 4 memories."
    assert told[1].startswith("To be forgotten: 4 memories")
    some = preview_text(await memory.preview_forget(topic="Anna")).splitlines()
    assert some[0].startswith("To be forgotten: 1 memory")
