"""A shell line as words: simple commands, how they are joined, and where their output goes."""

from memoria.bare.lazy_regex import lazy_regex

_LONGEST_LINE = 4_000
"""Characters that are read; what is longer is a document in a line."""
_TOKEN = lazy_regex(
    r"""(?P<blank>(?:[ \t\r]|\\\r?\n)+)
    |(?P<line>\n)
    |(?P<comment>(?<![^\s;&|()])\#[^\n]*)
    |(?P<redirect>\d?(?:<<<|<<-?|&>>?|>>|>\||>&|<&|<>|>|<))
    |(?P<joint>&&|\|\||\|&|\||;;?|&|\(\(?|\)\)?)
    |(?P<word>(?:[^\s|&;<>()"'\\`$]|\\.|\$\((?:[^()]|\([^()]*\))*\)|\$\{[^}]*\}|\$|`[^`]*`
        |"(?:[^"\\]|\\.)*"|'[^']*')+)""",
    0x40 | 0x10,  # VERBOSE | DOTALL
)
_QUOTED = lazy_regex(r""""((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)""", 0x10)
_DIGITS = frozenset("0123456789")
_KEYWORDS = frozenset("do then else if while until ! { } time".split())
"""Words before a command that belong to the shell."""


class SimpleCommand:
    """Words between two joints of a shell line."""

    __slots__ = ("connector", "targets", "words")

    def __init__(self, connector: str, words: tuple[str, ...], targets: tuple[str, ...]) -> None:
        self.connector = connector
        """What stands before it: `&&`, `||`, `|`, `;`, `&`; empty for the first."""
        self.words = words
        """Without quotation marks and redirections."""
        self.targets = targets
        """Files into which it writes."""


def split_line(text: str) -> list[SimpleCommand]:
    """List the simple commands of a shell line. Documents in the line are left out."""
    reading, line, position = _Reading(), text[:_LONGEST_LINE], 0
    while position < len(line):
        token = _TOKEN.match(line, position)
        if token is None:  # a quote that never ends
            break
        position, told = token.end(), token[0]
        match token.lastgroup:
            case "word":
                reading.read_word(_unquote(told))
            case "redirect":
                reading.redirect = told.lstrip("0123456789")
            case "joint":
                reading.join(_plain_joint(told))
            case "line":
                reading.end_line()
                position = _skip_documents(line, position, reading.ends)
                reading.ends = []
    reading.end_line()
    return reading.found


class _Reading:
    """What of a line has been read."""

    def __init__(self) -> None:
        self.found: list[SimpleCommand] = []
        self.words: list[str] = []
        self.targets: list[str] = []
        self.connector = ""
        self.redirect = ""
        self.ends: list[str] = []
        """Words that end the documents which begin on the next line."""

    def read_word(self, word: str) -> None:
        """Take a word of a command, or of a redirection."""
        redirect, self.redirect = self.redirect, ""
        if not redirect:
            if self.words or word not in _KEYWORDS:
                self.words.append(word)
        elif redirect in {"<<", "<<-"}:
            self.ends.append(word)
        elif ">" in redirect and not (redirect.endswith("&") and word[:1] in _DIGITS):
            self.targets.append(word)

    def join(self, connector: str) -> None:
        """Begin the next command."""
        self._end_command()
        self.connector = connector if self.found else ""

    def end_line(self) -> None:
        """Begin the next command, on a line of its own where one has ended."""
        if self._end_command():
            self.connector = ";"

    def _end_command(self) -> bool:
        has_words = bool(self.words or self.targets)
        if has_words:
            told = SimpleCommand(self.connector, tuple(self.words), tuple(self.targets))
            self.found.append(told)
            self.words, self.targets = [], []
        self.redirect = ""
        return has_words


def _plain_joint(told: str) -> str:
    return {"|&": "|", "\n": ";", ";;": ";"}.get(
        told, told if told in {"&&", "||", "|", "&"} else ";"
    )


def _skip_documents(line: str, position: int, ends: list[str]) -> int:
    """Return where the lines go on behind documents that end with these words."""
    for end in ends:
        while position < len(line):
            stop = line.find("\n", position)
            stop = len(line) if stop < 0 else stop
            told = line[position:stop].strip()
            position = stop + 1
            if told == end:
                break
    return position


def _unquote(word: str) -> str:
    if '"' not in word and "'" not in word and "\\" not in word:
        return word
    return _QUOTED.sub(lambda found: found[1] or found[2] or found[3] or "", word)
