"""Cost of a request, before anybody has counted."""

from memoria.inference.chat.base import AnswerT, ChatRequest
from memoria.language.budget import estimate_tokens


def request_tokens(request: ChatRequest[AnswerT]) -> int:
    """Estimate the tokens of a request."""
    return estimate_tokens(request.instructions) + estimate_tokens(request.text)
