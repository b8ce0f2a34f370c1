"""The contradiction set is well formed: what it expects can be reached from what it proposes."""

from collections import Counter
from typing import get_args

import pytest
from bench.conflicts import Case, cases
from bench.conflicts.cases import Kind

from memoria.model.operation import Add, Boost, Delete, Update

CASES = tuple(cases())
each = pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])


def contents(case: Case) -> list[str]:
    return [
        proposal.operation.content
        for _, proposal in case.operations
        if isinstance(proposal.operation, Add | Update)
    ]


def test_both_languages_have_two_dozen_cases_and_every_kind() -> None:
    assert all(count >= 24 for count in Counter(case.language for case in CASES).values())
    kinds = {(case.language, case.kind) for case in CASES}
    assert kinds == {(language, kind) for language in ("en", "zh") for kind in get_args(Kind)}
    assert len({case.id for case in CASES}) == len(CASES)


@each
def test_turns_are_in_order_and_only_users_are_listened_to(case: Case) -> None:
    moments = [said.at for said in case.turns]
    assert moments == sorted(set(moments))
    assert all(said.proposed if said.role == "user" else not said.proposed for said in case.turns)


@each
def test_every_quote_stands_in_its_turn(case: Case) -> None:
    quoted = [
        (number, proposal.operation)
        for number, proposal in case.operations
        if isinstance(proposal.operation, Add | Update | Delete)
    ]
    assert quoted
    for number, operation in quoted:
        assert operation.turn == number
        assert operation.quote in case.turns[number - 1].text


@each
def test_a_label_is_given_before_it_is_used(case: Case) -> None:
    known = set[str]()
    for _, proposal in case.operations:
        if isinstance(proposal.operation, Update | Delete | Boost):
            assert proposal.operation.id in known
        assert isinstance(proposal.operation, Add) == (proposal.label is not None)
        known |= {proposal.label} if proposal.label else set()


@each
def test_what_must_hold_was_proposed(case: Case) -> None:
    replaced = {old.content: old.superseded_by for old in case.history}
    assert case.current
    assert {*case.current, *replaced, *replaced.values()} <= set(contents(case))
    assert set(contents(case)) <= {*case.current, *replaced, *case.absent, *case.repeats}


@each
def test_nothing_is_at_once_current_and_gone(case: Case) -> None:
    gone = {old.content for old in case.history} | set(case.absent) | set(case.repeats)
    assert not gone & set(case.current)
    assert not (case.kept_both and case.history)
