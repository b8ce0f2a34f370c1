"""A home is kept by the engine that its URL names; one that is not there is refused by name."""

from pathlib import Path

import pytest

import memoria
from memoria.app.engine import choose_engine, open_store
from memoria.app.nightly import dry_run
from memoria.app.upkeep import back_up
from memoria.config import Settings
from memoria.errors import InvalidInputError


def settings(home: Path, **values: object) -> Settings:
    return Settings.load(home=home, tenant="ann", embedder="off", **values)


def test_without_a_url_the_home_holds_a_file(home: Path) -> None:
    chosen = settings(home)
    assert not choose_engine(chosen).exists(chosen)
    open_store(chosen).close()
    assert choose_engine(chosen).exists(chosen)
    assert (home / "memoria.db").is_file()


@pytest.mark.parametrize("url", ["postgresql://ann:hunter2@db/memoria", "memoria.db", "SQLITE:"])
def test_an_engine_that_is_not_there_is_refused_and_says_which_there_is(
    home: Path, url: str
) -> None:
    with pytest.raises(InvalidInputError, match=r"MEMORIA_STORE_URL.*There is: sqlite:") as caught:
        open_store(settings(home, store_url=url))
    assert "hunter2" not in str(caught.value)
    assert not home.exists()


def test_a_place_of_its_own_is_refused_and_says_where_the_file_goes(home: Path) -> None:
    with pytest.raises(InvalidInputError, match="MEMORIA_HOME"):
        open_store(settings(home, store_url="sqlite:///srv/memoria.db"))


async def test_every_way_into_a_home_asks_for_the_same_engine(home: Path) -> None:
    unknown = settings(home, store_url="postgresql:")
    with pytest.raises(InvalidInputError, match="no engine"):
        async with memoria.open(settings=unknown):
            pass
    with pytest.raises(InvalidInputError, match="no engine"):
        dry_run(unknown)
    with pytest.raises(InvalidInputError, match="no engine"):
        back_up(unknown, None, lambda *_: None)
