"""Whether `bench.later` sees what an answer shows: a case at a time, in homes of its own."""

import json
from pathlib import Path

import anyio
from bench.later.ask import ask_group, summarise
from bench.later.cases import make_groups, read_cases
from bench.later.never import ask_lives


def write(file: Path, *lines: object) -> Path:
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return file


def test_both_sides_of_a_correction_are_seen_in_the_text_that_an_agent_reads(
    tmp_path: Path,
) -> None:
    told = {"old": "My car is a red Fiat.", "new": "My car is a Skoda now.", "lang": "en"}
    file = write(tmp_path / "a", {"id": "c1", "question": "Which car is mine, a Skoda?", **told})
    (group,) = make_groups(read_cases(file, None), 0, tmp_path, None)
    (seen,) = anyio.run(lambda: ask_group(group, "second", with_queries=False))
    assert seen.new is not None
    assert seen.old is not None
    assert {1, 2} >= {seen.rank}
    assert summarise([seen])["only the old"] == 0


def test_other_wordings_belong_to_the_case_of_their_id(tmp_path: Path) -> None:
    lines = [
        {"id": n, "lang": "en", "said": f"I sing {n}.", "request": "Plan it."} for n in ("x1", "x2")
    ]
    wordings = write(tmp_path / "w", {"id": "x2", "queries": ["songs"]})
    first, second = read_cases(write(tmp_path / "a", *lines), wordings)
    assert (first.queries, second.queries) == ((), ("songs",))


def test_what_was_never_said_is_counted_by_how_near_it_comes() -> None:
    life = {"lang": "en", "facts": ["My flight to Oslo leaves on 3 May."], "far": ["Blood type?"]}
    asked = {"near": ["When does the Lisbon flight leave?"], "answerable": [{"question": "Oslo?"}]}
    report = anyio.run(ask_lives, [{**life, **asked}])
    assert [*report["figures"]] == ["en far", "en near", "en answerable"]
