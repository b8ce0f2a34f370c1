"""Chat models: questions with a form, and answers of that form."""

from memoria.inference.chat.base import ChatModel, Question, Reply
from memoria.inference.chat.choose import choose_chat_model, gate_limits
from memoria.inference.chat.gate import Gate, GateLimits, Ledger

__all__ = [
    "ChatModel",
    "Gate",
    "GateLimits",
    "Ledger",
    "Question",
    "Reply",
    "choose_chat_model",
    "gate_limits",
]
