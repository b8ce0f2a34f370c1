"""After `connect --guard`, a word stands in the request that follows a mistake made before."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.e2e.install import Installed
from tests.e2e.program import Program
from tests.e2e.stage import Conversation, Stage, stage
from tests.e2e.stand_in.script import Call, Say

_FILES = {
    "check.py": (
        'import sys\nif "--offline" not in sys.argv:\n'
        '    sys.exit("ConnectionError: the staging server refused the connection")\n'
        'print("12 checks passed")\n'
    ),
    "serve.py": (
        "import settings\nif not isinstance(settings.TIMEOUT, int):\n"
        '    raise TypeError("TIMEOUT wants a number of seconds")\nprint("it serves")\n'
    ),
    "flush.py": 'print("all is flushed")\n',
    "settings.py": "TIMEOUT = 30\n",
}
_PLAIN, _HELPED = "python3 check.py", "python3 check.py --offline"
_SERVE, _RULED_OUT = "python3 serve.py", "python3 flush.py"
_GOOD, _BAD = "TIMEOUT = 30", 'TIMEOUT = "quickly"'
_DONE = Say("It is done.")
_PROMPTS = {
    "English": ("Never run `python3 flush.py` here. Run the checks.", "Run the checks again."),
    "Chinese": ("在这个项目里绝对不要运行 `python3 flush.py`。先跑一遍检查。", "再跑一遍检查。"),
}
LANGUAGES = tuple(_PROMPTS)
"""What the user speaks."""
_WORDS = {"command": "worked afterwards", "edit": "was undone"}
_COUNTED = "3 words before a mistake said; after 1 the same was done again"
_RULES = {"English": "Never run", "Chinese": "绝对不要运行"}


@dataclass
class Warned:
    """What one run showed. Each line of `wrong` is a promise that was not held."""

    client: str
    language: str
    said: dict[str, str] = field(default_factory=dict)
    """Of each call of the second conversation, how often its word stood in what followed."""
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def warn(installed: Installed, program: Program, language: str) -> Warned:
    """One run in a home of its own: two conversations in one project."""
    warned = Warned(installed.client.name, language)
    with stage(installed) as place:
        for name, text in _FILES.items():
            (place.project / name).write_text(text, "utf-8")
        program.run(
            place.environment, place.project, "connect", place.client.name, "--yes", "--guard"
        )
        place.client.approve(place.installed.program, place.environment, place.project)
        try:
            _fail(place, warned)
            _repeat(place, warned)
            _count(place, program, warned)
        except (RuntimeError, ValueError, OSError) as error:
            warned.wrong.append(str(error))
    return warned


def _fail(place: Stage, warned: Warned) -> None:
    """What fails, and what works; nothing is known yet, and so nothing is said."""
    run, edit, file = place.client.run, place.client.edit, str(place.project / "settings.py")
    calls = [run(_PLAIN), run(_HELPED), *edit(file, _GOOD, _BAD), run(_SERVE)]
    calls += [*edit(file, _BAD, _GOOD), run(_SERVE)]
    talk = place.talk(_PROMPTS[warned.language][0], [*calls, _DONE])
    warned.seconds.append(talk.took_s)
    results = _list_results(place, talk, calls)
    if "12 checks passed" not in "\n".join(results) or "it serves" not in results[-1]:
        warned.wrong.append(f"what should have worked did not: {results}"[-1_500:])
    if any(word in talk.text(-1) for word in _WORDS.values()):
        warned.wrong.append("a word was said before anything was known")
    if left := place.processes():
        warned.wrong.append(f"still running: {left}")


def _repeat(place: Stage, warned: Warned) -> None:
    run, edit, file = place.client.run, place.client.edit, str(place.project / "settings.py")
    edits = edit(file, _GOOD, _BAD)
    calls = [run(_PLAIN), run(_PLAIN), run(_RULED_OUT), *edits, run(_HELPED)]
    talk = place.talk(_PROMPTS[warned.language][1], [*calls, _DONE])
    warned.seconds.append(talk.took_s)
    results = _list_results(place, talk, calls)
    words = {**_WORDS, "rule": _RULES[warned.language]}
    asked = {"command": 1, "rule": 3, "edit": 3 + len(edits)}
    for kind, word in words.items():
        counts = [talk.text(n).count(word) for n in range(len(talk.turns))]
        warned.said[kind] = " ".join(map(str, counts))
        began = counts[0] if kind == "rule" else 0  # the briefing may have the user's words
        expected = [began] * asked[kind] + [began + 1] * (len(counts) - asked[kind])
        if counts != expected:
            warned.wrong.append(f"{kind}: the word stands {counts} times, not {expected}")
    for sign in ("ConnectionError", "all is flushed", "12 checks passed"):
        if sign not in "\n".join(results):
            warned.wrong.append(f"{sign!r} is in no result: a call was kept from running")
    if _BAD not in (place.project / "settings.py").read_text("utf-8"):
        warned.wrong.append("the edit was kept from happening")
    place.processes()


def _list_results(place: Stage, talk: Conversation, calls: Sequence[Call]) -> list[str]:
    if len(talk.turns) != len(calls) + 1:
        said = f"{talk.output}{talk.errors}"[-600:]
        raise RuntimeError(f"{len(calls)} calls took {len(talk.turns)} questions: {said}")
    return list(place.client.dialect.results(talk.turns[-1].body))


def _count(place: Stage, program: Program, warned: Warned) -> None:
    """Doctor counts what was said and done again, and nothing of it became a tool's result."""
    told = program.run(place.environment, place.project, "doctor", "--json")
    if _COUNTED not in told:
        warned.wrong.append(f"doctor counts otherwise: {told}"[-600:])
    file = place.home / "all.jsonl"
    program.run(place.environment, place.project, "export", str(file))
    if any(word in file.read_text("utf-8") for word in _WORDS.values()):
        warned.wrong.append("a word is on record")
