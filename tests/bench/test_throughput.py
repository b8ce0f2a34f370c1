"""The throughput benchmark in small: that it counts what it says, not how much it is."""

import json
from pathlib import Path

import anyio.lowlevel
import pytest
from bench.throughput import Verdict, judge
from bench.throughput.__main__ import main
from bench.throughput.clients import CAPTURE, SEARCHES, Account, choose_tool, run_clients
from bench.throughput.verdict import compare

FIRST, SECOND = SEARCHES


async def test_clients_call_one_after_the_other_and_a_call_that_fails_is_counted() -> None:
    at_once: set[int] = set()
    most: list[int] = []

    async def act(client: int, i: int, tool: str) -> None:
        assert client not in at_once
        at_once.add(client)
        most.append(len(at_once))
        await anyio.lowlevel.checkpoint()
        at_once.remove(client)
        assert tool == choose_tool(i)
        if i == 3:
            raise ValueError("no")

    account = await run_clients(act, 5, 0.05, [])
    assert max(most) == 5
    assert account.errors == [f"{SECOND}, call 3: ValueError: no"]
    assert sum(map(len, account.took_ms.values())) == len(most)
    tools = [choose_tool(i) for i in range(20)]
    assert [tools.count(tool) for tool in (FIRST, SECOND, CAPTURE)] == [10, 8, 2]


def test_searches_a_second_are_compared_by_medians_where_most_tasks_ask() -> None:
    def rate(checkout: str, way: str, clients: int, searches: int) -> Verdict:
        took = {FIRST: [1.0] * searches, SECOND: [3.0] * searches, CAPTURE: [9.0]}
        return judge(checkout, way, clients, Account(took, [], 10.0, 12.0, 1.0, 5.0))

    verdicts = [
        rate("this one", "tasks", 64, 80),
        rate("this one", "tasks", 64, 100),
        rate("this one", "tasks", 64, 900),
        rate("older", "tasks", 64, 20),
        rate("older", "tasks", 8, 500),
        rate("older", "processes", 64, 500),
        rate("floor", "tasks", 64, 500),
    ]
    assert compare(verdicts) == pytest.approx(5.0)
    assert compare(verdicts[:3]) is None
    each = verdicts[0]
    assert (each.searches_per_s, each.captures_per_s, each.cores) == (80, 0.5, 0.5)
    assert each.cpu_ms == pytest.approx(6.25)
    assert each.memory_mib == 5.0
    assert (each.took[SECOND].calls, each.took[SECOND].p50, each.took[SECOND].most) == (80, 3, 3)


@pytest.mark.sqlite("the benchmark asks a copy of the file")
def test_tasks_processes_and_the_floor_are_asked_on_a_copy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--data", str(tmp_path), "--turns", "60", "--clients", "2", "--seconds", "0.2"]
    options += ["--lead", "0"]
    assert main([*options, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [(each["checkout"], each["way"]) for each in report["runs"]] == [
        ("this one", "tasks"),
        ("this one", "processes"),
        ("floor", "tasks"),
    ]
    for each in report["runs"]:
        assert each["searches_per_s"] > 0
        assert each["errors"] == []
    assert report["factor"] is None
    assert list(tmp_path.iterdir()) == []
