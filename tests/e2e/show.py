"""Show 1: connect; talk, with nothing recorded by the agent; talk again, and it is there."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.clients.base import TOOLS
from tests.e2e.elsewhere import Elsewhere, serve_elsewhere
from tests.e2e.install import Installed
from tests.e2e.program import ROOT, Program
from tests.e2e.stage import Stage, stage
from tests.e2e.stand_in.script import Say

_RULE = "commit messages are written in English"
_FIRST = f"Remember that {_RULE}. The staging database Wolfsburg listens on port 6543."
_ANSWER = "I will keep to English, and look for Wolfsburg on that port."
_SECOND = "Which port does the staging database Wolfsburg use?"
_SOUGHT = "port of the staging database Wolfsburg"
_FOUND = "It is port 6543."
_RESUMED = "And which language do I commit in?"
_LANGUAGE = "You commit in English."
_GUIDE = "Search before you answer"
"""Words of what tells a model when to use the tools: by the server, a hook, or a file of rules."""


@dataclass
class Shown:
    """What one run showed. Each line of `wrong` is a promise that was not held."""

    client: str
    is_recalling: bool
    is_packaged: bool
    tools: int = 0
    briefed: str = "no"
    recalled: str = "no"
    guided: str = "no"
    answered: str = "no"
    turns: str = ""
    imported: str = ""
    seconds: list[float] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    server: Elsewhere | None = field(default=None, repr=False)
    """Server over HTTP that it is connected to; None for one on this machine."""


def show(
    installed: Installed,
    program: Program,
    *,
    is_recalling: bool,
    is_packaged: bool,
    is_elsewhere: bool = False,
) -> Shown:
    """One run in a home of its own, connected by us or by the client's own installer."""
    shown = Shown(installed.client.name, is_recalling, is_packaged)
    with stage(installed) as place, _serve(program, is_elsewhere=is_elsewhere) as server:
        shown.server = server
        connect = _install if is_packaged else _connect
        abilities = installed.client.abilities
        steps = [connect, _talk, _ask]
        steps += [_resume] if abilities.goes_on else []
        steps += [_import if abilities.is_imported else _count]
        steps += [] if is_packaged else [_disconnect]
        for step in steps:
            try:
                step(place, program, shown)
            except (RuntimeError, ValueError, OSError) as error:
                shown.wrong.append(f"{step.__name__.lstrip('_')}: {error}")
                break
    return shown


@contextmanager
def _serve(program: Program, *, is_elsewhere: bool) -> Iterator[Elsewhere | None]:
    if not is_elsewhere:
        yield None
        return
    with serve_elsewhere(program) as server:
        yield server


def _connect(place: Stage, program: Program, shown: Shown) -> None:
    """Out again without a trace; then once, and a second time to no effect."""
    recall = ["--recall"] if shown.is_recalling else []
    connect, environment = ["connect", place.client.name, "--yes", *recall], place.environment
    if shown.server is not None:
        connect += ["--url", shown.server.url]
        environment["MEMORIA_TOKEN"] = shown.server.token
    untouched = _files(place)
    program.run(environment, place.project, *connect)
    program.run(place.environment, place.project, "disconnect", place.client.name, "--yes")
    if _files(place) != untouched:
        shown.wrong.append("connecting and disconnecting left a file that was not what it was")
    program.run(environment, place.project, *connect)
    before = _files(place)
    program.run(environment, place.project, *connect)
    if _files(place) != before:
        shown.wrong.append("connecting twice changed a file")
    place.client.approve(place.installed.program, place.environment, place.project)
    # It fails where something is left for a person to do, such as trusting hooks.
    program.run(place.environment, place.project, "connect", place.client.name, "--status")


def _install(place: Stage, program: Program, _shown: Shown) -> None:
    """The package of this checkout, whose program is on the path."""
    place.add_to_path(("memoria", Path(program.command[0])))
    for command in place.client.package_commands(ROOT):
        place.run_client(command)
    place.client.approve(place.installed.program, place.environment, place.project)


def _talk(place: Stage, _program: Program, shown: Shown) -> None:
    """The agent calls nothing."""
    talk = place.talk(_FIRST, [Say(_ANSWER)])
    shown.seconds.append(talk.took_s)
    if len(talk.turns) != 1:
        shown.wrong.append(f"the first conversation took {len(talk.turns)} questions")
    if _ANSWER not in talk.output:
        shown.wrong.append(f"the client did not show the answer: {talk.output}{talk.errors}"[-600:])
    place.processes()  # whoever begins the next one takes as long as that


