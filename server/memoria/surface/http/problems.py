"""Problems: what a caller did wrong, as `application/problem+json` (RFC 9457)."""

import json

from starlette.responses import Response


def refuse(status: int, reason: str) -> Response:
    """Return a refusal with its reason, which says what to do."""
    problem = {"title": reason, "status": status}
    headers = {"WWW-Authenticate": 'Bearer error="invalid_token"'} if status == 401 else None  # noqa: PLR2004
    return Response(json.dumps(problem), status, headers, "application/problem+json")
