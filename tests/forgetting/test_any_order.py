"""Whatever happened before and in which order: forgotten means forgotten."""

from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import anyio
import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st
from tests.forgetting.remains import remaining

import memoria
from memoria.app import Memoria
from memoria.config import Settings
from memoria.errors import ForgottenError, InvalidInputError
from memoria.model import Validity

Verb = Literal["capture", "remember", "again", "correct", "archive", "restore", "forget", "erase"]
SECRETS = range(3)
DOORS = ("cellar", "garden", "attic")


@dataclass(frozen=True)
class Step:
    """Do something with a secret; `other` is the one it is corrected to."""

    verb: Verb
    secret: int
    other: int


@dataclass
class Expected:
    """What must be so, kept beside the product in the plainest way."""

    wordings: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    """Each memory's secrets, newest last."""
    recorded: set[int] = field(default_factory=set)
    forbidden: set[int] = field(default_factory=set)
    """Nothing may say it at the first level, and `remember` refuses it."""
    barred: set[int] = field(default_factory=set)
    """Its turn stays out of the first level for good."""
    erased: set[int] = field(default_factory=set)
    """Its turn never comes back."""
    left_out: set[int] = field(default_factory=set)
    """Its sentence is left out of whatever turn comes."""

    def current(self, secret: int) -> list[str]:
        return [m for m, said in self.wordings.items() if said[-1] == secret]

    def everywhere(self, secret: int) -> bool:
        return secret in self.recorded or any(secret in said for said in self.wordings.values())


STEPS = st.lists(
    st.builds(
        Step,
        verb=st.sampled_from(Verb.__args__),  # type: ignore[attr-defined]
        secret=st.sampled_from(SECRETS),
        other=st.sampled_from(SECRETS),
    ),
    min_size=4,
    max_size=14,
)


@settings(deadline=None, max_examples=10, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS)
def test_what_was_forgotten_stays_forgotten(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Step]
) -> None:
    home = tmp_path_factory.mktemp("home")
    anyio.run(play, home, steps)


async def play(home: Path, steps: list[Step]) -> None:
    expected = Expected()
    async with memoria.open(settings=Settings(home=home, embedder="off")) as memory:
        for step in steps:
            await take(memory, expected, step)
            for secret in SECRETS:
                await check(memory, expected, secret)
            left = remaining(home, map(word, SECRETS))
            assert left == {word(secret) for secret in SECRETS if expected.everywhere(secret)}


async def take(memory: Memoria, expected: Expected, step: Step) -> None:
    event(step.verb)
    match step.verb:
        case "capture":
            await capture(memory, expected, step.secret)
        case "remember" | "again":
            await remember(memory, expected, step.secret, again=step.verb == "again")
        case _:
            for memory_id in expected.current(step.secret)[:1]:
                await change(memory, expected, memory_id, step)


async def change(memory: Memoria, expected: Expected, memory_id: str, step: Step) -> None:
    match step.verb:
        case "correct":
            await correct(memory, expected, memory_id, step.other)
        case "archive" | "restore":
            await memory.revise_memory(memory_id, step.verb)
        case _:
            await forget(memory, expected, memory_id, include_source=step.verb == "erase")


async def capture(memory: Memoria, expected: Expected, secret: int) -> None:
    receipt = await memory.record_conversation([turn(secret)])
    assert receipt.forgotten == int(secret in expected.erased)
    if receipt.forgotten:
        return
    if secret in expected.left_out:
        assert receipt.redactions == {"forgotten": 1}
        return
    expected.recorded.add(secret)
    if receipt.recorded and secret in expected.forbidden:
        expected.barred.add(secret)


async def remember(memory: Memoria, expected: Expected, secret: int, *, again: bool) -> None:
    try:
        kept = await memory.remember(statement(secret), again=again)
    except ForgottenError:
        assert secret in expected.forbidden
        assert not again
        return
    assert again or secret not in expected.forbidden
    expected.forbidden.discard(secret)
    expected.left_out.discard(secret)
    if kept.id not in expected.wordings:
        expected.wordings[kept.id] = [secret]


async def correct(memory: Memoria, expected: Expected, memory_id: str, secret: int) -> None:
    try:
        await memory.revise_memory(memory_id, "correct", statement(secret))
    except ForgottenError:
        assert secret in expected.forbidden
    except InvalidInputError:  # it says so already, or another memory does
        assert expected.current(secret)
    else:
        expected.wordings[memory_id].append(secret)


async def forget(
    memory: Memoria, expected: Expected, memory_id: str, *, include_source: bool
) -> None:
    gone = closure(expected, memory_id)
    secrets = {secret for one in gone for secret in expected.wordings[one]}
    sources = secrets & expected.recorded
    forgotten = await memory.forget_memory([memory_id], include_source=include_source)
    assert set(forgotten.memories) == gone
    assert len(forgotten.turns_erased if include_source else forgotten.turns_suppressed) == len(
        sources
    )
    for one in gone:
        del expected.wordings[one]
    for said in expected.wordings.values():
        said[:] = [secret for secret in said if secret not in secrets]
    expected.forbidden |= secrets
    expected.barred |= sources
    if include_source:
        expected.left_out |= secrets
        expected.recorded -= sources
        expected.erased |= sources


def closure(expected: Expected, memory_id: str) -> set[str]:
    """The memory, those that now say what it ever said, and so on."""
    gone, found = set[str](), {memory_id}
    while found:
        gone |= found
        said = {secret for one in gone for secret in expected.wordings[one]}
        found = {one for secret in said for one in expected.current(secret)} - gone
    return gone


async def check(memory: Memoria, expected: Expected, secret: int) -> None:
    found = (await memory.search_memory(statement(secret), include_history=True)).hits
    says = [hit for hit in found if word(secret) in hit.text]
    if secret in expected.forbidden:
        assert says == []
    if secret in expected.barred:
        assert all(hit.kind == "memory" for hit in says)
    for memory_id in expected.current(secret):
        kept = await memory.get_memory(memory_id)
        assert kept.content == statement(secret)
        assert kept.validity in (Validity.ACTIVE, Validity.ARCHIVED)
    traces = (await memory.search_conversation_traces(word(secret))).hits
    assert [hit.text for hit in traces if word(secret) in hit.text] == (
        [turn(secret)["content"]] if secret in expected.recorded else []
    )


def word(secret: int) -> str:
    return f"zeta{secret}{secret}{secret}"


def statement(secret: int) -> str:
    """What tells a secret; each is of another door, so that none replaces another."""
    return f"The code of the {DOORS[secret]} door is {word(secret)}"


def turn(secret: int) -> dict[str, str]:
    """A message that says it and of which rules make nothing."""
    content = f"Is it so that {statement(secret)}? Thanks for that."
    return {"role": "user", "content": content, "session_id": "s", "message_id": f"m{secret}"}
