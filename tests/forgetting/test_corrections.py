"""What waits for the user's word to correct a memory goes with it, unless it is to be kept."""

from pathlib import Path

from tests.forgetting.remains import remains

from memoria import Memoria
from memoria.erasure.verify import verify
from memoria.model import COMMAND_LINE, Validity

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