def _ask(place: Stage, _program: Program, shown: Shown) -> None:
    """All is in the first question; then the agent searches."""
    search = {"query": _SOUGHT}
    calls = place.client.calls("search_memory", search, is_packaged=shown.is_packaged)
    talk = place.talk(_SECOND, [*calls, Say(_FOUND)])
    shown.seconds.append(talk.took_s)
    tools = place.client.server_tools(talk.turns[0].body) & set(TOOLS)
    shown.tools = len(tools)
    if missing := set(TOOLS) - tools:
        shown.wrong.append(f"the first question lacks {', '.join(sorted(missing))}")
    first, abilities = talk.text(0), place.client.abilities
    shown.briefed = "yes" if _RULE.casefold() in first.casefold() else "no"
    if shown.briefed == "no" and abilities.is_told:
        shown.wrong.append("the rule is not in the first question")
    shown.guided = "yes" if _GUIDE in first else "no"
    if shown.guided == "no" and not shown.is_packaged:
        shown.wrong.append("the first question does not say when to use the tools")
    shown.recalled = "yes" if "6543" in first else "no"
    is_heard = abilities.is_told and abilities.hears_prompts
    if (shown.recalled == "yes") != (shown.is_recalling and is_heard):
        shown.wrong.append(f"recalled in the first question: {shown.recalled}")
    if len(talk.turns) != len(calls) + 1:
        shown.wrong.append(f"the second conversation took {len(talk.turns)} questions")
    if not abilities.is_recorded:
        return  # there is nothing to be found
    result = "\n".join(place.client.dialect.results(talk.turns[-1].body))
    shown.answered = "yes" if "6543" in result else "no"
    if shown.answered == "no":
        shown.wrong.append(f"search_memory answered {result[-600:]!r}")


def _resume(place: Stage, _program: Program, shown: Shown) -> None:
    """A conversation that goes on is not recorded anew, even where the agent records it as well."""
    said = [{"role": "user", "content": _RESUMED}, {"role": "assistant", "content": _LANGUAGE}]
    calls = place.client.calls(
        "record_conversation", {"turns": said}, is_packaged=shown.is_packaged
    )
    # Where no end is told, two conversations go on, and nobody can tell in which the agent is;
    # nor whose it is, where the client does not say its name.
    abilities = place.client.abilities
    calls = calls if abilities.tells_ends and abilities.says_name else []
    talk = place.talk(_RESUMED, [*calls, Say(_LANGUAGE)], resumed=True)
    shown.seconds.append(talk.took_s)
    if _LANGUAGE not in talk.output:
        shown.wrong.append(f"it could not be resumed: {talk.output}{talk.errors}"[-600:])
    result = "\n".join(place.client.dialect.results(talk.turns[-1].body))
    if calls and "recorded" not in result:
        shown.wrong.append(f"record_conversation answered {result[-600:]!r}")


def _import(place: Stage, program: Program, shown: Shown) -> None:
    """Everything is on record already, once, and in two sessions."""
    _count(place, program, shown)
    before = _read_stats(place, program, shown)
    command = [*_name_home(shown), "import", "--format", place.client.name, "--json"]
    report = json.loads(program.run(place.environment, place.project, *command))
    after = _read_stats(place, program, shown)
    shown.imported = str(report["recorded"])
    if report["recorded"]:
        shown.wrong.append(f"the import added something: {report}")
    if after != before:
        shown.wrong.append(f"{before} became {after}")


def _count(place: Stage, program: Program, shown: Shown) -> None:
    """Both halves of both conversations are on record, and nothing runs or waits."""
    if left := place.processes():  # which also waits for what a collector still sends
        shown.wrong.append(f"still running: {left}")
    turns, sessions = _read_stats(place, program, shown)
    shown.turns = f"{turns}/{sessions}"
    if waiting := place.waiting():
        shown.wrong.append(f"still in the spool: {waiting}")
    abilities = place.client.abilities
    # A prompt and an answer in each conversation; two of both where the second one went on.
    expected = (6, 2) if abilities.goes_on else (4, 1 if abilities.holds_one else 2)
    expected = expected if abilities.is_recorded else (0, 0)
    if (turns, sessions) != expected:
        shown.wrong.append(f"{turns} turns in {sessions} sessions, not {expected}")


def _disconnect(place: Stage, program: Program, shown: Shown) -> None:
    """Who is not connected is not recorded."""
    before = _read_stats(place, program, shown)
    program.run(place.environment, place.project, "disconnect", place.client.name, "--yes")
    place.talk(_FIRST, [Say(_ANSWER)])
    place.processes()
    if (after := _read_stats(place, program, shown)) != before:
        shown.wrong.append(f"recorded without being connected: {before} became {after}")


def _name_home(shown: Shown) -> list[str]:
    return [] if shown.server is None else ["--home", str(shown.server.home)]


def _read_stats(place: Stage, program: Program, shown: Shown) -> tuple[int, int]:
    """How many turns are on record, and in how many sessions."""
    command = [*_name_home(shown), "stats", "--json"]
    stats = json.loads(program.run(place.environment, place.project, *command))
    return stats["turns"], stats["sessions"]


def _files(place: Stage) -> dict[str, bytes]:
    """The client's own, in its home."""
    return {
        str(path): path.read_bytes()
        for path in place.home.rglob("*")
        # A home that is there notes a project in the project's git folder.
        if path.is_file() and ".memoria" not in str(path) and path.name != "memoria-project"
    }
