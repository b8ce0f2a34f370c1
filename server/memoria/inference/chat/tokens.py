"""What a request costs, before anybody has counted."""

from memoria.inference.chat.base import AnswerT, ChatRequest
from memoria.language.budget import estimate_tokens


def request_tokens(request: ChatRequest[AnswerT]) -> int:
    """The tokens of a request, estimated."""
    return estimate_tokens(request.instructions) + estimate_tokens(request.text)
