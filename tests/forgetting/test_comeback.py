"""Forgotten stays forgotten, however it was learnt, is forgotten and comes again.

REENTRY_EXAMPLES in the environment plays more examples; `all` plays the whole table.
"""

import os
import shutil
from itertools import product
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.forgetting.comeback import (
    FORMS,
    ORIGINS,
    PATHS,
    Comeback,
    forget,
    is_erased,
    list_returns,
    remember_around,
    script,
)
from tests.forgetting.reentry import STATEMENTS, VARIANTS
from tests.ingest.play import opened

from memoria.app.upkeep import back_up, restore

_WISHED = os.environ.get("REENTRY_EXAMPLES", "4")
_ALL = list(product(PATHS, VARIANTS))
_REENTRIES = st.lists(st.sampled_from(_ALL), min_size=8, max_size=8, unique=True)


@settings(
    deadline=None,
    max_examples=int(_WISHED) if _WISHED.isdigit() else 1,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(
    st.sampled_from(STATEMENTS),
    st.sampled_from(sorted(ORIGINS)),
    st.sampled_from(FORMS),
    _REENTRIES,
)
def test_however_it_comes_again_it_is_not_remembered(
    tmp_path_factory: pytest.TempPathFactory,
    statement: str,
    origin: str,
    form: str,
    reentries: list[tuple[str, str]],
) -> None:
    folder = tmp_path_factory.mktemp("again")
    assert anyio.run(play, folder, statement, origin, form, reentries) == []


if _WISHED == "all":

    @pytest.mark.parametrize(("number", "case"), list(enumerate(product(ORIGINS, FORMS))))
    def test_nothing_of_the_whole_table_comes_back(
        tmp_path: Path, number: int, case: tuple[str, str]
    ) -> None:
        statement = STATEMENTS[number % len(STATEMENTS)]
        assert anyio.run(play, tmp_path, statement, *case, _ALL) == []


async def play(
    folder: Path, statement: str, origin: str, form: str, reentries: list[tuple[str, str]]
) -> list[str]:
    """Learn it, forget it, and bring it back in these ways. Gives what has come back."""
    erased = is_erased(form)
    texts = [VARIANTS[variant](statement) for _, variant in reentries]
    with script() as model:
        async with opened(folder / "home", model) as m:
            c = Comeback(m, model, statement)
            await remember_around(c)
            await ORIGINS[origin](c)
            await m.wait_until_idle(60)
            await anyio.to_thread.run_sync(back_up, m.settings, c.backup, no_progress)
            await forget(c, form)
            model.requests.clear()
            for (path, _), text in zip(reentries, texts, strict=True):
                await PATHS[path](c, text)
            await m.wait_until_idle(120)
            await c.night()
            returns = await list_returns(c, texts, erased=erased)
        await anyio.to_thread.run_sync(restore, m.settings, c.backup, no_progress)
        shutil.rmtree(next(c.home.glob("before-restore-*")))
        async with opened(folder / "home", model) as m:
            c.m = m
            return returns + await list_returns(c, texts, erased=erased)


def no_progress(_done: int, _total: int) -> None:
    pass
