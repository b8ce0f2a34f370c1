"""The corpora of secrets are read the same each time, and say what they are about."""

import re
from pathlib import Path

import pytest
from tests.language.secrets.corpus import Case, find_survivors, make_case, read_cases

FOLDER = Path(__file__).parent
SHAPES = sorted(FOLDER.glob("shapes_*.tsv"))
LOOK_ALIKES = sorted(FOLDER.glob("look_alikes_*.tsv"))


def read_all(files: list[Path]) -> list[Case]:
    return [case for file in files for case in read_cases(file)]


def test_no_name_and_no_text_stands_twice_and_every_reading_is_the_same() -> None:
    cases = read_all(SHAPES + LOOK_ALIKES)
    assert len({case.name for case in cases}) == len(cases)
    assert len({case.text for case in cases}) == len(cases)
    assert read_all(SHAPES + LOOK_ALIKES) == cases


def test_chance_is_the_same_on_every_machine() -> None:
    assert make_case("anchor", "id {hex:8}, {digits:4}").text == "id 8cdf2e9c, 8479"


def test_every_shape_has_secrets_and_shows_them_nowhere_else() -> None:
    for case in read_all(SHAPES):
        assert case.secrets, case.name
        assert all(secret.strip() for secret in case.secrets), case.name
        assert find_survivors(case, case.text) == list(case.secrets), case.name
        assert not find_survivors(case, " … ".join(case.context)), case.name


def test_no_look_alike_has_a_secret() -> None:
    assert not [case.name for case in read_all(LOOK_ALIKES) if case.secrets]


def test_every_placeholder_is_of_a_known_kind() -> None:
    for case in read_all(SHAPES + LOOK_ALIKES):
        assert not re.search(r"\{[a-z0-9_]+:[0-9 ]+\}", case.text), case.name
        assert not any(re.search(r"[⟦⟧{}]", secret) for secret in case.secrets), case.name


@pytest.mark.parametrize(
    ("secret", "left", "is_out"),
    [
        ("4921", "the PIN is [PIN]", True),
        ("4921", "the PIN is 4921", False),
        ("heron marble saffron dune", "[secret] marble saffron dune", False),
        ("ghp_0123456789012345678901234567", "ghp_[secret]", True),
        ("ghp_0123456789012345678901234567", "[secret]01234567890123456789", False),
    ],
)
def test_half_a_secret_is_a_secret_still(secret: str, left: str, is_out: bool) -> None:
    case = Case("one", secret, (secret,), ("", ""))
    assert bool(find_survivors(case, left)) is not is_out
