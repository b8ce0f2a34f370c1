"""Entries: everything that reads a turn, a question, a note or an answer, each with its name.

What reads only what is short by a rule (a memory of at most 4,000 characters, a name) is left out.
"""

from collections.abc import Callable, Mapping

from memoria.connectors.notes.note import read_note
from memoria.connectors.sources.notes import parse_note, read_links
from memoria.inference.chat.answers import UnfitAnswerError, read_answer
from memoria.inference.chat.base import ChatReply
from memoria.inference.tasks import request_checks
from memoria.ingest.processing import shorten_statement
from memoria.ingest.turn_draft import digest_opening, is_same_turn, is_whole
from memoria.language.asking.aim import find_wish, read_saying
from memoria.language.asking.parse import parse_query
from memoria.language.budget import estimate_tokens
from memoria.language.dates import full_dates, times
from memoria.language.names.mentions import find_names, find_names_asked
from memoria.language.reading.clean import Tally, clean_name, clean_text
from memoria.language.reading.excerpt import find_excerpt, split_passages
from memoria.language.reading.fences import escape_fences, show_invisible, strip
from memoria.language.reading.lead_ins import find_lead_in, is_of_ones_own, may_present
from memoria.language.reading.own_words import own_sentences
from memoria.language.reading.pasted import find_pasted_spans, is_pasted
from memoria.language.reading.quotes import find_quote, is_borne_out, is_said_literally
from memoria.language.reading.recognition import recognition_key, strip_markup
from memoria.language.reading.statement import is_distinctive, occurs_in, sentences_in
from memoria.language.secrets.redact import redact
from memoria.language.statements.classifier import classify_text
from memoria.language.statements.orders import instruction_shaped
from memoria.language.statements.plain_statements import find_plain_statements
from memoria.language.statements.withheld import asks_not_to_remember
from memoria.language.words.analyser import index_text, phrase_tokens, query_terms
from memoria.lifecycle.core.document import parse
from memoria.memories.details import ends_with_session
from memoria.model.memory import Trust
from memoria.model.moments import Zone
from memoria.model.turn import Role
from memoria.policy.privacy import screen
from memoria.policy.turns import is_answer, is_worth_extracting, route_turn
from memoria.surface.hook.sieve import is_surely_clean
from memoria.surface.mcp.incoming import repair_line

_SAID_MS = 1_795_824_000_000
_ZONE = Zone.from_offset(0)
_QUOTE = 300
"""The longest words that a model is taken to have quoted."""
_LONGEST_QUESTION = 20_000
_NAMED_CHARS = 4_000
"""The longest statement: of a turn even less is read for names."""
Entry = Callable[[str], object]


def _ask(text: str) -> object:
    question = text[:_LONGEST_QUESTION]
    return parse_query(question, query_terms(question), _SAID_MS, _ZONE)


def _find_quote(text: str) -> object:
    return [find_quote(text[:_QUOTE], f"x{text[1:]}"), find_quote(f"{text[:_QUOTE]}x", text)]


def _read_answer(text: str) -> object:
    request = request_checks(statements="", max_output_tokens=100)
    try:
        return read_answer(request, ChatReply(text, "", 0, 0))
    except UnfitAnswerError as error:
        return error


def _find_excerpt(text: str) -> object:
    return find_excerpt(text, dict.fromkeys(query_terms(text[:_QUOTE]), 1.0), 500)


ENTRIES: Mapping[str, Entry] = {
    # What every text goes through before it is kept
    "clean": lambda text: clean_text(text, Tally()),
    "clean a name": lambda text: clean_name(text, Tally()),
    "redact": redact,
    "strip": strip,
    "escape fences": escape_fences,
    "hook's sieve": is_surely_clean,
    "line repair": lambda text: repair_line(f'{{"text": "{text}"'),
    "invisible": show_invisible,
    # What rules conclude from a turn
    "route": lambda text: route_turn(Role.USER, text),
    "route an answer": lambda text: route_turn(Role.ASSISTANT, text),
    "is an answer": lambda text: is_answer(text, text),
    "worth extracting": is_worth_extracting,
    "plain statements": lambda text: find_plain_statements(Role.USER, text),
    "types of statements": classify_text,
    "own sentences": own_sentences,
    "pasted": find_pasted_spans,
    "is pasted": lambda text: is_pasted(text[-_QUOTE:], text),
    "not to remember": asks_not_to_remember,
    "orders": lambda text: instruction_shaped(text, Trust.USER),
    "session's end": ends_with_session,
    "personal data": lambda text: screen(text, {}),
    "names": lambda text: find_names(text[:_NAMED_CHARS]),
    "sayings": lambda text: [read_saying(text), find_wish(text)],
    "likeness": lambda text: [
        digest_opening(Role.USER, text),
        is_same_turn(text, f"{text} and more"),  # whatever it ends with, all of it is read
        is_whole(text, text),
    ],
    # What is made of it for searches
    "index": index_text,
    "passages": split_passages,
    "tokens": estimate_tokens,
    "dates": lambda text: times(text, _SAID_MS, _ZONE),
    "full dates": lambda text: full_dates(text, _SAID_MS, _ZONE),
    "recognition": recognition_key,
    "markup": strip_markup,
    "sentences": sentences_in,
    "distinctive": is_distinctive,
    "occurs": lambda text: occurs_in(text[:_QUOTE], text),
    # What is checked when a model has read it
    "quote": _find_quote,
    "borne out": lambda text: is_borne_out(text[:_QUOTE], text),
    "said literally": lambda text: is_said_literally(text[:_QUOTE], text[1:_QUOTE], text),
    "lead-ins": lambda text: [find_lead_in(text), may_present(text), is_of_ones_own(text)],
    "model's answer": _read_answer,
    "shortened": shorten_statement,
    # What is asked
    "question": _ask,
    "names asked": find_names_asked,
    "phrase tokens": phrase_tokens,
    "excerpt": _find_excerpt,
    # Notes and files
    "note": lambda text: parse_note(f"---\ntitle: {text[:20]}\n---\n{text}"),
    "links": read_links,
    "exported note": read_note,
    "core file": lambda text: parse(text, "preferences"),
}
