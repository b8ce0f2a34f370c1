"""Files for people: what they say, and how they are written so that nothing is lost."""
