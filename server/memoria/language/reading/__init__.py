"""Reading: a text taken apart into what its speaker says, quotes and pastes."""
