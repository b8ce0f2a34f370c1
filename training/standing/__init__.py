"""Messages that are standing wishes and messages that are none, and what is trained on them."""
