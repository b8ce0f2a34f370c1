"""What does the configured chat model make of a conversation, from end to end?

A conversation is played into a home of its own through the library, and the queue is read to its
end by whatever model the settings name. Nothing is judged but that every entry came to an end: what
the model made of it is shown, with the words it rests on.

    MEMORIA_LLM_BASE_URL=… MEMORIA_LLM_MODEL=… python -m bench.extraction
"""

from bench.extraction.run import Report, extract_all

__all__ = ["Report", "extract_all"]
"""How it is used: `await extract_all(settings, talk, until)`."""
