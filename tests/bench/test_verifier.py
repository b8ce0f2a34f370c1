"""The bench of what a night weighs runs a case from its turns to the verdict."""

import json
from collections import Counter
from pathlib import Path

import pytest
from bench.verifier.__main__ import CASES, run_case

READ = [
    json.loads(line)
    for file in sorted(CASES.glob("*.jsonl"))
    for line in file.read_text("utf-8").splitlines()
]
BY_ID = {case["id"]: case for case in READ}


def test_both_halves_have_as_many_cases_of_each_kind_and_of_each_language() -> None:
    assert len(BY_ID) == len(READ)
    mixes = [
        Counter(one[key] for one in READ for key in ("kind", "lang") if one["id"].startswith(half))
        for half in ("dm", "du")
    ]
    assert mixes[0] == mixes[1]


@pytest.mark.sqlite("lays homes of its own")
@pytest.mark.parametrize(("name", "missed"), [("dm-03", set()), ("dm-29", {"down", "reason"})])
def test_a_case_comes_out_as_it_is_told(name: str, missed: set[str], tmp_path: Path) -> None:
    told = list(run_case(BY_ID[name], str(tmp_path)))
    assert {label for label, is_right, _ in told if not is_right} == missed
