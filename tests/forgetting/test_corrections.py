"""What waits for the user's word to correct a memory goes with it, unless it is to be kept."""

from pathlib import Path

import pytest
from tests.forgetting.remains import remains

from memoria import Memoria
from memoria.erasure.verify import verify
from memoria.memories.links import link_contradictions
from memoria.model import COMMAND_LINE, Validity, now_millis

STATED, CORRECTED = "The user's locker code is 4711", "The user's locker code is zanzibar8822"


async def propose(m: Memoria) -> tuple[str, str]:
    """A memory that the user has stated, and a correction of an agent's that waits for them."""
    stated = await m.with_channel(COMMAND_LINE).remember(STATED)
    waiting = await m.revise_memory(stated.id, "correct", content=CORRECTED)
    assert waiting.id != stated.id
    assert waiting.validity is Validity.PENDING_CONFIRMATION
    return stated.id, waiting.id


async def test_a_correction_that_waits_is_named_and_forgotten_with_what_it_corrects(
    memory: Memoria, home: Path
) -> None:
    stated, waiting = await propose(memory)
    preview = await memory.preview_forget([stated])
    assert [(item.kind, item.id, item.text) for item in preview.items] == [
        ("memory", stated, STATED),
        ("correction", waiting, CORRECTED),
    ]
    await memory.forget_memory([stated], token=preview.token)
    assert remains(home, "zanzibar8822") == set()
    assert verify(memory._store, home) == {}  # noqa: SLF001


async def test_what_a_forgotten_correction_said_may_be_said_again(memory: Memoria) -> None:
    stated, _ = await propose(memory)
    await memory.forget_memory([stated])
    assert (await memory.remember(CORRECTED)).content == CORRECTED


async def test_a_correction_that_waits_can_be_kept(memory: Memoria) -> None:
    stated, waiting = await propose(memory)
    await memory.forget_memory([stated], keep=[waiting])
    kept = await memory.get_memory(waiting)
    assert (kept.content, kept.validity) == (CORRECTED, Validity.PENDING_CONFIRMATION)


async def test_a_correction_that_a_turn_says_stays_with_the_turn(memory: Memoria) -> None:
    stated = await memory.with_channel(COMMAND_LINE).remember(STATED)
    receipt = await memory.record_conversation([{"role": "assistant", "content": CORRECTED}])
    (turn,) = receipt.turns
    waiting = await memory.revise_memory(stated.id, "correct", content=CORRECTED, turn_id=turn.id)
    await memory.forget_memory([stated.id])
    assert (await memory.get_memory(waiting.id)).content == CORRECTED


async def test_all_corrections_that_wait_go_with_what_they_correct(
    memory: Memoria, home: Path
) -> None:
    stated, first = await propose(memory)
    second = await memory.revise_memory(stated, "correct", content=CORRECTED.replace("8822", "55"))
    preview = await memory.preview_forget([stated])
    assert [item.id for item in preview.items] == [stated, first, second.id]
    await memory.forget_memory([stated], token=preview.token)
    assert remains(home, "zanzibar") == set()


async def test_a_correction_that_was_put_aside_goes_too(memory: Memoria, home: Path) -> None:
    stated, waiting = await propose(memory)
    await memory.revise_memory(waiting, "archive")
    await memory.forget_memory([stated])
    assert remains(home, "zanzibar8822") == set()


async def test_what_the_user_confirmed_and_put_aside_stays(memory: Memoria) -> None:
    stated, waiting = await propose(memory)
    user = memory.with_channel(COMMAND_LINE)
    for action in ("confirm", "archive"):
        await user.revise_memory(waiting, action)
    await memory.forget_memory([stated])
    assert (await memory.get_memory(waiting)).content == CORRECTED


async def test_what_was_linked_before_it_was_corrected_takes_the_correction_along(
    memory: Memoria, home: Path
) -> None:
    stated = await memory.with_channel(COMMAND_LINE).remember("Mira Holm lives in Ghent")
    await memory.wait_until_idle()
    await memory.revise_memory(stated.id, "correct", content="Mira Holm lives in Zanzibar")
    await memory.forget_memory([stated.id])
    assert remains(home, "zanzibar") == set()


async def test_a_correction_goes_with_a_memory_that_goes_with_its_turn(
    memory: Memoria, home: Path
) -> None:
    receipt = await memory.record_conversation([{"role": "user", "content": f"Remember: {STATED}"}])
    (turn,) = receipt.turns
    stated = await memory.with_channel(COMMAND_LINE).remember(STATED, turn_id=turn.id)
    await memory.with_channel(COMMAND_LINE).revise_memory(stated.id, "confirm")
    await memory.revise_memory(stated.id, "correct", content=CORRECTED)
    await memory.forget_memory([turn.id], include_source=True)
    assert remains(home, "zanzibar8822") == remains(home, "4711") == set()


@pytest.mark.parametrize("other", ["The user rents a locker", "Locker 4711 is broken"])
async def test_a_correction_that_contradicts_what_stays_stays_with_it(
    memory: Memoria, other: str
) -> None:
    stated, waiting = await propose(memory)
    staying = await memory.with_channel(COMMAND_LINE).remember(other)
    with memory._store.write(memory.settings.tenant) as tx:  # noqa: SLF001
        proposal = tx.memories.get(waiting)
        assert proposal is not None
        link_contradictions(tx, proposal, [staying.id], now=now_millis())
    await memory.forget_memory([stated])
    assert (await memory.get_memory(waiting)).content == CORRECTED
