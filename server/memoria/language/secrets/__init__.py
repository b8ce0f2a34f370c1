"""Where the secrets of a text stand: one module for each way of recognising them."""
