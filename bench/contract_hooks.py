"""Rules that no keyword of the OpenAPI document can say, for schemathesis, which loads this."""

import re
from pathlib import Path
from typing import Any

import schemathesis  # type: ignore[import-not-found]  # it has an environment of its own
from hypothesis import strategies as st

_ENDS = ("24h", "30d", "session", "permanent", "Friday", "2999-06-30", "下周五")
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_SHORT = 8
_NOWHERE = "https://events.invalid/memoria"
"""Address of a webhook: nothing is ever sent to a name that ends so (RFC 2606)."""

schemathesis.openapi.format("end", st.sampled_from(_ENDS))
schemathesis.openapi.media_type("application/jsonl", st.just(Path("export.jsonl").read_bytes()))


@schemathesis.hook  # type: ignore[untyped-decorator]
def before_call(_context: object, case: Any, _options: object) -> None:  # noqa: ANN401  (its own)
    """Take a tag that was made to be refused out of a request that is to be accepted.

    In the phase "coverage" the first value of an optional header with a `pattern` is such a tag,
    and stays in the requests by which bodies are tried.
    """
    if case.meta and case.meta.generation.mode.is_positive:
        headers = [one for place, one in case.meta.components.items() if place == "header"]
        if any(one.mode.is_negative for one in headers):
            case.headers.pop("If-Match", None)


@schemathesis.hook  # type: ignore[untyped-decorator]
def map_body(_context: object, body: Any) -> Any:  # noqa: ANN401  (JSON)
    """Put right what no keyword says of several arguments together."""
    if isinstance(body, dict):
        several = body.get("memories")
        for one in (body, *(several if isinstance(several, list) else ())):
            if isinstance(one, dict):
                _put_right(one)
        if str(body.get("url")).startswith("http"):
            body["url"] = _NOWHERE
    return body


@schemathesis.hook  # type: ignore[untyped-decorator]
def map_query(_context: object, query: Any) -> Any:  # noqa: ANN401  (arguments)
    """Put right what no keyword says of several arguments together."""
    if isinstance(query, dict):
        _put_right(query)
    return query


def _put_right(arguments: dict[str, Any]) -> None:
    """Leave out an end that may lie before its beginning, and shorten the name of a project.

    A name in which a key seems to stand is refused, and no short one is taken for such.
    """
    if isinstance(arguments.get("workspace"), str):
        arguments["workspace"] = arguments["workspace"][:_SHORT]
    begins = any(isinstance(arguments.get(name), str) for name in ("since", "valid_from"))
    until = arguments.get("until")
    if begins and isinstance(until, str) and (until in _ENDS or _DATE.match(until)):
        del arguments["until"]
