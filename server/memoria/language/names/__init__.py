"""Names: people and things that a text speaks of, and the words for their relations."""
