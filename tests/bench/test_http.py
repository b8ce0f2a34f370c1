"""The load of a server over HTTP sees what it is there to see."""

from typing import Any

import pytest
from bench.http.load import Limit, run_crowd, sum_up
from bench.http.world import Call, Talk, Tenant, mark_of

OWN, OTHER = 3, 4


class Answering:
    """A client that is answered the same, whatever it calls."""

    def __init__(self, result: dict[str, Any] | None) -> None:
        self._result = result

    async def call(self, call: Call) -> dict[str, Any]:
        """Return the answer; raise where there is none."""
        if self._result is None:
            raise ConnectionError(call.tool)
        is_error = call.must_fail
        return {"isError": is_error, "structuredContent": {"id": "one"}, **self._result}


async def crowd_of(result: dict[str, Any] | None) -> tuple[int, int, int]:
    tenants = [Tenant(number, f"tenant {number}", "", ["known"]) for number in (OWN, OTHER)]
    callers = [(tenants[0], Answering(result))]
    crowd = await run_crowd(callers, Talk(tenants, 1), Limit(0.0, calls=60), [])
    return crowd.calls, len(crowd.errors), len(crowd.foreign)


@pytest.mark.parametrize(
    ("result", "is_wrong", "is_foreign"),
    [
        ({"content": mark_of(OWN)}, False, False),
        ({"content": f"{mark_of(OWN)} {mark_of(OTHER)}"}, False, True),
        ({"isError": True}, True, False),
        ({"isError": False}, False, True),
        (None, True, False),
    ],
)
async def test_an_answer_with_anothers_rows_is_reported_and_so_is_one_that_fails(
    result: dict[str, Any] | None, is_wrong: bool, is_foreign: bool
) -> None:
    calls, errors, foreign = await crowd_of(result)
    assert calls == (0 if result is None else 60)
    assert (errors > 0, foreign > 0) == (is_wrong, is_foreign)


async def test_figures_are_of_all_calls() -> None:
    tenants = [Tenant(OWN, "tenant", "")]
    callers = [(tenants[0], Answering({"content": ""}))]
    crowd = await run_crowd(callers, Talk(tenants, 1), Limit(0.0, calls=20), [])
    summary = sum_up("a way", 1, crowd)
    assert summary.calls == 20
    assert 0 <= summary.p50 <= summary.p95 <= summary.most
