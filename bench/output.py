"""What every report is made of: tables for people, plain values for JSON."""

from rich.table import Table

_DIGITS = 4


def table(title: str, words: int, *headings: str) -> Table:
    """An empty table whose first `words` columns are text and whose others are numbers."""
    empty = Table(title=f"\n{title}", box=None, padding=(0, 1, 0, 0), title_justify="left")
    for i, heading in enumerate(headings):
        empty.add_column(heading, justify="left" if i < words else "right", no_wrap=True)
    return empty


def rounded(value: object) -> object:
    """The value with every number in it to four decimals and every key as text."""
    match value:
        case dict():
            return {str(key): rounded(item) for key, item in value.items()}
        case float():
            return round(value, _DIGITS)
        case _:
            return value
