"""What on this machine could read conversations, and how it is asked."""
