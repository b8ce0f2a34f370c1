"""Show 1: from nothing to a client that reads, with one question, and what follows from it."""

import json
import socket
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from bench.chat_server import serve_script
from tests.e2e.install import Installed, node_folders
from tests.e2e.program import Program
from tests.e2e.stage import Stage, stage
from tests.e2e.stand_in.dialect import strings
from tests.e2e.stand_in.script import Conclusion, Say, answer_text

from memoria.connectors.models import LOCAL, Endpoint

_SAID = "By the way, my sister Ines lives up in Tromsø now. What shall I cook tonight?"
_LATER = "We had such a day: our dog Bruno swallowed a whole sock. Which soup is quick?"
_SISTER = Conclusion("my sister Ines lives up in Tromsø", "Ines is the user's sister.", "sister")
_DOG = Conclusion("our dog Bruno swallowed a whole sock", "The user has a dog, Bruno.", "dog")
_CONCLUSIONS = (_SISTER, _DOG)
_ASKED = "Good morning."


@dataclass
class Reading:
    """What one run showed. Each line of `wrong` is a promise that was not held."""

    client: str
    reader: str
    """As `memoria model` names it."""
    tried: str = "no"
    by_hooks: str = "no"
    briefed: str = "no"
    by_cron: str = "no"
    tools: str = ""
    """The most that a reading request told the model of."""
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)


def read_by_client(installed: Installed, program: Program) -> Reading:
    """The client that is connected reads: one run in a home of its own."""
    return _run(installed, program, Reading(installed.client.name, installed.client.program))


def read_by_server(installed: Installed, program: Program) -> Reading:
    """A server on this machine reads, which is found where Ollama would be, or another such one.

    Raises:
        OSError: where servers are looked for, others listen.
    """
    endpoint, port = _find_free(LOCAL)
    with serve_script(lambda *asked: answer_text("\n".join(asked), _CONCLUSIONS), port):
        return _run(installed, program, Reading(installed.client.name, endpoint.name))


def _find_free(endpoints: Sequence[Endpoint]) -> tuple[Endpoint, int]:
    """The first endpoint at which nobody listens, and its port."""
    for endpoint in endpoints:
        port = urlsplit(endpoint.url).port or 0
        with socket.socket() as asking:
            if asking.connect_ex(("127.0.0.1", port)):
                return endpoint, port
    raise OSError("something listens at every port where a local server is looked for")


def _run(installed: Installed, program: Program, shown: Reading) -> Reading:
    with stage(installed) as place:
        node = Path(node_folders()[0]) / "node"
        ours = Path(program.command[0])
        reader = place.client.reader(installed.program, place.home, place.model.url)
        place.add_to_path(("memoria", ours), (place.client.program, reader), ("node", node))
        place.model.conclusions = _CONCLUSIONS
        for step in (_connect, _talk, _talk_again, _run_cron):
            try:
                step(place, program, shown)
            except (RuntimeError, ValueError, OSError) as error:
                shown.wrong.append(f"{step.__name__.lstrip('_')}: {error}")
                break
        _look_at_questions(place, shown)
    return shown


def _connect(place: Stage, program: Program, shown: Reading) -> None:
    is_read_by_client = shown.reader == place.client.program
    option = "--model" if is_read_by_client else "--no-model"
    said = program.run(
        place.environment, place.project, "connect", place.client.name, "--yes", option
    )
    if not is_read_by_client:
        said = program.run(place.environment, place.project, "model", "use", shown.reader)
    place.client.approve(place.installed.program, place.environment, place.project)
    shown.tried = "yes" if "a valid answer" in said else "no"
    if shown.tried == "no":
        shown.wrong.append(f"connect --model said {said[-600:]!r}")


def _talk(place: Stage, _program: Program, shown: Reading) -> None:
    """Something is only mentioned; the client's hooks say it, and nobody else does."""
    shown.seconds.append(place.talk(_SAID, [Say("A soup.")]).took_s)
    if left := place.processes():
        shown.wrong.append(f"still running: {left}")


def _talk_again(place: Stage, program: Program, shown: Reading) -> None:
    """The next session begins with what was concluded. No command is run before it."""
    talk = place.talk(_ASKED, [Say("Good morning.")])
    shown.seconds.append(talk.took_s)
    shown.briefed = "yes" if _SISTER.content in talk.text() else "no"
    if shown.briefed == "no":
        shown.wrong.append("the next session does not begin with what was concluded")
    place.processes()
    shown.by_hooks = _find(place, program, _SISTER)
    if shown.by_hooks == "no":
        shown.wrong.append(f"after the talk: {_list(place, program)}")


def _run_cron(place: Stage, program: Program, shown: Reading) -> None:
    """What was said while nobody read is read by the job, with cron's poor environment."""
    program.run(place.environment, place.project, "model", "off")
    place.talk(_LATER, [Say("Tomato soup.")])
    place.processes()
    program.run(place.environment, place.project, "model", "use", shown.reader, "--untried")
    program.run(place.environment, place.project, "model", "queue", "fill")
    words = "schedule install --with cron --print --json".split()
    job = program.run(place.environment, place.project, *words)
    (text,) = json.loads(job)["texts"]
    place.run_job(text["content"].split(maxsplit=5)[5])
    shown.by_cron = _find(place, program, _DOG)
    if shown.by_cron == "no":
        shown.wrong.append(f"after the job: {_list(place, program)}")


def _find(place: Stage, program: Program, one: Conclusion) -> str:
    return "yes" if one.content in _list(place, program) else "no"


def _list(place: Stage, program: Program) -> Sequence[str]:
    said = program.run(place.environment, place.project, "list", "--json")
    return [one["text"] for one in json.loads(said)["memories"]]


def _look_at_questions(place: Stage, shown: Reading) -> None:
    """No question of Memoria's lends the model a tool, or says what belongs to a conversation."""
    counts = {len(place.client.dialect.tools(one.body)) for one in place.model.questions}
    shown.tools = str(max(counts, default=0))
    for one in place.model.questions:
        if "memory://unread" in "\n".join(strings(one.body)):
            shown.wrong.append("a question has what is said to agents")
            return
