"""Labelled conversations by recorded answers: the same prompts come again, and labels judge."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from bench.extraction.__main__ import main
from bench.extraction.answers import Answers, Folder, Question, read_exchanges
from bench.extraction.judged import Miss, Verdict, judge
from bench.extraction.labels import Labelled, read_labelled
from bench.extraction.lived import Life, live_through
from bench.extraction.recorded_table import MATERIAL
from tests.ingest.play import add

_FILE = Path(__file__).with_name("kiln.json")
_TURN = re.compile(r"^\[(\d+)\] user: (.*)$", re.MULTILINE)
_KNOWN = re.compile(r'^\{"id":.*\}$', re.MULTILINE)
_OF_A_MACHINE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-|/tmp|127\.0\.0\.1|2026-1[12]")

Reads = Callable[[int, str, list[dict[str, Any]]], dict[str, Any] | None]


class Scripted:
    """A model that reads turn by turn, and counts what it is asked."""

    def __init__(self, reads: Reads) -> None:
        self.asked: list[Question] = []
        self._reads = reads

    def answer(self, question: Question) -> str:
        self.asked.append(question)
        return json.dumps(self._answer(question))

    def stop(self) -> None:
        """There is nothing to wait for."""

    def _answer(self, question: Question) -> object:
        numbers = [int(n) for n in re.findall(r'"number": ?(\d+)', question.text)]
        answers: dict[str, object] = {
            "extract": {"operations": [*self._read(question)]},
            "verify": {"checks": [{"statement": n, "supported": "yes"} for n in numbers]},
            "adjudicate": {"rulings": [{"pair": n, "relation": "different"} for n in numbers]},
            "episode": {"summary": ""},
            "concept": {"action": "SKIP"},
            "review": {"decision": "KEEP"},
            "day": {"sentences": []},
        }
        return answers[question.purpose]

    def _read(self, question: Question) -> Iterator[dict[str, Any]]:
        known = [json.loads(line) for line in _KNOWN.findall(question.text)]
        for n, said in _TURN.findall(question.text):
            found = self._reads(int(n), said, known)
            if found is not None:
                yield found


def reads_well(n: int, said: str, known: list[dict[str, Any]]) -> dict[str, Any] | None:
    match said:
        case text if "Postgres" in text:
            quote = "The kiln log keeps its data in Postgres 15."
            return add(quote, n, predicate="database", scope="project")
        case text if "Porto" in text:
            content = "The user stays with their sister in Porto until 3 March."
            quote = "until 3 March I stay with my sister in Porto"
            return add(quote, n, content, predicate="stay", until="until 3 March")
        case text if "tabs" in text:
            return add(
                "never indent code with tabs",
                n,
                "Never indent code with tabs, in any project.",
                type="rule",
                predicate="indentation",
                scope="everywhere",
            )
        case text if "MariaDB" in text:
            (old,) = (one["id"] for one in known if "Postgres" in one["content"])
            content = "The kiln log runs on MariaDB."
            quote = "we moved the kiln log to MariaDB"
            change = {"op": "UPDATE", "id": old, "reason": "change", "content": content}
            return {**change, "quote": quote, "turn": n}
        case _:
            return None


def reads_badly(n: int, said: str, known: list[dict[str, Any]]) -> dict[str, Any] | None:
    """No end, no change, a game taken for life, of the rule no word, and one word made up."""
    del known
    if "tabs" in said:
        return add("words that nobody said", n, "The kiln log is on paper.")
    for word, predicate in (("Postgres", "log"), ("Porto", "sister"), ("MariaDB", "engine")):
        if word in said:
            return add(word, n, f"The user speaks of {word}.", predicate=predicate)
    if "whales" in said:
        return add("I hunt whales with you", n, "The user hunts whales.", predicate="hobby")
    return None


def kiln() -> Labelled:
    return read_labelled(_FILE.parent)[0]


class Lived(NamedTuple):
    life: Life
    model: Scripted
    file: Path

    @property
    def digests(self) -> list[str]:
        return [one.question.digest for one in self.life.exchanges]


def live(folder: Path, reads: Reads, recorded: Path | None = None) -> Lived:
    model = Scripted(reads)
    file = folder / "kiln.jsonl"
    if recorded is not None:
        file.write_bytes(recorded.read_bytes())
    life = live_through(kiln(), "live", Answers(file, model), folder, embedder="off")
    return Lived(life, model, file)


@pytest.fixture(scope="module")
def well(tmp_path_factory: pytest.TempPathFactory) -> Lived:
    return live(tmp_path_factory.mktemp("well"), reads_well)


@pytest.fixture(scope="module")
def badly(tmp_path_factory: pytest.TempPathFactory) -> Verdict:
    return judge(live(tmp_path_factory.mktemp("badly"), reads_badly).life)


def misses_of(verdict: Verdict, figure: str) -> list[Miss]:
    return [miss for miss in verdict.misses if miss.figure.startswith(figure)]


def test_a_second_run_asks_the_same(well: Lived, tmp_path: Path) -> None:
    assert len(well.digests) >= 2
    assert live(tmp_path, reads_well).digests == well.digests


def test_a_run_over_recorded_answers_asks_nobody(well: Lived, tmp_path: Path) -> None:
    again = live(tmp_path, reads_well, well.file)
    assert again.model.asked == []
    assert again.digests == well.digests


def test_prompts_hold_no_ids_places_or_times_of_the_machine(well: Lived) -> None:
    prompts = [one.prompt for one in well.model.asked]
    assert [one for one in prompts if _OF_A_MACHINE.search(one)] == []


def test_a_model_that_reads_well_has_every_figure(well: Lived) -> None:
    verdict = judge(well.life)
    assert verdict.misses == []
    assert verdict.all == {
        "facts kept": 4,
        "scope right": 3,
        "current first": 1,
        "ended in time": 1,
        "not erased": 1,
        "traps avoided": 1,
        "in the first": 2,
        "in the first three": 2,
        "in three lines": 2,
    }
    assert verdict.right == verdict.all
    assert verdict.tokens_in > verdict.tokens_out > 0
    assert verdict.spoken > 0


def test_what_was_erased_is_told_though_it_had_ended(well: Lived) -> None:
    (gone,) = (one for one in well.life.kept.values() if "Porto" in one.memory.content)
    left = {key: one for key, one in well.life.kept.items() if one is not gone}
    verdict = judge(replace(well.life, kept=left))
    assert (verdict.right["ended in time"], verdict.right["not erased"]) == (1, 0)
    assert [miss.wanted[:2] for miss in misses_of(verdict, "erased")] == ["f2"]


def test_what_no_search_finds_is_told(well: Lived) -> None:
    silent = {
        text: replace(one, result=one.result.model_copy(update={"hits": ()}))
        for text, one in well.life.answers.items()
    }
    verdict = judge(replace(well.life, answers=silent))
    assert (verdict.right["in the first three"], verdict.right["current first"]) == (0, 0)
    assert len(misses_of(verdict, "question")) == verdict.all["in the first three"] == 2


def test_each_fault_of_a_model_is_told_with_what_there_was_instead(badly: Verdict) -> None:
    (lost,) = misses_of(badly, "fact")
    assert lost.wanted.startswith("f3 ")
    (caught,) = misses_of(badly, "trap")
    assert caught.found[0].startswith("The user hunts whales.")
    (standing,) = misses_of(badly, "change")
    assert any(line.startswith("still counts: ") for line in standing.found)
    (endless,) = misses_of(badly, "temporary")
    assert endless.found[0].startswith("The user speaks of Porto. [fact, active, everywhere;")
    assert [miss.wanted[:2] for miss in misses_of(badly, "scope")] == ["f1", "f4"]


def test_a_proposal_that_is_turned_away_is_listed_with_its_reason(badly: Verdict) -> None:
    assert badly.rejected == {"quote not in the turn": 1}
    assert [miss.wanted for miss in misses_of(badly, "proposed")] == ["The kiln log is on paper."]


def test_a_question_without_an_answer_ends_the_run_and_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "labelled").mkdir()
    (tmp_path / "labelled" / "kiln.json").write_bytes(_FILE.read_bytes())
    assert main(["--recorded", "--material", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert re.search(r"kiln\.jsonl: no answer is recorded for question 1 \(extract, \w{12}\)", told)
    assert "--record FOLDER" in told


def test_a_failure_of_whoever_answers_ends_the_run(tmp_path: Path) -> None:
    def fails(_: int, __: str, ___: list[dict[str, Any]]) -> dict[str, Any] | None:
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="the disk is full"):
        live(tmp_path, fails)


def test_an_answer_whose_prompt_was_changed_is_refused(well: Lived, tmp_path: Path) -> None:
    file = tmp_path / "kiln.jsonl"
    changed = well.file.read_text("utf-8").replace("You keep an assistant's", "You keep some")
    file.write_text(changed, "utf-8")
    with pytest.raises(ValueError, match="line 1: the digest is not that of the prompt"):
        read_exchanges(file)


def test_after_a_recording_only_what_was_asked_is_left(well: Lived, tmp_path: Path) -> None:
    file = tmp_path / "kiln.jsonl"
    file.write_bytes(well.file.read_bytes())
    answers = Answers(file, Scripted(reads_well))
    last = read_exchanges(file)[-1]
    answers.asked.append(last)
    answers.forget_unasked()
    assert read_exchanges(file) == [last]


def asked(text: str) -> Question:
    return Question(purpose="extract", instructions="Read.", schema_text='{"type":1}', text=text)


def test_a_written_question_is_all_that_the_model_is_sent_and_keeps_its_number(
    tmp_path: Path,
) -> None:
    folder = Folder(tmp_path / "kiln", patience_s=0)
    assert folder.answer(asked("One.")) is None
    assert folder.answer(asked("Two.")) is None
    again = Folder(tmp_path / "kiln", patience_s=0)
    assert again.answer(asked("One.")) is None
    assert sorted(file.name for file in (tmp_path / "kiln").iterdir()) == [
        "0001.prompt.md",
        "0002.prompt.md",
    ]
    shown = (tmp_path / "kiln" / "0001.prompt.md").read_text("utf-8")
    assert shown == (
        "# Instructions\n\nRead.\n\n# Form of the answer (JSON schema)\n\n"
        '```json\n{"type":1}\n```\n\n# Text\n\nOne.\n'
    )


def test_an_answer_counts_once_it_is_whole(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "kiln", patience_s=0)
    folder.answer(asked("One."))
    file = tmp_path / "kiln" / "0001.answer.json"
    file.write_text('{"operations": [', "utf-8")
    assert folder.answer(asked("One.")) is None
    file.write_text('{"operations": []}', "utf-8")
    assert folder.answer(asked("One.")) == '{"operations": []}'


@pytest.mark.parametrize(
    ("where", "value", "told"),
    [
        (("facts", 0, "said"), ["s1:9"], "f1 names the turn s1:9, which isn't there"),
        (("facts", 0, "said"), ["s1"], "facts.0.said.0: Value error, 's1' names no turn"),
        (("facts", 0, "words"), [["Oracle"]], "the statement of f1 lacks its own words"),
        (("facts", 1, "id"), "f1", "there are 2 facts f1"),
        (("changes", 0, "new"), "f8", "there is no fact f8"),
        (("temporary", 0, "fact"), "f7", "there is no fact f7"),
        (("questions", 0, "not"), ["f6"], "there is no fact f6"),
        (("traps", 0, "said"), ["s3:0"], "names the turn s3:0, which isn't there"),
        (("ask_on",), "2026-03-01", "s1 ends after ask_on"),
        (("sessions", 1, "id"), "s1", "there are 2 sessions s1"),
        (("sessions", 1, "turns", 0, "at"), "2026-03-04T18:00:00Z", "not in the order"),
        (("sessions", 1, "turns", 0, "at"), "2026-03-03T18:00:00", "timezone"),
        (("langage",), "en", "langage: Extra inputs are not permitted"),
    ],
)
def test_a_label_that_contradicts_its_conversation_is_told(
    tmp_path: Path, where: tuple[str | int, ...], value: object, told: str
) -> None:
    read = json.loads(_FILE.read_text("utf-8"))
    place = read
    for step in where[:-1]:
        place = place[step]
    place[where[-1]] = value
    (tmp_path / "kiln.json").write_text(json.dumps(read), "utf-8")
    with pytest.raises(ValueError, match=re.escape(told)) as error:
        read_labelled(tmp_path)
    assert str(error.value).startswith("kiln.json")


def test_the_labelled_conversations_of_the_project_are_sound() -> None:
    names = ["agent", "chinese", "chinese2", "developer2", "household"]
    assert [one.name for one in read_labelled(MATERIAL / "labelled")] == names


def test_a_conversation_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--recorded", "--material", str(tmp_path), "--only", "oven"]
    assert main(asked) == 2
    assert "There is no labelled conversation in" in capsys.readouterr().err
    (tmp_path / "labelled").mkdir()
    (tmp_path / "labelled" / "kiln.json").write_bytes(_FILE.read_bytes())
    assert main(asked) == 2
    assert "There is no conversation oven. There is: kiln." in capsys.readouterr().err
