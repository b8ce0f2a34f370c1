"""What a client does until its server is killed, and how the home must look afterwards."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_WORDS = "bluebird 杭州 naïve café parcel 邮局 otter heron scale 周三 green door ½ € 📮".split()
_SHORT, _MIDDLE, _LONG = 12, 100, 2_000
_MANY = 40


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call."""

    tool: str
    arguments: dict[str, Any]

    @property
    def weight(self) -> str:
        """How long it takes, roughly."""
        words = sum(map(len, self.texts)) // (50 * _MIDDLE)
        return f"{self.tool} {min(words, 1)}"

    @property
    def texts(self) -> list[str]:
        """The turns' texts, of a call that records."""
        return [turn["content"] for turn in self.arguments.get("turns", ())]


@dataclass(slots=True)
class Ledger:
    """What the client was told is kept."""

    number: int
    turns: dict[str, list[str]] = field(default_factory=dict)
    """Texts by session, in order."""
    wordings: dict[str, list[str]] = field(default_factory=dict)
    """Memories' wordings by id, oldest first."""

    def note(self, call: Call, answer: dict[str, Any]) -> None:
        """A call was acknowledged."""
        match call.tool:
            case "record_conversation":
                session = str(call.arguments["session_id"])
                self.turns.setdefault(session, []).extend(call.texts)
            case "remember":
                self.wordings[str(answer["id"])] = [str(call.arguments["content"])]
            case _:
                wordings = self.wordings[str(call.arguments["id"])]
                wordings.append(str(call.arguments["content"]))


def calls(ledger: Ledger, chance: random.Random) -> Iterator[Call]:
    """Calls without end: turns with and without ids, statements, corrections."""
    i = 0
    while True:
        kind = chance.choices(("record", "remember", "correct"), (7, 2, 1))[0]
        if kind == "record":
            yield _recording(ledger.number, i, chance)
        elif kind == "remember" or not ledger.wordings:
            yield Call("remember", {"content": _text(ledger.number, i, chance, _SHORT)})
        else:
            content = _text(ledger.number, i, chance, _SHORT)
            chosen = chance.choice(list(ledger.wordings))
            arguments = {"id": chosen, "action": "correct", "content": content}
            yield Call("revise_memory", arguments)
        i += 1


def _recording(number: int, i: int, chance: random.Random) -> Call:
    """A few words, a long text or many turns at once; half of it with messages' ids."""
    sizes = ((chance.randint(1, 3), _SHORT), (1, _LONG), (_MANY, _MIDDLE))
    count, words = chance.choices(sizes, (5, 2, 2))[0]
    numbered = chance.choice((True, False))
    turns = []
    for part in range(count):
        turn = {"role": "user", "content": _text(number, f"{i}.{part}", chance, words)}
        turns.append(turn | ({"message_id": f"m{i}.{part}"} if numbered else {}))
    session = f"round {number} {'with' if numbered else 'without'} ids"
    return Call("record_conversation", {"turns": turns, "session_id": session})


def _text(number: int, i: int | str, chance: random.Random, words: int) -> str:
    """A text said only once."""
    return f"r{number}n{i}: {' '.join(chance.choices(_WORDS, k=words))}"
