"""The classifier of plain statements: labelled sentences, and what it is trained by."""
