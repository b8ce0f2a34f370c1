"""WORDS: pure functions over text. Analyser, token estimate, stripping and redaction."""
