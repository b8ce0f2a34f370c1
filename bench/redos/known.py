"""Fragments that once cost a rule the square of their number, or worse."""

KNOWN = (
    *("\n", "”\n\n", "digests, I like > ", "`", " ", "\t", " \n", "\r"),
    *("我喜欢喝茶，", " — [", "-his - ", ".", ". [", "-", "r-", "1-", "[", "[[a ", "_"),
    *("`Lhr> ", "Z", "\ue200", "aaa-", "# ## x", "<!--", "where的 <!--"),
)
