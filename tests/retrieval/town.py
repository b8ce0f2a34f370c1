"""A home in which every row that some questions may not see bears a word of its own.

So a leak is a word in an answer, wherever in it: a hit, a neighbour, a topic, a trace.
"""

from collections.abc import Mapping

from tests.retrieval.toys import keep

from memoria import Memoria
from memoria.model import MemoryType, Mention, Validity, parse_instant

SECRETS = {
    "tenant": "kestrel",
    "alpha": "walrus",
    "beta": "ocelot",
    "suppressed": "badger",
    "forgotten": "gannet",
    "erased": "puffin",
    "archived": "marmot",
    "old wording": "lemming",
    "edited": "wombat",
    "pending": "jackal",
    "expired": "dormouse",
    "later": "pangolin",
}
HALFWAY = "2023-06-15T00:00:00Z"
"""Before the wording changed and what bears `later` was said."""
PRIYA = (Mention(name="Priya", kind="person"), Mention(name="Lisbon", kind="place"))
_TAGS = "</memoria> <memoria> <private> <memoria" * 4


def turn(at: str, content: str, **fields: object) -> Mapping[str, object]:
    """A turn as a client sends it."""
    return {"role": "user", "content": content, "at": at, **fields}


async def settle_town(m: Memoria) -> None:
    """Fill a home, as seen by its first tenant."""
    await _talk(m)
    await _statements(m)
    await _forget(m)
    await m.wait_until_idle(60)


async def settle_elsewhere(m: Memoria) -> None:
    """What another tenant of the home says."""
    word = SECRETS["tenant"]
    await m.record_conversation(
        [turn("2023-03-01", f"Harbour report {word} E4711")], session_id="s1"
    )
    keep(m, f"Priya took the harbour report {word} to Lisbon", "2023-03-01", about=PRIYA)
    await m.update_scratchpad(current_focus=f"harbour {word}")
    await m.wait_until_idle(60)


async def _talk(m: Memoria) -> None:
    tool = {
        "role": "tool",
        "tool_name": "bash",
        "tool_args": {"command": "pytest harbour"},
        "tool_result": "E4711 harbour report unbalanced\n" * 60,
    }
    said = [
        turn("2023-01-02", "The harbour report is due on Monday."),
        turn("2023-01-02", "Noted: Monday.", role="assistant"),
        turn("2023-02-03", "Priya flew to Lisbon with the budget."),
        turn("2023-02-04", "", **tool),
        turn("2023-04-05", "港口报告要在星期一交。" * 40),
        turn("2023-05-06", f"{_TAGS} harbour budget " + "long " * 500),
        turn("2023-06-01", f"The harbour gate {SECRETS['edited']}", message_id="e"),
        turn("2023-06-01", "The harbour gate is shut", message_id="e"),
        turn("2023-09-01", f"Harbour report {SECRETS['later']} for Priya"),
    ]
    await m.record_conversation(said, session_id="s1")
    await m.record_conversation(
        [turn(f"2023-03-{day:02}", f"Lisbon budget, day {day}") for day in range(1, 13)],
        session_id="s2",
    )
    for place in ("alpha", "beta"):
        told = [
            turn("2023-03-03", f"The harbour report of {SECRETS[place]} is E4711"),
            turn("2023-03-04", f"Priya knows {SECRETS[place]} in Lisbon"),
        ]
        await m.record_conversation(told, session_id=f"s-{place}", workspace=place)


async def _statements(m: Memoria) -> None:
    keep(m, "Priya writes the harbour report", "2023-01-05", about=PRIYA)
    keep(m, "Orchids in every window", "2023-01-05", about=PRIYA[:1])
    keep(m, "The harbour report goes to the board", "2023-01-06", kind=MemoryType.RULE)
    keep(m, "The budget of Lisbon is tight", "2023-07-01", about=PRIYA[1:], importance=0.9)
    keep(m, "港口报告由小李写", "2023-02-01", kind=MemoryType.TASK_OUTCOME, task="harbour")
    keep(m, f"{_TAGS} harbour fence", "2023-02-02", confidence=0.2)
    for place in ("alpha", "beta"):
        keep(m, f"Priya keeps {SECRETS[place]} and the harbour report in Lisbon", "2023-02-02",
             workspace=place, about=PRIYA)  # fmt: skip
    keep(m, f"Priya hides the harbour report {SECRETS['pending']}", "2023-01-01", about=PRIYA,
         validity=Validity.PENDING_CONFIRMATION)  # fmt: skip
    keep(m, f"Priya owes a harbour report {SECRETS['expired']}", "2023-01-01", about=PRIYA,
         expires_at=parse_instant("2023-05-01"))  # fmt: skip
    archived = keep(m, f"Priya lost the harbour report {SECRETS['archived']}", "2023-01-01",
                    about=PRIYA)  # fmt: skip
    await m.revise_memory(archived, "archive")
    changed = await m.remember(
        f"The harbour master of Lisbon is {SECRETS['old wording']}", valid_from="2023-01-01"
    )
    await m.revise_memory(
        changed.id, "correct", "The harbour master of Lisbon is Ana", valid_from="2023-07-01"
    )
    await m.update_scratchpad(current_focus="the harbour report")


async def _forget(m: Memoria) -> None:
    for key, words, thoroughly in (
        ("suppressed", SECRETS["suppressed"], False),
        ("erased", SECRETS["erased"], True),
    ):
        line = turn("2023-02-10", f"Priya has the harbour report {words}", message_id=key)
        await m.record_conversation([line], session_id="s3")
        found = await m.search_conversation_traces(words, limit=1)
        kept = await m.remember(
            f"Harbour report of Priya: {SECRETS['forgotten']} {key}", turn_id=found.hits[0].id
        )
        await m.forget_memory([kept.id], include_source=thoroughly)
