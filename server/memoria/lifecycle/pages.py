"""Pages: rows in the order of their numbers, each page read in a transaction of its own."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from memoria.lifecycle.interface import StepContext
from memoria.store.rows.transaction import Transaction

Row = TypeVar("Row")
Number = TypeVar("Number")


def read_pages(
    context: StepContext,
    list_rows: Callable[[Transaction, Number], Sequence[Row]],
    number_of: Callable[[Row], Number],
    start: Number,
) -> Iterator[Sequence[Row]]:
    """Yield the pages that there are, so that no snapshot is held while their rows are looked at.

    Args:
        context: whose rows.
        list_rows: gives some of those beyond a number, in their order.
        number_of: gives the number of a row.
        start: the number before the first one.
    """
    after = start
    while True:
        with context.store.read(context.tenant) as tx:
            page = list_rows(tx, after)
        if not page:
            return
        yield page
        after = number_of(page[-1])
