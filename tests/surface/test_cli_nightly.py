"""`memoria nightly`: what the night did, in sentences, at any width."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.cells import cell_len
from tests.surface.shell import Shell

from memoria.model.nightly import Metric, NightlyRun, RunOptions, StepReport
from memoria.surface.cli.nightly_text import render_run, render_runs

IDS = (
    "0198c0de-1111-7000-8000-0000000000aa",
    "0198c0de-1111-7000-8000-0000000000bb",
)
WORDS = {
    IDS[0]: "The user's green tent leaks at the seam above the door",
    IDS[1]: "帐篷在门上方漏水",
}


@pytest.fixture
def shell(home: Path) -> Shell:
    return Shell(home, {"MEMORIA_TIME_ZONE": "Asia/Shanghai", "COLUMNS": "80"}).begin()


def step(name: str, **more: object) -> StepReport:
    return StepReport.model_validate({"name": name, "state": "applied", **more})


def a_night() -> NightlyRun:
    steps = (
        step("process_queue", outcomes={"done": 9, "put off": 3}, tokens=4100),
        step("merge", outcomes={"done": 1}, reasons={IDS[0]: f"merged into {IDS[1]}: it is said"}),
        step("decay", reduced="without a chat model faded memories are archived by strength"),
        step("review", reduced="without a chat model faded memories are archived by strength"),
        step("history", reduced="MEMORIA_HISTORY_FILES is off: no conversation is written"),
        step("core", outcomes={"unchanged": 4}),
    )
    return NightlyRun(
        n=1,
        id=IDS[1],
        at=1_772_442_845_000,
        options=RunOptions(steps=tuple(one.name for one in steps)),
        state="finished",
        tokens=4100,
        steps=steps,
        metrics=(Metric(name="recall", value=0.5, bound=0.9, exceeded=True),),
    )


@pytest.mark.parametrize("width", [80, 120])
def test_a_night_says_what_it_did_what_it_left_why_and_what_it_cost(width: int) -> None:
    said = render_run(a_night(), width, WORDS)
    flat = " ".join(said.split())
    for sentence in (
        "12 parts of conversations: 9 read by the chat model, 3 put off, to be tried again.",
        "1 pair of memories that say the same or exclude each other settled.",
        "Nothing to do for 4 steps of 6.",
        "Without a chat model: - faded memories are archived by strength",
        "Left out, or left for another run: - MEMORIA_HISTORY_FILES is off",
        "The chat model took 4100 tokens.",
        "note: 0.5 share of memories found by their own words (beyond 0.9)",
        "Take it back: memoria undo 000000bb",
    ):
        assert sentence in flat
    assert flat.count("faded memories") == 1
    tent = said.index("The user's green tent")
    assert tent < said.index("merged into 000000bb: it is said · 000000aa")
    assert not any(one in said for one in IDS)
    assert max(map(cell_len, said.splitlines())) <= width
    assert render_runs([a_night()], width).startswith("2026-03-02 ")


def test_a_night_names_itself_by_a_short_id_and_its_times_by_their_zone(shell: Shell) -> None:
    shell("remember", "The user's tent leaks")
    first = shell("nightly").out
    assert re.match(r"Nightly maintenance of \d{4}-\d\d-\d\d \d\d:\d\d \+08:00: done\.\n", first)
    assert "No chat model was asked: it cost nothing." in first
    for said in (first, shell("nightly", "runs").out):
        assert not re.search(r"[0-9a-f]{8}-[0-9a-f]{4}-", said)
    short = first.strip()[-8:]
    assert f"run {short}\n" in shell("show", short).out
    assert shell("undo", short, "--yes").out.startswith(f"Undone: nightly run {short}.\n")


def test_every_json_has_iso_times_and_nothing_but_what_is_meant_for_a_reader(
    shell: Shell,
) -> None:
    shell("remember", "The user's tent leaks")
    plan = shell.json("nightly", "--dry-run")
    assert set(plan) == {"steps"}
    run = shell.json("nightly")
    documents = [run, *shell.json("nightly", "runs")["runs"]]
    documents.append(shell.json("show", run["id"])["run"])
    assert [one["id"] for one in documents] == [run["id"]] * 3
    for one in documents:
        assert not {"n", "most_rows", "options"} & set(one)
        assert not [number for number in numbers(one) if number > 10**11]
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:.]+Z", one["at"])


def numbers(document: object) -> Iterator[float]:
    match document:
        case dict():
            for value in document.values():
                yield from numbers(value)
        case list():
            for value in document:
                yield from numbers(value)
        case int() | float():
            yield document
