"""A shell line as words: simple commands, how they are joined, and where their output goes."""

_LONGEST_LINE = 4_000
"""Characters that are read; what is longer is a document in a line."""
_REDIRECTS = ("<<<", "<<-", "<<", "&>>", "&>", ">>", ">|", ">&", "<&", "<>", ">", "<")
_JOINTS = ("&&", "||", "|&", "|", ";;", ";", "&", "((", "(", "))", ")")
_BLANKS = " \t\r"
_ENDS = frozenset(" \t\r\n|&;<>()")
"""Characters that end a word."""
_PLAIN_ENDS = _ENDS | frozenset("\"'\\`$")
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
    """List the simple commands of a shell line. Documents in the line are left out.

    It is read by hand, as a hook has no time to load regular expressions.
    """
    reading, line, at = _LineReading(), text[:_LONGEST_LINE], 0
    while at < len(line):
        char = line[at]
        if char in _BLANKS or line.startswith(("\\\n", "\\\r\n"), at):
            at += 1 if char in _BLANKS else line.index("\n", at) - at + 1
        elif char == "\n":
            reading.end_line()
            at = _skip_documents(line, at + 1, reading.ends)
            reading.ends = []
        elif char == "#" and (at == 0 or line[at - 1].isspace() or line[at - 1] in ";&|()"):
            end = line.find("\n", at)
            at = len(line) if end < 0 else end
        elif redirect := _find_redirect(line, at):
            reading.redirect = redirect.lstrip("0123456789")
            at += len(redirect)
        elif joint := next((one for one in _JOINTS if line.startswith(one, at)), ""):
            reading.join(_plain_joint(joint))
            at += len(joint)
        else:
            end = _end_of_word(line, at)
            if end == at:  # a quote that never ends
                break
            reading.read_word(_unquote(line[at:end]))
            at = end
    reading.end_line()
    return reading.found


def _find_redirect(line: str, at: int) -> str:
    digit = line[at] if line[at].isdigit() else ""
    found = next((one for one in _REDIRECTS if line.startswith(one, at + len(digit))), "")
    return digit + found if found else ""


def _end_of_word(line: str, at: int) -> int:
    """Return where a word ends that begins at a place; before a quote that never ends."""
    while at < len(line):
        char = line[at]
        if char not in _PLAIN_ENDS:
            at += 1
            continue
        if char in _ENDS:
            return at
        end = _end_of_piece(line, at)
        if end <= at:
            return at
        at = end
    return at


def _end_of_piece(line: str, at: int) -> int:
    """Return where something quoted, escaped or to be expanded ends; 0 where it never does."""
    char = line[at]
    if char == "\\":
        return at + 2 if at + 1 < len(line) else 0
    if char == "$":
        if line.startswith("$(", at) and (end := _end_of_brackets(line, at + 1)):
            return end
        if line.startswith("${", at) and (end := line.find("}", at) + 1):
            return end
        return at + 1
    if char == '"':
        at += 1
        while at < len(line) and line[at] != '"':
            at += 2 if line[at] == "\\" else 1
        return at + 1 if at < len(line) else 0
    return line.find(char, at + 1) + 1


def _end_of_brackets(line: str, at: int) -> int:
    """Return where brackets end that may hold others; 0 where they never do."""
    depth = 0
    for place in range(at, len(line)):
        depth += (line[place] == "(") - (line[place] == ")")
        if not depth:
            return place + 1
    return 0


class _LineReading:
    """Words of a line that have been read so far."""

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
    told, at = "", 0
    while at < len(word):
        char = word[at]
        end = _end_of_piece(word, at) if char in "\"'\\" else 0
        if not end:
            told += char
            at += 1
        elif char == "\\":
            told += word[at + 1]
            at = end
        else:
            told += word[at + 1 : end - 1]
            at = end
    return told
