"""The bundled model as one file that is mapped into memory.

Unpacking the model's weights and building its tokenizer is slow and takes memory in each process.
So the first process on a machine writes what it has built into the user's cache folder, and all
others map that file: nothing is built, and the pages are shared between the processes.

`arrays` is the file, `trie` the tokenizer's dictionary, `encoder` the tokenizer and the model out
of the file, and `cache` finds or writes the file.
"""
