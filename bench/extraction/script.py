"""A scripted model that answers as a diligent one would: what is asked next follows, as in life.

Where somebody has written down what is to be concluded, it concludes that (`concluded`). Elsewhere
it concludes something from every third remark of some length, so that what it says is checked,
compared and summed up, and is of no worth: the measure is what the questions cost.
"""

import re
from collections.abc import Callable, Sequence
from zlib import crc32

from bench.extraction.concluded import Concluded, Object, list_objects, propose, rule

_TURN = re.compile(r"^\[(\d+)\] ([^:\n]{1,40}): (.*?)(?=\n\n|\n```|\Z)", re.MULTILINE | re.DOTALL)
_DAY = re.compile(r"^\[\w+, \d{4}-\d\d-\d\d\]$", re.MULTILINE)
_SENTENCE = re.compile(r"[^.!?。！？\n]+[.!?。！？]?")
_SIGNS = {
    "patch": "sentences that do in other words",
    "episode": "`outcome`",
    "adjudicate": "`relation`",
    "verify": "`supported`",
    "review": "PROMOTE",
    "concept": "CONCEPT",
    "day": "`sentences`",
    "skill": "`pitfalls`",
}
"""What only the instructions of each question say; of none, it is extraction."""
_NOT_PEOPLE = ("assistant", "tool", "system")
_LEAST_CHARS, _LEAST_CHARS_ZH = 40, 12
_ONE_IN = 3
_MOST_ADDED = 8
_COMMON_ONE_IN = 3
_MOST_QUOTES = 3
_IMPORTANT_ONE_IN = 4
_TYPES = ("fact", "preference", "fact", "goal", "rule")
_PREDICATES = ("plan", "work", "habit", "family", "health", "tool", "home")


def purpose_of(instructions: str) -> str:
    """Which of our questions it is, told by what only its instructions say."""
    return next((name for name, sign in _SIGNS.items() if sign in instructions), "extract")


def answer_question(instructions: str, text: str, concluded: Sequence[Concluded] = ()) -> Object:
    """The answer to a question.

    Args:
        instructions: the question's first message.
        text: its second.
        concluded: what is to be concluded, where somebody has written it down.
    """
    match purpose_of(instructions):
        case "extract":
            answer = _read_as_written(text, concluded) if concluded else _read(text)
        case "adjudicate":
            answer = {"rulings": rule(text, concluded)}
        case purpose:
            answer = _ANSWERS[purpose](text)
    asks_for_episodes = "episodes?:" in instructions
    return {k: v for k, v in answer.items() if k != "episodes" or asks_for_episodes}


def _patch(text: str) -> Object:
    """The first sentence of a summary, as one that a capable model would give back."""
    number, said = next((one["number"], one["text"]) for one in list_objects(text))
    return {"sentences": [{"number": number, "text": f"{said} (It has changed since.)"}]}


def _check(text: str) -> Object:
    return {"checks": [{"statement": n, "supported": "yes"} for n in _list_numbers(text)]}


def _list_numbers(text: str) -> list[int]:
    return [line["number"] for line in list_objects(text) if "number" in line]


def _read_as_written(text: str, concluded: Sequence[Concluded]) -> Object:
    return {"operations": [*propose(text, concluded)], "episodes": _sum_up_each(text)}


def _read(text: str) -> Object:
    parts = [_TURN.findall(part) for part in _DAY.split(text)]
    added = [[op for turn in part if (op := _conclude(*turn)) is not None] for part in parts]
    operations = [op for each in added for op in each[:_MOST_ADDED]]
    return {"operations": operations, "episodes": _sum_up_each(text)}


def _sum_up_each(text: str) -> list[Object]:
    """A summary of each conversation that the text shows under its day."""
    return [summary for part in _DAY.split(text)[1:] if (summary := _sum_up(part))["quotes"]]


def _conclude(number: str, who: str, said: str) -> Object | None:
    """A conclusion from a turn; none from two of three, nor from an assistant or a tool."""
    if who in _NOT_PEOPLE or not (sentence := _find_sentence(said)):
        return None
    mark = crc32(sentence.encode())
    if mark % _ONE_IN:
        return None
    mark //= _ONE_IN
    is_important = mark % _IMPORTANT_ONE_IN == 0
    return {
        "op": "ADD",
        "type": _TYPES[mark % len(_TYPES)],
        "content": _reword(who, sentence),
        "quote": sentence,
        "turn": int(number),
        "subject": "user" if who == "user" else who,
        "predicate": _name_property(sentence, mark),
        "importance": 0.9 if is_important else 0.5,
        "confidence": 0.8,
        "duration": "permanent",
        "until": None,
        "entities": [],
        "event_time": None,
        "task": None,
        "negated": False,
        "modality": "actual",
    }


def _name_property(sentence: str, mark: int) -> str:
    """A word for what is told: one of few in one case of three, else a word of the sentence."""
    if mark % _COMMON_ONE_IN == 0:
        return _PREDICATES[mark % len(_PREDICATES)]
    return max(re.findall(r"[a-z]+|[一-鿿]{2}", sentence.lower()), key=len, default="thing")


def _find_sentence(said: str) -> str:
    """The first sentence of some length."""
    least = _LEAST_CHARS if said.isascii() else _LEAST_CHARS_ZH
    pieces = (match[0].strip() for match in _SENTENCE.finditer(said))
    return next((piece for piece in pieces if least <= len(piece) <= 300), "")  # noqa: PLR2004


def _reword(who: str, sentence: str) -> str:
    """The sentence as a statement about who said it; every other one adds nothing to its words."""
    speaker = "The user" if who == "user" else who
    if not sentence.isascii():
        return sentence.replace("我", "用户")
    if crc32(sentence[::-1].encode()) % 2:
        return f"{speaker} says: {sentence}"
    return f"{speaker} made it known that {sentence[0].lower()}{sentence[1:]}"


def _sum_up(text: str) -> Object:
    spoken = [turn for turn in _TURN.findall(text) if turn[1] not in ("tool", "system")]
    sentences = [(int(n), sentence) for n, _, said in spoken if (sentence := _find_sentence(said))]
    return {
        "goal": None,
        "summary": " ".join(sentence for _, sentence in sentences[:_MOST_QUOTES])[:600],
        "outcome": None,
        "importance": 0.4,
        "entities": [],
        "quotes": [{"turn": n, "quote": sentence} for n, sentence in sentences[:_MOST_QUOTES]],
    }


_ANSWERS: dict[str, Callable[[str], Object]] = {
    "patch": _patch,
    "episode": _sum_up,
    "verify": _check,
    "day": lambda _: {"sentences": [{"text": "Much was talked about.", "episodes": [1]}]},
    "review": lambda _: {"decision": "KEEP"},
    "concept": lambda _: {"action": "SKIP"},
    "skill": lambda _: {"skills": [], "failures": []},
}
