"""The viewer in a real browser: a home by a fixed story, every page, every action, pictures."""
