"""The message of a commit, without what programs have added to it.

What is left out are trailers that name people or reviews (`Signed-off-by:`), lists of conflicts,
and the sentence by which git names the commit that is reverted. Any other trailer may say why
(`Fixes: #12`) and stays.
"""

from dataclasses import dataclass

from memoria.bare.lazy_regex import lazy_regex

_TRAILER = lazy_regex(r"[A-Za-z][A-Za-z0-9-]*: \S|\(cherry picked from commit [0-9a-f]{7,64}\)")
_OF_PROGRAMS = lazy_regex(
    r"(?i)(?:[a-z-]+-by|cc|change-id|git-svn-id|reviewed-on|message-id|x-[a-z-]+):|\(cherry picked "
)
_CONTINUED = (" ", "\t")
_REVERTS = lazy_regex(
    r"(?m)^This reverts\s+commit\s+([0-9a-f]{7,64})"
    r"(?:,\s+reversing\s+changes\s+made\s+to\s+[0-9a-f]{7,64})?\.?[ \t]*$"
)
_CONFLICTS = lazy_regex(r"(?m)^#? ?Conflicts:[ \t]*\n(?:#?[ \t]+\S.*\n?)+")
_MERGE = lazy_regex(
    r"Merge(?:d in \S+ \(pull request #\d+\)"
    r"| (?:remote-tracking )?(?:branch|tag|commit|pull request)(?:e?s)? .*"
    r"| \S+ into \S+| https?://\S+.*)$"
)
_SEE = lazy_regex(r"See merge request \S+$")


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """Words of a commit that its author wrote."""

    words: str
    reverted: tuple[str, ...] = ()
    """Ids of the commits that it takes back, perhaps shortened."""

    @property
    def subject(self) -> str:
        """Its first line."""
        return self.words.partition("\n")[0]

    @property
    def is_mere_merge(self) -> bool:
        """True if it says of a merge what git or the host says by itself, and no more."""
        first, *others = [line for line in self.words.splitlines() if line.strip()] or [""]
        own = [line for line in others if not _SEE.match(line)]
        return not own and (not first or _MERGE.match(first) is not None)


def read_commit_message(text: str) -> CommitMessage:
    r"""Read a commit's message.

    >>> read_commit_message("Fix it\n\nThis reverts commit 1a2b3c4.\n\nSigned-off-by: A <a@b>")
    CommitMessage(words='Fix it', reverted=('1a2b3c4',))
    """
    plain = text.replace("\r\n", "\n").strip()
    reverted = tuple(dict.fromkeys(_REVERTS.findall(plain)))
    words = _CONFLICTS.sub("", _REVERTS.sub("", plain)).strip()
    paragraphs = words.split("\n\n")
    if len(paragraphs) > 1:
        paragraphs[-1] = _drop_trailers(paragraphs[-1])
    kept = "\n\n".join(one.strip("\n") for one in paragraphs if one.strip())
    return CommitMessage(kept, reverted)


def _drop_trailers(paragraph: str) -> str:
    """Return a last paragraph without trailers of programs, where it has nothing but trailers."""
    lines = paragraph.splitlines()
    if not all(_TRAILER.match(line) or line.startswith(_CONTINUED) for line in lines):
        return paragraph
    kept = list[str]()
    is_dropped = False
    for line in lines:
        if not line.startswith(_CONTINUED):
            is_dropped = _OF_PROGRAMS.match(line) is not None
        if not is_dropped:
            kept.append(line)
    return "\n".join(kept)
