"""Rows in order of a key, and numbers once each."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from memoria.store.image.sorted_rows import list_once

numbers = st.lists(st.integers(-(2**63), 2**63 - 1), max_size=50)


@given(numbers)
def test_each_number_is_given_once_and_in_order(listed: list[int]) -> None:
    given_once = list_once(np.array(listed * 2, np.int64))
    assert given_once.tolist() == sorted(set(listed))
