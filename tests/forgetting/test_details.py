"""What is noted of a memory beside its words is forgotten with it: task, subject, names."""

from pathlib import Path
from typing import Any

import pytest
from tests.forgetting.remains import remaining, remains
from tests.ingest.play import add, entries, memories, opened, reader, said
from tests.llm.scripted import ScriptedModel

from memoria import Memoria
from memoria.app import nightly
from memoria.errors import ForgottenError

FORGOTTEN = "The combination of the vault is zanzibar4711"
WORD = "zanzibar4711"


async def test_task_subject_and_names_that_were_stated_go_with_their_memory(
    m: Memoria, home: Path
) -> None:
    kept = await m.remember(
        "They marry in June", type="fact", subject="Zebulon", task="plan for zorilla",
        entities=["Quagga", {"name": "Numbat", "kind": "place", "aliases": ["Thylacine"]}],
    )  # fmt: skip
    nightly.run_nightly(m.settings)
    words = ("zebulon", "zorilla", "quagga", "numbat", "thylacine")
    assert remaining(home, words) == set(words)
    await m.forget_memory([kept.id])
    assert remaining(home, words) == set()


@pytest.mark.parametrize("field", ["subject", "task", "entities"])
async def test_what_was_forgotten_comes_back_in_no_detail_of_a_statement(
    m: Memoria, home: Path, field: str
) -> None:
    kept = await m.remember(FORGOTTEN)
    await m.forget_memory([kept.id])
    given: dict[str, Any] = {field: [FORGOTTEN] if field == "entities" else FORGOTTEN}
    with pytest.raises(ForgottenError):
        await m.remember("The bank closes at noon", **given)
    assert remains(home, WORD) == set()


async def test_what_was_forgotten_comes_back_in_no_detail_that_a_model_proposes(
    m: Memoria, home: Path, model: ScriptedModel
) -> None:
    kept = await m.remember(FORGOTTEN)
    await m.forget_memory([kept.id])
    model.answer = reader(
        lambda n, _who, _text, _known: [
            add(
                "at noon",
                n,
                "The bank closes at noon",
                task=FORGOTTEN,
                subject="bank",
                predicate="x",
            ),
            add("bank", n, "The bank is old", subject=FORGOTTEN, predicate="age"),
            add("closes", n, "Banks close", subject="banks", predicate=FORGOTTEN),
        ]
    )
    await said(m, "As you know the bank closes at noon.")
    (entry,) = await entries(m)
    assert (entry.state, entry.outcome) == ("done", "rejected: forgotten 3")
    assert remains(home, WORD) == set()


async def test_a_subject_that_only_an_erased_turn_named_goes_with_it(
    m: Memoria, home: Path, model: ScriptedModel
) -> None:
    """The conclusion stays, for another turn bears it out."""

    def reads(n: int, _who: str, text: str, _known: list[dict[str, Any]]) -> list[dict[str, Any]]:
        door = [add("red", n, "The door is red", predicate="door")] if "red" in text else []
        what = {"subject": "Zebulon", "predicate": "ferry", "task": "trip of the zorilla"}
        return [add("at nine", n, "The ferry leaves at nine", **what), *door]

    model.answer = reader(reads)
    first = "Zebulon and the trip of the zorilla: the ferry leaves at nine. And the door is red."
    await said(m, first, session="first")
    await said(m, "It really leaves at nine in the morning.", session="second")
    (door,) = [one for one in await memories(m) if "door" in one.content]
    await m.forget_memory([door.id], include_source=True)
    (ferry,) = await memories(m)
    assert ferry.content == "The ferry leaves at nine"
    assert remaining(home, ["zebulon", "zorilla"]) == set()


async def test_a_turn_whose_words_were_forgotten_is_not_among_the_last_turns(m: Memoria) -> None:
    await said(
        m, "Hello there.", FORGOTTEN, ("assistant", f"Noted. {FORGOTTEN}."), "And what is new?"
    )
    kept = await m.remember(FORGOTTEN)
    assert WORD in (await m.build_context("what is new", session_id="s")).text
    await m.forget_memory([kept.id])
    package = await m.build_context("what is new", session_id="s")
    assert "Hello there." in package.last_turns
    assert WORD not in package.text


async def test_names_are_kept_under_the_rules_for_personal_data(
    home: Path, model: ScriptedModel
) -> None:
    async with opened(home, model, personal_data="email=mask") as m:
        await m.remember("She answers on Mondays", entities=["anna@example.org", "Anna"])
    assert remaining(home, ["anna@example.org", "anna"]) == {"anna"}
