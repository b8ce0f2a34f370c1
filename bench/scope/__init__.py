"""Yours or the project's: where a statement made in one project is seen.

`cases.jsonl` holds 60 statements, half of them English and half Chinese, written before the rules
that decide. Each is stated in a project's workspace with a type, as an agent would. Half of them
are about the user and are to be seen everywhere; half are about code and work and stay where they
were said.
"""

from bench.scope.cases import ScopeCase, scope_cases

__all__ = ["ScopeCase", "scope_cases"]
