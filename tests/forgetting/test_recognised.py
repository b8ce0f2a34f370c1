"""What is recognised as forgotten, and what is not, on the ways in which texts come in."""

import os
import shutil
from itertools import product
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.databases import engine_settings, read_text, write_text
from tests.forgetting.comeback import (
    FORMS,
    ORIGINS,
    PATHS,
    Comeback,
    forget,
    is_erased,
    list_returns,
    remember_around,
    script,
)
from tests.forgetting.reentry import LOOK_ALIKES, SPELLINGS, STATEMENTS, VARIANTS, WRAPPINGS
from tests.forgetting.remains import remaining, remains
from tests.ingest.play import add, answers, memories, opened, reader, said
from tests.llm.scripted import ScriptedModel
from tests.store.insides import tracing

from memoria import Memoria
from memoria.app import nightly
from memoria.app.upkeep import back_up, restore
from memoria.errors import ForgottenError
from memoria.language.reading.statement import canonical_form
from memoria.store.values import Tombstone, TombstoneRecord
from memoria.surface.text import receipt_text

STATEMENT = "My cousin's boat is called zeta4711"
MARK = "zeta4711"


def says(text: str, session: str = "s") -> dict[str, str]:
    return {"role": "user", "content": text, "session_id": session}


async def forget_statements(memory: Memoria, *statements: str) -> None:
    for statement in statements:
        kept = await memory.remember(statement)
        await memory.forget_memory([kept.id], include_source=True)


async def test_what_merely_looks_like_it_is_remembered_and_recorded_whole(memory: Memoria) -> None:
    await forget_statements(memory, *dict.fromkeys(one for one, _ in LOOK_ALIKES))
    for number, (_, other) in enumerate(LOOK_ALIKES):
        receipt = await memory.record_conversation([says(other, f"s{number}")])
        assert (receipt.recorded, receipt.redactions) == (1, {})
        turn_id = receipt.turns[0].id
        assert turn_id is not None
        turn = (await memory.get_turn(turn_id)).turn
        assert (turn.content, turn.suppressed) == (other, False)
        assert (await memory.remember(other)).content == other


async def test_a_sentence_erased_with_its_source_is_left_out_and_the_rest_recorded(
    memory: Memoria, home: Path
) -> None:
    await forget_statements(memory, STATEMENT)
    said_again = f"Good morning.\n\nAs I said, {STATEMENT}. It has two masts! 你好。"
    args = {"lines": ["first", said_again], "n": 1}
    receipt = await memory.record_conversation(
        [says(said_again), {"role": "tool", "tool_name": "write", "tool_args": args}]
    )
    assert (receipt.recorded, receipt.redactions) == (2, {"forgotten": 2})
    assert "2 passages left out of turns: forgotten before" in receipt_text(receipt)
    assert "secrets" not in receipt_text(receipt)
    left = "Good morning.\n\n[redacted:forgotten] It has two masts! 你好。"
    first, second = [(await memory.get_turn(str(turn.id))).turn for turn in receipt.turns]
    assert (first.content, first.suppressed) == (left, False)
    assert second.tool_args == {"lines": ["first", left], "n": 1}
    assert remains(home, MARK) == set()
    again = await memory.record_conversation([says(said_again)])
    assert again.already_recorded == 1


async def test_a_turn_that_says_nothing_else_is_not_recorded(memory: Memoria, home: Path) -> None:
    await forget_statements(memory, STATEMENT)
    for number, spelling in enumerate(SPELLINGS.values()):
        await memory.record_conversation([says(spelling(STATEMENT), f"s{number}")])
    assert remains(home, MARK) == set()
    plain = await memory.record_conversation([says(f"*{STATEMENT}*!", "t")])
    assert (plain.recorded, plain.forgotten) == (0, 1)


async def test_what_the_user_wants_back_is_recorded_whole_again(memory: Memoria) -> None:
    await forget_statements(memory, STATEMENT)
    await memory.remember(STATEMENT, again=True)
    receipt = await memory.record_conversation([says(f"Remember that {STATEMENT}.")])
    assert (receipt.recorded, receipt.redactions) == (1, {})


