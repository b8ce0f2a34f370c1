"""Fuzzing: does anything a caller can send break the product?

    python -m bench.fuzz --minutes 60            # progress on stderr, finds on stdout
    python -m bench.fuzz --minutes 60 --json     # one JSON document on stdout instead
    python -m bench.fuzz --minutes 1 --seed 812  # the round that found something, again

Exit code 1 means that something was found. Ctrl-C ends the run and reports what there is.

A run is a row of rounds. Each has a home and a server of its own, in one era of the protocol, with
vectors or without, all chosen by the round's seed; so memory and disk stay bounded however long a
run is, and a find can be met again with `--seed`. Inside a round hypothesis draws short sequences
of steps, and when one breaks a promise shrinks it to the least that does. That find is then known,
counted but not pursued again, and the run goes on.

What there is to call is read from the product: tools, resources and prompts from the running
server, methods from `Memoria`, fields from `Settings`, commands and import formats from the command
line. What is added to the product is fuzzed without a change here, but for two lists: `COMMANDS` in
`steps`, because a command may write outside its home, and the sample lines in `transcripts`.

Promises, each looked at after every step: a failure is a sentence of ours, short, without a
traceback or a validator's jargon; an answer fits its schema, has a text twin, is JSON and keeps to
its budget; nothing takes ten seconds. After every sequence the server answers, and what was planted
before is found by both levels. After every round `doctor` finds the home sound.
"""
