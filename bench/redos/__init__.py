"""What a text costs every rule that reads it: no more than its length may cost."""
