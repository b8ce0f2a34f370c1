"""What a program loads for good is not looked through for garbage."""

import gc

import pytest

from memoria.bare.collector import load_for_good


def test_what_is_loaded_for_good_is_never_looked_through_and_what_comes_after_it_is() -> None:
    with load_for_good():
        assert not gc.isenabled()
        loaded: list[object] = []
    assert gc.isenabled()
    later: list[object] = []
    looked_at = gc.get_objects()
    assert not any(one is loaded for one in looked_at)
    assert any(one is later for one in looked_at)


def test_what_could_not_be_loaded_leaves_the_collector_as_it_was() -> None:
    begun: list[object] = []

    def fail() -> None:
        begun.append([])
        raise ImportError

    with pytest.raises(ImportError), load_for_good():
        fail()
    assert gc.isenabled()
    assert any(one is begun[0] for one in gc.get_objects())
