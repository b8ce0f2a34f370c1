"""Reads a statement, in English or Chinese."""

from memoria.policy.properties.clause import split_wording
from memoria.policy.properties.statement import Statement
from memoria.policy.properties.wording import unwrap
from memoria.text.remembered import remember_results
from memoria.text.script import is_cjk


@remember_results(2048)
def read_statement(text: str) -> Statement:
    """What a statement says, clause by clause."""
    wording = unwrap(text)
    in_chinese = is_cjk(wording.text)
    return Statement(wording, in_chinese, split_wording(wording, in_chinese=in_chinese))
