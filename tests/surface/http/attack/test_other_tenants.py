"""Of ids of another tenant a caller learns no more than of ids that never were."""

from collections.abc import Iterator
from itertools import count

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.surface.http.attack.agent import McpAgent, McpEra
from tests.surface.http.attack.conftest import Served
from tests.surface.http.attack.known_ids import (
    Call,
    IdKind,
    compare_form,
    fill,
    list_calls,
    make_up,
    put_in,
)

from memoria.model.access import Access

CALLS = [*list_calls()]
_READS = ("memories/{memory}", "sessions/{session}", "unread/{page}", "scratchpad")
_NUMBERS = count(1)
_PARTS = 4
"""Number of tests among which the calls are dealt, so that each is short."""


class Tenants:
    """One tenant that has memories, and as many twins as are needed, who have none."""

    def __init__(self, served: Served, era: McpEra = "new") -> None:
        self.served = served
        self.era: McpEra = era
        self.ann = served.agent(served.create_token("ann", Access.ADMIN).text, era)
        self.ids = fill(self.ann)
        self.made_up = make_up(self.ids)
        self.before = self.read_ann()

    def read_ann(self) -> list[str]:
        """Read what the tenant with memories has."""
        return [
            compare_form(self.ann.request("resources/read", uri=f"memory://{one}"), {})
            for one in put_in([*_READS], self.ids)
        ]

    def make_twins(self) -> tuple[McpAgent, McpAgent]:
        """Return agents of two tenants that have nothing."""
        number = next(_NUMBERS)
        names = (f"{name}{number:04}" for name in ("ben", "cat"))
        ben, cat = (
            self.served.agent(self.served.create_token(name, Access.ADMIN).text, self.era)
            for name in names
        )
        return ben, cat

    def compare(self, calls: Iterator[tuple[Call, dict[IdKind, IdKind]]]) -> None:
        """Have both twins make the same calls, one with ids that are, one with ids that never were.

        Args:
            calls: each with the kind of id that is put in the place of another kind.
        """
        ben, cat = self.make_twins()
        for (method, params), swapped in calls:
            told: list[str] = []
            for agent, ids in ((ben, self.ids), (cat, self.made_up)):
                sent = ids | {kind: ids[other] for kind, other in swapped.items()}
                answer = agent.request(method, **put_in(params, sent))
                told.append(compare_form(answer, ids | {"own": agent.own_session}))
            assert told[0] == told[1], (method, params, swapped)
            self.served.check_tells_nothing(told[0])
        assert self.read_ann() == self.before


@pytest.mark.parametrize("era", ["new", "old"])
@pytest.mark.parametrize("part", range(_PARTS))
def test_ids_of_another_tenant_answer_as_ids_that_never_were(
    served: Served, era: McpEra, part: int
) -> None:
    Tenants(served, era).compare((call, {}) for call in CALLS[part::_PARTS])


def test_any_id_in_any_place_and_order_tells_nothing_of_another_tenant(served: Served) -> None:
    tenants = Tenants(served)
    kinds = st.sampled_from([*tenants.ids])
    calls = st.tuples(st.sampled_from(CALLS), st.dictionaries(kinds, kinds, max_size=3))

    @settings(
        max_examples=5,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
        database=None,
    )
    @given(st.lists(calls, min_size=3, max_size=8))
    def compare(drawn: list[tuple[Call, dict[IdKind, IdKind]]]) -> None:
        tenants.compare(iter(drawn))

    compare()


def test_the_connection_of_another_tenant_is_as_one_that_never_was(served: Served) -> None:
    tenants = Tenants(served, "old")
    ben = served.agent(served.create_token("ben", Access.ADMIN).text, "old")
    again = served.agent(served.create_token("ann", Access.ADMIN).text, "old")
    known = tenants.ann.session
    assert known is not None
    for agent in (ben, again):  # another token of the same tenant has connections of its own, too
        for method in ("POST", "GET", "DELETE"):
            told = []
            for session in (known, known[::-1], "", "x" * 5_000, "../" + known):
                agent.session = session
                body, headers = agent.write("tools/list", {})
                sent = body if method == "POST" else None
                answer = agent.http.request(method, "/mcp", headers=headers, json=sent)
                told.append((answer.status_code, answer.text))
            assert told == [told[0]] * len(told), method
            assert told[0][0] == 404, method
    assert tenants.read_ann() == tenants.before


def test_a_tenant_is_told_no_size_that_others_change(served: Served) -> None:
    ann = served.agent(served.create_token("ann", Access.WRITE).text)
    ben = served.agent(served.create_token("ben", Access.WRITE).text)
    ann.do("remember", content="Ann keeps bees.")
    before = ann.request("resources/read", uri="memory://status")
    for number in range(15):
        ben.do("remember", content=f"Ben's neighbour {number} has {number * 7} hens. " * 99)
    assert compare_form(ann.request("resources/read", uri="memory://status"), {}) == compare_form(
        before, {}
    )
