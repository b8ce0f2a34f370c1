"""A statement that names a file is bound to it, though the file has none of its words."""

from pathlib import Path

import pytest
from tests.ground.made import Made

from memoria.ground.binding import bind
from memoria.ground.states import check
from memoria.ground.values import GroundState

FIRST, SQL = "db/migrations/0001_init.sql", "CREATE TABLE birds (id bigint PRIMARY KEY);\n"
SAID = f"Migrations are SQL files; {FIRST} is the first."


@pytest.mark.parametrize(
    ("later", "state"),
    [
        ({"main.go": "package main\n"}, GroundState.GONE),
        ({FIRST: SQL, "main.go": "package main\n\nfunc main() {}\n"}, GroundState.UNCHANGED),
    ],
)
def test_a_named_file_that_has_no_word_of_the_statement_carries_it(
    tmp_path: Path, later: dict[str, str], state: GroundState
) -> None:
    made = Made(tmp_path / "plover")
    made.commit({FIRST: SQL, "main.go": "package main\n"})
    bound = bind(SAID, [], made.open())
    assert [one.path for one in bound] == [FIRST]
    made.commit(later)
    assert check(bound, made.open()).state is state


def test_a_statement_that_names_no_file_and_nothing_of_any_is_bound_to_nothing(
    tmp_path: Path,
) -> None:
    made = Made(tmp_path / "plover")
    made.commit({FIRST: SQL})
    assert bind("Ann likes her tea at five.", [], made.open()) == ()
