"""Rules that no keyword of the OpenAPI document can say, for schemathesis, which loads this."""

from pathlib import Path
from typing import Any

import schemathesis  # type: ignore[import-not-found]  # it has an environment of its own
from hypothesis import strategies as st

_ENDS = ("24h", "30d", "session", "permanent", "Friday", "2999-06-30", "下周五")
_SHORT = 8

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
    """Leave out an end beside a beginning, before which it must not be; shorten names."""
    if isinstance(body, dict):
        several = body.get("memories")
        for one in (body, *(several if isinstance(several, list) else ())):
            if isinstance(one, dict):
                _shorten(one)
                if isinstance(one.get("valid_from"), str) and one.get("until") in _ENDS:
                    del one["until"]
    return body


@schemathesis.hook  # type: ignore[untyped-decorator]
def map_query(_context: object, query: Any) -> Any:  # noqa: ANN401  (arguments)
    """Shorten names."""
    if isinstance(query, dict):
        _shorten(query)
    return query


def _shorten(arguments: dict[str, Any]) -> None:
    """Shorten the name of a project: one in which a key seems to stand is refused."""
    if isinstance(arguments.get("workspace"), str):
        arguments["workspace"] = arguments["workspace"][:_SHORT]
