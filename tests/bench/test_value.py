"""Whether `bench.value` counts what becomes of a task, and whether its tasks can be helped."""

import json
from collections import Counter
from collections.abc import Sequence

import anyio
import pytest
from bench.value import agent, cases, shown
from bench.value.__main__ import make_right_by_itself
from bench.value.reader import ASK, Choice, Decision, Option, choose
from bench.value.readers import ModelReader, read_by_script

from memoria.inference.chat.base import AnswerT, ChatReply, ChatRequest

PROJECTS = cases.read_projects()
TASKS = [task for project in PROJECTS for task in project.tasks]
LEAST_TASKS, LEAST_KINDS = 24, 6


class Told:
    """A memory that shows these texts, and notes the errors that are looked up."""

    def __init__(
        self, briefing: str = "", found: str = "", of_error: str = "", word: str = ""
    ) -> None:
        self.briefing, self.found, self.of_error = briefing, found, of_error
        self.word = word
        self.errors: list[str] = []

    async def brief(self) -> str:
        return self.briefing

    async def search(self, task: cases.Task) -> str:
        del task
        return self.found

    async def look_up(self, error: str) -> str:
        self.errors.append(error)
        return self.of_error

    async def warn(self, session: str, tool: str, action: str) -> str:
        assert session
        assert tool == "Bash"
        return self.word if action == "make a" else ""


def make_task(*, may_ask: bool = False) -> cases.Task:
    """Return a task with a trap, an outdated way and a right one."""
    options = (
        Option("trap", "make a"),
        Option("old", "make b", (), 1),
        Option("c", "make c", (), 2),
    )
    return cases.Task(
        id="t",
        kind="flaky",
        prompt="Build it.",
        tool="Bash",
        by_command=True,
        decision=Decision("Build it.", "How is it built?", options, may_ask),
        right="c",
        failed=frozenset({"trap"}),
        stale="old",
        results={"trap": "no rule a", "old": "no rule b"},
    )


def play(task: cases.Task, shows: agent.Shows | None) -> agent.Run:
    return anyio.run(agent.play, task, "en", read_by_script, shows)


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_without_lines_the_trap_is_taken_or_the_user_is_asked(task: cases.Task) -> None:
    unaided = choose(task.decision, ()).key
    assert unaided == (ASK if task.decision.may_ask else task.trap.key)
    keys = {one.key for one in task.decision.options}
    assert keys >= {task.right, *task.failed, *([task.stale] if task.stale else [])}
    assert keys - task.results.keys() == {task.right}
    assert not task.failed or unaided in task.failed


def test_there_are_enough_kinds_and_a_third_is_chinese() -> None:
    chinese = sum(len(one.tasks) for one in PROJECTS if one.language == "zh")
    assert len(TASKS) >= LEAST_TASKS
    assert 3 * chinese >= len(TASKS)
    assert len(Counter(task.kind for task in TASKS)) >= LEAST_KINDS


def test_without_memory_every_failure_is_repeated() -> None:
    run = play(make_task(), None)
    assert [one.key for one in run.choices] == ["trap", "old", "c"]
    assert (run.repeats, run.stale, run.wrong, run.steps, run.tokens) == (1, 1, 2, 3, 0)


def test_a_line_that_helps_saves_the_repeat_and_costs_its_tokens() -> None:
    run = play(make_task(), Told(found="make c worked, make a failed."))
    assert [one.key for one in run.choices] == ["c"]
    assert (run.repeats, run.steps, run.tokens) == (0, 2, 8)


def test_after_a_repeat_the_error_is_looked_up_once() -> None:
    told = Told(of_error="make c worked.")
    run = play(make_task(), told)
    assert [one.key for one in run.choices] == ["trap", "c"]
    assert told.errors == ["no rule a"]
    assert (run.repeats, run.steps) == (1, 4)


def test_a_line_before_the_call_is_heeded_where_it_names_another_way() -> None:
    heard = play(make_task(), Told(word="`make a` failed here; `make c` worked afterwards."))
    assert [one.key for one in heard.choices] == ["c"]
    assert (heard.warned, heard.heeded, heard.warned_wrongly, heard.repeats) == (1, 1, 0, 0)
    deaf = play(make_task(), Told(word="The weather is fine."))
    assert (deaf.warned, deaf.heeded, deaf.repeats) == (1, 0, 1)


def test_a_stale_line_counts_as_followed_unless_it_is_marked() -> None:
    assert play(make_task(), Told(found="Use make b.")).stale == 1
    marked = play(make_task(), Told(found="Use make b. [changed since (2 commits)]"))
    assert (marked.stale, marked.wrong, marked.steps) == (0, 0, 3)


def test_a_question_counts_where_nothing_answers_it() -> None:
    asked = play(make_task(may_ask=True), None)
    assert (asked.asked, asked.steps) == (1, 2)
    assert play(make_task(may_ask=True), Told(found="Use make c.")).asked == 0


def test_the_guide_is_paid_for_and_takes_no_line_of_what_is_recalled() -> None:
    guide = "\n".join(f"Advice {n}." for n in range(20))
    run = play(make_task(), Told(briefing=f"{guide}\n\n# Core memory\n- Use make c."))
    assert run.choices[0].key == "c"
    assert run.tokens > 20


def test_lines_beside_the_point_can_but_harm_an_agent_that_is_right() -> None:
    task = make_right_by_itself(make_task(may_ask=True))
    assert play(task, None).wrong == 0
    assert play(task, Told(found="Use make a.")).wrong == 1


def test_what_a_first_session_learnt_is_shown_to_a_later_one() -> None:
    async def look() -> tuple[str, str]:
        project = next(one for one in PROJECTS if one.name == "plover")
        async with shown.record_projects([project], [project]) as (showing,):
            port, rule = project.tasks[:2]
            del rule
            return await showing.brief(), await showing.search(port)

    briefing, found = anyio.run(look)
    assert "Don't change the schema with psql by hand" in briefing
    assert "`DB_PORT=5433 docker compose up -d db` worked" in found


class Chooser:
    """A chat model that gives one answer and keeps what it was asked."""

    name = "chooser"

    def __init__(self, **answer: object) -> None:
        self.answer = answer
        self.asked: list[str] = []

    def ask(self, request: ChatRequest[AnswerT]) -> ChatReply:
        self.asked.append(request.text)
        return ChatReply(json.dumps(self.answer), self.name, 1, 1)

    def close(self) -> None:
        """Close nothing."""


@pytest.mark.parametrize(
    ("answer", "chosen"), [({"key": "c"}, "c"), ({"key": "d"}, "trap"), ({"key": ASK}, "trap")]
)
def test_a_model_chooses_among_the_options_alone(answer: dict[str, object], chosen: str) -> None:
    model = Chooser(**answer)
    lines: Sequence[str] = ["Use make c."]

    async def read() -> Choice:
        return await ModelReader(model)(make_task().decision, lines)

    assert anyio.run(read).key == chosen
    assert "Use make c." in model.asked[0]
