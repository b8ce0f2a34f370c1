"""The command line: python -m bench.evaluate. 2 where a model is asked for and there is none."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import anyio

from bench.command import NO_MODEL, progress
from bench.evaluate.ask import play_all
from bench.evaluate.cases import HISTORIES, read_histories
from bench.evaluate.readers import ModelAnswerer, Reader, extract_first_line
from bench.evaluate.report import list_answers, list_sheets
from bench.output import report_console
from memoria import Settings
from memoria.inference.chat.client import choose_chat_model

_NOT_POSSIBLE = 2
NO_CHAT = {"llm_base_url": None, "llm_model": None, "llm_command": None}


def main(argv: Sequence[str] | None = None) -> int:
    """Have every question answered with memory and without, and print what became of them."""
    arguments = _parser().parse_args(argv)
    settings = Settings.load()
    read: Reader = extract_first_line
    if arguments.model:
        model = choose_chat_model(settings)
        if model is None:
            sys.stderr.write(NO_MODEL)
            return _NOT_POSSIBLE
        read = ModelAnswerer(model)
    else:
        settings = settings.model_copy(update=NO_CHAT)
    histories = read_histories(arguments.histories)
    with progress("evaluate", len(histories)) as done:
        asked, unread = anyio.run(play_all, histories, read, settings, done)
    sheets = list(list_sheets(asked))
    if arguments.json:
        document = {sheet.title: sheet.to_document() for sheet in sheets}
        print(json.dumps(document | {"unread": unread}, ensure_ascii=False, indent=2))
    else:
        report_console().print(*(sheet.to_table() for sheet in sheets), sep="\n")
        print(f"\nStretches of the record that the model has not read: {unread}")
    if arguments.show:
        print(*list_answers(asked), sep="\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.evaluate")
    parser.add_argument("--model", action="store_true", help="the configured chat model takes part")
    parser.add_argument("--histories", type=Path, default=HISTORIES, help="folder with others")
    parser.add_argument("--show", action="store_true", help="each answer and what it counted as")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


if __name__ == "__main__":
    sys.exit(main())
