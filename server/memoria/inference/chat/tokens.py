"""What a question costs, before anybody has counted."""

from memoria.inference.chat.base import AnswerT, ChatRequest
from memoria.text.budget import estimate_tokens


def question_tokens(question: ChatRequest[AnswerT]) -> int:
    """The tokens of a question, estimated."""
    return estimate_tokens(question.instructions) + estimate_tokens(question.text)