async def test_the_scratchpad_takes_no_note_of_it(memory: Memoria, home: Path) -> None:
    await forget_statements(memory, STATEMENT)
    for field in ("current_focus", "completed"):
        with pytest.raises(ForgottenError):
            await memory.update_scratchpad(**{field: f"Find out why {STATEMENT}"})
    assert remains(home, MARK) == set()


async def test_what_an_older_version_has_forgotten_is_recognised_beside_what_this_one_has(
    memory: Memoria,
) -> None:
    """Its digests were of another form, and are all that is left of what they were made of."""
    digester = memory._digester  # noqa: SLF001
    old = digester._digest("statement", canonical_form(STATEMENT))  # noqa: SLF001
    with memory._store.write(memory.tenant) as tx:  # noqa: SLF001
        stone = Tombstone("memory", "an id of old", 1, "on the command line")
        tx.tombstones.add(TombstoneRecord(stone, (old,)))
    await forget_statements(memory, "I moved to the zetavillage in 2019")
    for text in (
        STATEMENT.upper(),
        f"**{STATEMENT}**",
        f"Well, {STATEMENT}!",
        "<b>My</b> cousin&#39;s boat is called zeta\u200b4711",
        "I moved to the *zetavillage* in 2019",
    ):
        with pytest.raises(ForgottenError):
            await memory.remember(text)
        receipt = await memory.record_conversation([says(f"Hello. {text}", text)])
        turn_id = receipt.turns[0].id
        if turn_id is not None:
            turn = (await memory.get_turn(turn_id)).turn
            assert turn.suppressed or "[redacted:forgotten]" in turn.content
    assert (await memory.remember(STATEMENT, again=True)).content == STATEMENT


async def test_a_line_by_hand_that_says_it_in_any_spelling_is_not_remembered(m: Memoria) -> None:
    await m.remember("The harbour's crane is green")
    await forget_statements(m, STATEMENT)
    nightly.run_nightly(m.settings, ("core",))
    forms = {**SPELLINGS, **WRAPPINGS}.values()
    lines = [line for form in [*forms][::3] if "\n" not in (line := form(STATEMENT))]
    own = "".join(f"- {line}\n" for line in lines if not line.startswith(("#", "|", "-", ">")))
    before = read_text(m.settings, "MEMORY.md")
    write_text(m.settings, "MEMORY.md", f"{before}\n## Boats\n{own}")
    nightly.run_nightly(m.settings, ("core",))
    assert [one.content for one in await memories(m)] == ["The harbour's crane is green"]


async def test_a_model_that_words_the_same_sentence_otherwise_does_not_bring_it_back(
    m: Memoria, model: ScriptedModel
) -> None:
    """Neither from the turn, nor from one like it, before or after, nor with half a quote."""

    def reads(n: int, _who: str, text: str, _known: object) -> list[dict[str, Any]]:
        if "is called zeta4711" not in text:
            return []
        return [add("is called zeta4711", n, next(contents), predicate="boat")]

    contents = iter(["They own a boat", "A boat is in the family", "Their kin go sailing"])
    model.answer = answers(extract=reader(reads))
    await said(m, f"Hi. {STATEMENT}, by the way.", session="before")
    await m.record_conversation([says(f"And *{STATEMENT}*.", "waits")])
    (known,) = [one for one in await memories(m) if one.content == "They own a boat"]
    await m.forget_memory([known.id])
    await said(m, f"As I said, {STATEMENT}!", session="after")
    await m.record_conversation([], "session_end", session_id="waits")
    await m.queue.fill()
    await m.wait_until_idle(60)
    assert await memories(m) == []
    assert (await m.search_memory("boat")).hits == ()


