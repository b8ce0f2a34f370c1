"""Habits that rules of former versions concluded are archived in a night; what was said stays."""

import pytest
from tests.lifecycle.test_merge import memory, store_of

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.language.reading.statement import fingerprint
from memoria.model import (
    COMMAND_LINE,
    InferredBy,
    MemoryType,
    Provenance,
    Revision,
    SourceKind,
    Trust,
    Validity,
    new_id,
)
from memoria.model.channel import NIGHTLY_CHANNEL
from memoria.store.values import NewMemory, NewVersion

SWIMS = "Usually on Mondays: The user goes swimming"


@pytest.fixture
def habit(settings: Settings) -> str:
    """The id of a habit, as rules have written it in a night of a former version."""
    origin = Provenance(
        source_kind=SourceKind.CONSOLIDATED, trust=Trust.REPORTED, channel=NIGHTLY_CHANNEL
    )
    version = NewVersion(SWIMS, fingerprint(SWIMS), 1, 1, origin, None, InferredBy.RULES)
    kept = NewMemory(new_id(), MemoryType.FACT, 0.5, 0.9, None, subject="user", predicate="habit")
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        tx.memories.add(kept, version)
    return kept.id


async def test_a_habit_that_rules_concluded_is_archived_and_an_undone_night_gives_it_back_for_good(
    settings: Settings, habit: str
) -> None:
    before = memory(settings, habit)
    run = nights.run_nightly(settings, ["quotes"])
    assert run.steps[0].reasons == {habit: "rules had concluded it"}
    assert memory(settings, habit).validity is Validity.ARCHIVED
    nights.undo_nightly(settings, run.id, lambda _: None)
    assert memory(settings, habit) == before
    assert nights.run_nightly(settings, ["quotes"]).steps[0].planned == 0


@pytest.mark.parametrize("action", ["pin", "confirm", "upvote"])
async def test_what_the_user_has_decided_about_a_habit_stays_so(
    settings: Settings, habit: str, action: Revision
) -> None:
    async with open_memoria(settings=settings, channel=COMMAND_LINE) as m:
        await m.revise_memory(habit, action)
    assert nights.run_nightly(settings, ["quotes"]).steps[0].planned == 0
    assert memory(settings, habit).validity is Validity.ACTIVE
