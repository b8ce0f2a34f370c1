"""What was done three times becomes a draft of a skill; the user keeps it, failures withdraw it."""

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.databases import settings_elsewhere
from tests.empty_home import lay_empty_home
from tests.lifecycle.dump import Interrupted, interrupting, store_of
from tests.lifecycle.test_merge import with_model
from tests.llm.scripted import Asked, ScriptedModel

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.app.skills import SkillRecord
from memoria.config import Settings
from memoria.errors import ClientError
from memoria.model import COMMAND_LINE, LIBRARY, MemoryListing, Turn, Validity
from memoria.model.nightly import NightlyRun

NAME = "cut-release"
FIRST = datetime(2026, 3, 2, 9, tzinfo=UTC)
STEPS = ("set the version with `npm version <version>`", "publish with `npm publish --tag <tag>`")
BARE = "npm publish"
Proposals = dict[str, list[dict[str, object]]]
AGENTS = f"""---
name: {NAME}
description: Cut a release of the command line program.
---

1. Run the tests.
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "cli"
    folder.mkdir()
    return folder


@pytest.fixture
def home(settings: Settings, project: Path) -> Settings:
    """The home as it is opened in the project."""
    return settings.model_copy(update={"workspace": str(project)})


def call(command: str, error: str = "") -> dict[str, object]:
    result = {"content": error or "done", "is_error": bool(error)}
    return {"role": "tool", "tool_name": "Bash", "tool_args": {"command": command},
            "tool_result": result}  # fmt: skip


def loads(skill: str) -> dict[str, object]:
    return {"role": "tool", "tool_name": "Skill", "tool_args": {"skill": skill},
            "tool_result": "loaded"}  # fmt: skip


def release(version: str, *, fails: bool = False) -> list[dict[str, object]]:
    """A session in which a release was cut, or came to nothing."""
    error = "npm error 403 use the release workflow" if fails else ""
    return [
        {"role": "user", "content": f"please ship {version}"},
        call(f"npm version {version}"),
        call(BARE, "npm error code EUSAGE tag is missing"),
        call("npm publish --tag latest", error),
        {"role": "assistant", "content": "403 again" if fails else f"{version} is out"},
    ]


def chat() -> list[dict[str, object]]:
    return [{"role": "user", "content": "how is the weather"}, call("git status")]


async def record(home: Settings, first: int, *sessions: Sequence[dict[str, object]]) -> None:
    """Sessions a day apart, named by their number."""
    async with open_memoria(settings=home) as m:
        for n, events in enumerate(sessions, first):
            at = FIRST + timedelta(days=n)
            turns = [
                Turn(**{"at": (at + timedelta(minutes=i)).isoformat(), **event})
                for i, event in enumerate(events)
            ]
            await m.record_conversation(turns, "session_end", session_id=f"s{n}")


def find(asked: Asked, words: str) -> list[int]:
    """The numbers of the lines with some words."""
    return [int(n) for n in re.findall(rf"(?m)^(\d+) [^\n]*{re.escape(words)}", asked.text)]


def sees_releases(
    steps: Sequence[str] = STEPS, name: str = NAME, sessions: Sequence[int] = (1, 2, 3)
) -> Callable[[Asked], Proposals]:
    """A model that finds the releases, and nothing that failed."""

    def answer(asked: Asked) -> Proposals:
        published = find(asked, "npm publish --tag")
        proposed: dict[str, object] = {
            "name": name,
            "description": 'Cut a release: "ship 1.2.0".',
            "sessions": sessions,
            "steps": [{"text": text, "lines": published} for text in steps],
            "pitfalls": [
                {"text": f"`{BARE}` says `EUSAGE`: give a tag", "lines": find(asked, "EUSAGE")},
                {"text": "`npm login` helps", "lines": published},
            ],
        }
        return {"skills": [proposed], "failures": []}

    return answer


def sees_both(*answers: Callable[[Asked], Proposals]) -> Callable[[Asked], object]:
    """A model that proposes what all of these propose."""
    return lambda asked: {"skills": [one(asked)["skills"][0] for one in answers], "failures": []}


def sees_failures(asked: Asked) -> object:
    """A model that takes every session that used the skill for a failure, and others as well."""
    numbers = [int(n) for n in re.findall(r"(?m)^Session (\d+),", asked.text)]
    lines = find(asked, "403")
    return {"skills": [], "failures": [
        {"skill": NAME, "session": n, "lines": lines} for n in numbers]}  # fmt: skip


def finds_nothing(_: Asked) -> object:
    return {"skills": [], "failures": []}


def night(home: Settings, answer: Callable[[Asked], object]) -> tuple[NightlyRun, list[Asked]]:
    with ScriptedModel(answer=answer) as model:
        run = nights.run_nightly(with_model(home, model), ("skills",))
        return run, [*model.requests]


async def skills(home: Settings) -> list[SkillRecord]:
    async with open_memoria(settings=home, channel=COMMAND_LINE) as m:
        return await m.skills.list_all()


async def propose(home: Settings) -> SkillRecord:
    """A draft from three releases."""
    await record(home, 1, release("1.0.0"), release("1.1.0"), release("2.0.0"))
    night(home, sees_releases())
    (skill,) = await skills(home)
    return skill


async def keep(home: Settings) -> Path:
    """The file of the draft, kept."""
    await propose(home)
    async with open_memoria(settings=home, channel=COMMAND_LINE) as m:
        kept = await m.skills.keep(NAME)
    return Path(kept.files[0])


async def test_a_task_done_three_times_waits_as_a_draft_with_its_sessions(home: Settings) -> None:
    skill = await propose(home)
    assert (skill.name, skill.state) == (NAME, "draft")
    assert skill.sessions == ("s1", "s2", "s3")
    assert skill.days == ("2026-03-03", "2026-03-04", "2026-03-05")
    async with open_memoria(settings=home) as m:
        assert [one.id for one in await m.list_pending()] == [skill.id]
        assert not (await m.list_memories(MemoryListing())).memories
        found = await m.search_memory("cut a release")
        assert skill.id not in [one.id for one in found.hits]


async def test_a_draft_reads_as_steps_and_as_pitfalls_with_their_day(home: Settings) -> None:
    lines = (await propose(home)).text.splitlines()
    assert lines[:3] == ["---", f"name: {NAME}", 'description: "Cut a release: \\"ship 1.2.0\\"."']
    assert [f"{n}. {text}" for n, text in enumerate(STEPS, 1)] == [
        one for one in lines if one[:1].isdigit()
    ]
    pitfalls = [one for one in lines if one.startswith("- ")]
    assert pitfalls == [f"- 2026-03-05: `{BARE}` says `EUSAGE`: give a tag"]


async def test_a_model_is_shown_what_was_asked_run_and_failed(home: Settings) -> None:
    await record(home, 1, release("1.0.0"), release("1.1.0"), release("2.0.0"))
    _, (asked,) = night(home, finds_nothing)
    assert "1 user: please ship 1.0.0" in asked.text
    assert f"3 FAILED: {BARE} → npm error code EUSAGE" in asked.text
    assert "4 ran: npm publish --tag latest" in asked.text


@pytest.mark.parametrize(
    "answer",
    [
        sees_releases(("publish with `yarn publish`",)),
        sees_releases(sessions=(1, 2)),
        sees_releases(sessions=(1, 2, 9)),
    ],
    ids=["a command that nobody ran", "two sessions", "a session that is not there"],
)
async def test_no_draft_is_made_of(home: Settings, answer: Callable[[Asked], object]) -> None:
    await record(home, 1, release("1.0.0"), release("1.1.0"), release("2.0.0"))
    run, _ = night(home, answer)
    assert await skills(home) == []
    assert "left out" in (run.steps[0].reduced or "")


async def test_a_session_without_any_of_the_steps_counts_for_nothing(home: Settings) -> None:
    await record(home, 1, release("1.0.0"), release("1.1.0"), chat(), chat())
    night(home, sees_releases(sessions=(1, 2, 3)))
    assert await skills(home) == []


async def test_a_model_is_asked_once_three_more_sessions_have_ended(home: Settings) -> None:
    await record(home, 1, release("1.0.0"), release("1.1.0"))
    assert night(home, finds_nothing)[1] == []
    await record(home, 3, release("2.0.0"))
    assert len(night(home, finds_nothing)[1]) == 1
    await record(home, 4, chat(), chat())
    assert night(home, finds_nothing)[1] == []
    await record(home, 6, chat())
    assert len(night(home, finds_nothing)[1]) == 1


async def test_without_a_model_the_step_does_nothing_and_says_so(home: Settings) -> None:
    await record(home, 1, release("1.0.0"), release("1.1.0"), release("2.0.0"))
    (report,) = nights.run_nightly(home, ("skills",)).steps
    assert (report.planned, report.reduced) == (
        0,
        "without a chat model no skill is proposed and none is withdrawn",
    )


async def test_a_night_that_was_killed_ends_without_asking_again(home: Settings) -> None:
    await record(home, 1, release("1.0.0"), release("1.1.0"), release("2.0.0"))
    with ScriptedModel(answer=sees_releases()) as model:
        asked = with_model(home, model)
        with pytest.raises(Interrupted):
            nights.run_nightly(asked, ("skills",), progress=interrupting(0))
        run = nights.run_nightly(asked, ("skills",))
        assert len(model.requests) == 1
    assert run.steps[0].outcomes == {"done": 1, "unchanged": 1}
    assert [one.state for one in await skills(home)] == ["draft"]


async def test_a_planned_draft_goes_with_a_turn_that_is_forgotten_meanwhile(home: Settings) -> None:
    await record(home, 1, release("1.0.0"), release("1.1.0"), release("2.0.0"))
    answers = [sees_releases(name=name) for name in ("one", "two")]
    with ScriptedModel(answer=sees_both(*answers)) as model:
        with pytest.raises(Interrupted):
            nights.run_nightly(with_model(home, model), ("skills",), progress=interrupting(0))
        async with open_memoria(settings=home, channel=COMMAND_LINE) as m:
            turn = (await m.get_session("s2")).turns[1]
            await m.forget_memory([turn.id], include_source=True)
        with store_of(home) as store, store.read(home.tenant) as tx:
            assert not any("npm version" in one for one in tx.dependencies.list_planned_items())
        nights.run_nightly(with_model(home, model), ("skills",))
    assert await skills(home) == []


async def test_an_undone_night_takes_its_drafts_back(home: Settings) -> None:
    await record(home, 1, release("1.0.0"), release("1.1.0"), release("2.0.0"))
    run, _ = night(home, sees_releases())
    nights.undo_nightly(home, run.id, lambda _: None)
    assert await skills(home) == []


async def test_a_dropped_skill_is_not_proposed_again_under_another_name(home: Settings) -> None:
    await propose(home)
    async with open_memoria(settings=home, channel=COMMAND_LINE) as m:
        await m.skills.drop(NAME)
    await record(home, 4, chat(), chat(), chat())
    night(home, sees_releases(name="ship-version"))
    assert [(one.name, one.state) for one in await skills(home)] == [(NAME, "dropped")]


async def test_a_second_skill_of_the_same_name_is_not_proposed(home: Settings) -> None:
    await propose(home)
    await record(home, 4, release("2.1.0"), release("2.2.0"), release("2.3.0"))
    _, (asked,) = night(home, sees_releases(sessions=(4, 5, 6)))
    assert f'"name":"{NAME}","state":"draft"' in asked.text
    assert len(await skills(home)) == 1


async def test_keeping_writes_a_file_that_says_whose_it_is(home: Settings, project: Path) -> None:
    path = await keep(home)
    assert path == project / ".claude" / "skills" / NAME / "SKILL.md"
    text = path.read_text("utf-8")
    (skill,) = await skills(home)
    assert (skill.state, skill.text) == ("kept", text)
    assert "Made by Memoria from what was done on 2026-03-03, 2026-03-04, 2026-03-05" in text


async def test_another_client_finds_it_in_the_shared_folder(home: Settings, project: Path) -> None:
    await propose(home)
    async with open_memoria(settings=home, channel=COMMAND_LINE) as m:
        kept = await m.skills.keep(NAME, "codex")
    assert kept.files == (str(project / ".agents" / "skills" / NAME / "SKILL.md"),)


async def test_a_client_that_nobody_knows_is_refused(home: Settings, project: Path) -> None:
    await propose(home)
    async with open_memoria(settings=home, channel=COMMAND_LINE) as m:
        with pytest.raises(ClientError, match="Known are"):
            await m.skills.keep(NAME, "emacs")
    assert (await skills(home))[0].state == "draft"
    assert not (project / ".agents").exists()


async def test_a_file_of_somebody_else_is_not_replaced(home: Settings, project: Path) -> None:
    await propose(home)
    own = project / ".claude" / "skills" / NAME / "SKILL.md"
    own.parent.mkdir(parents=True)
    own.write_text("mine", "utf-8")
    async with open_memoria(settings=home, channel=COMMAND_LINE) as m:
        with pytest.raises(ClientError, match="not as Memoria wrote it"):
            await m.skills.keep(NAME)
    assert own.read_text("utf-8") == "mine"
    assert (await skills(home))[0].state == "draft"


async def test_a_link_out_of_the_project_is_not_followed(
    home: Settings, project: Path, tmp_path: Path
) -> None:
    await propose(home)
    (tmp_path / "elsewhere").mkdir()
    (project / ".claude").symlink_to(tmp_path / "elsewhere")
    async with open_memoria(settings=home, channel=COMMAND_LINE) as m:
        with pytest.raises(ClientError, match="out of the project"):
            await m.skills.keep(NAME)
    assert not [*(tmp_path / "elsewhere").iterdir()]


async def test_a_confirmed_draft_is_kept(home: Settings) -> None:
    skill = await propose(home)
    async with open_memoria(settings=home, channel=COMMAND_LINE) as m:
        await m.revise_memory(skill.id, "confirm")
    assert (await skills(home))[0].state == "kept"


async def test_two_sessions_that_used_it_and_failed_withdraw_a_skill(home: Settings) -> None:
    path = await keep(home)
    used = [loads(NAME), *release("3.0.0", fails=True)]
    await record(home, 4, used, release("3.1.0", fails=True), chat())
    run, _ = night(home, sees_failures)
    assert [(one.state, one.failures) for one in await skills(home)] == [("kept", 1)]
    assert list(run.steps[0].reasons.values()) == ["it failed once, in session s4"]
    await record(home, 7, used, chat(), chat())
    run, _ = night(home, sees_failures)
    assert [(one.state, one.failures) for one in await skills(home)] == [("withdrawn", 2)]
    assert not path.exists()
    assert path.with_name("SKILL.md.withdrawn").exists()
    nights.undo_nightly(home, run.id, lambda _: None)
    assert [(one.state, one.failures) for one in await skills(home)] == [("kept", 1)]
    assert path.exists()


async def test_a_user_who_says_twice_that_it_failed_withdraws_it(home: Settings) -> None:
    path = await keep(home)
    async with open_memoria(settings=home, channel=COMMAND_LINE) as m:
        assert (await m.skills.fail(NAME)).state == "kept"
        assert (await m.skills.fail(NAME)).state == "withdrawn"
        assert not path.exists()
        await m.undo_change()
        assert (await m.skills.list_all())[0].state == "kept"
    assert path.exists()


async def test_a_file_that_the_user_has_changed_is_left_alone(home: Settings) -> None:
    path = await keep(home)
    path.write_text(path.read_text("utf-8").replace("set the", "then set the"), "utf-8")
    async with open_memoria(settings=home, channel=COMMAND_LINE) as m:
        dropped = await m.skills.drop(NAME)
    assert dropped.files == (f"{path} (changed by hand)",)
    assert "then set the" in path.read_text("utf-8")


async def test_forgetting_a_turn_it_rests_on_takes_the_skill_and_its_file(home: Settings) -> None:
    path = await keep(home)
    async with open_memoria(settings=home, channel=COMMAND_LINE) as m:
        turn = (await m.get_session("s2")).turns[1]
        forgotten = await m.forget_memory([turn.id], include_source=True)
        assert forgotten.skill_files == (str(path),)
        assert await m.skills.list_all() == []
    assert not path.parent.exists()


async def test_forgetting_lists_a_file_that_the_user_has_changed(home: Settings) -> None:
    path = await keep(home)
    (skill,) = await skills(home)
    path.write_text(path.read_text("utf-8") + "mine\n", "utf-8")
    async with open_memoria(settings=home, channel=COMMAND_LINE) as m:
        assert (await m.forget_memory([skill.id])).skill_files_left == (str(path),)
        assert (await m.skills.settle()).left == (str(path),)


async def test_a_skill_of_another_home_is_left_alone(home: Settings, tmp_path: Path) -> None:
    path = await keep(home)
    other = settings_elsewhere(home, lay_empty_home(tmp_path / "other"))
    async with open_memoria(settings=other) as m:
        await m.record_conversation([Turn(role="user", content="hello")])
        assert (await m.skills.settle()) == ((), (), ())
    assert path.exists()


async def test_a_skill_in_the_form_of_a_file_waits_where_an_agent_states_it(home: Settings) -> None:
    async with open_memoria(settings=home, channel=LIBRARY) as m:
        stated = await m.remember(AGENTS, type="skill")
        plain = await m.remember("We deploy with make deploy", type="skill")
        assert (stated.status, plain.status) == ("pending", "remembered")
        await m.revise_memory(stated.id, "confirm")
        assert (await m.get_memory(stated.id)).validity is Validity.PENDING_CONFIRMATION
    (skill,) = await skills(home)
    assert (skill.name, skill.state) == (NAME, "draft")


async def test_no_core_file_has_the_text_of_a_skill(home: Settings) -> None:
    await keep(home)
    nights.run_nightly(home, ("core",))
    for file in home.home_path.rglob("*.md"):
        assert NAME not in file.read_text("utf-8")