async def test_what_was_recorded_before_in_other_spellings_is_suppressed_or_at_least_not_read(
    m: Memoria, model: ScriptedModel
) -> None:
    spellings = (
        "zero-width spaces", "soft hyphens", "HTML entities", "bold words", "numeric entities"
    )  # fmt: skip
    for name, form in SPELLINGS.items():
        if name.endswith(spellings):
            await m.record_conversation([says(f"So: {form(STATEMENT)}, you see.", name)])
    kept = await m.remember(STATEMENT)
    forgotten = await m.forget_memory([kept.id])
    assert len(forgotten.turns_suppressed) == len(spellings) - 1
    await m.record_conversation([], "session_end", session_id="in numeric entities")
    await m.queue.fill()
    await m.wait_until_idle(60)
    assert model.requests == []


async def test_a_turn_of_many_sentences_costs_no_more_lookups_than_one(memory: Memoria) -> None:
    await forget_statements(memory, STATEMENT, "I like tea", "Call Bob")
    counts = []
    for number, text in enumerate(("Why is it so late?", "Why is it so late? " * 200)):
        with tracing(memory._store) as asked:  # noqa: SLF001
            await memory.record_conversation([says(text, f"s{number}")])
        counts.append(sum("tombstone" in statement for statement in asked))
    assert counts[0] == counts[1] <= 4
    assert remaining(memory.settings.home_path, [MARK]) == set()


_WISHED = os.environ.get("REENTRY_EXAMPLES", "4")
_ALL = list(product(PATHS, VARIANTS))
_REENTRIES = st.lists(st.sampled_from(_ALL), min_size=8, max_size=8, unique=True)


@settings(
    deadline=None,
    max_examples=int(_WISHED) if _WISHED.isdigit() else 1,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(
    st.sampled_from(STATEMENTS),
    st.sampled_from(sorted(ORIGINS)),
    st.sampled_from(FORMS),
    _REENTRIES,
)
def test_however_it_comes_again_it_is_not_remembered(
    tmp_path_factory: pytest.TempPathFactory,
    statement: str,
    origin: str,
    form: str,
    reentries: list[tuple[str, str]],
) -> None:
    folder = tmp_path_factory.mktemp("again")
    assert anyio.run(play, folder, statement, origin, form, reentries) == []


if _WISHED == "all":

    @pytest.mark.parametrize(("number", "case"), list(enumerate(product(ORIGINS, FORMS))))
    def test_nothing_of_the_whole_table_comes_back(
        tmp_path: Path, number: int, case: tuple[str, str]
    ) -> None:
        statement = STATEMENTS[number % len(STATEMENTS)]
        assert anyio.run(play, tmp_path, statement, *case, _ALL) == []


async def play(
    folder: Path, statement: str, origin: str, form: str, reentries: list[tuple[str, str]]
) -> list[str]:
    """Learn it, forget it, and bring it back in these ways. Gives what has come back.

    Of a home that is a file, a backup of before is one of the ways.
    """
    has_file = not engine_settings(folder / "home")
    erased = is_erased(form)
    texts = [VARIANTS[variant](statement) for _, variant in reentries]
    with script() as model:
        async with opened(folder / "home", model) as m:
            c = Comeback(m, model, statement)
            await remember_around(c)
            await ORIGINS[origin](c)
            await m.wait_until_idle(60)
            if has_file:
                await anyio.to_thread.run_sync(back_up, m.settings, c.backup, no_progress)
            await forget(c, form)
            model.requests.clear()
            for (path, _), text in zip(reentries, texts, strict=True):
                await PATHS[path](c, text)
            await m.wait_until_idle(120)
            await c.night()
            returns = await list_returns(c, texts, erased=erased)
        if not has_file:
            return returns
        await anyio.to_thread.run_sync(restore, m.settings, c.backup, no_progress)
        shutil.rmtree(next(c.home.glob("before-restore-*")))
        async with opened(folder / "home", model) as m:
            c.m = m
            return returns + await list_returns(c, texts, erased=erased)


def no_progress(_done: int, _total: int) -> None:
    pass
