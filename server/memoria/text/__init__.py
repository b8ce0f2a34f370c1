"""Pure functions over text: analyser, dates, statements, token estimate, cleaning and redaction."""
