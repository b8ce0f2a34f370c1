"""Problems: what a caller did wrong, as `application/problem+json` (RFC 9457)."""

import json
from collections.abc import Mapping

from starlette.responses import Response


def refuse(status: int, reason: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return a refusal with its reason, which says what to do."""
    problem = {"title": reason, "status": status}
    return Response(json.dumps(problem), status, headers, "application/problem+json")
