"""Takes secrets out of a text before it is stored; every other character stays as it was.

Rules are data: a kind, the substrings one of which must occur, a pattern whose group `secret` is
what goes, and a check on the match. Looking for substrings is far cheaper than a pattern, so
ordinary text meets few of them; patterns are compiled, and `detect-secrets` imported (slowly), when
a text first calls for them.

Every pattern is linear: each attempt that can fail is bounded, or runs over characters that no
later attempt will start from. There is no rule on entropy: hashes, UUIDs and images must survive.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module


@dataclass(frozen=True, slots=True)
class Redaction:
    """How many secrets of one kind were taken out."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and what they were."""

    text: str
    redactions: tuple[Redaction, ...]


def redact(text: str) -> Redacted:
    """Replace every secret in `text` by `[redacted:KIND]`."""
    counts: Counter[str] = Counter()
    # A marker can be the boundary a neighbour lacked. Stopping only when there is nothing left to
    # find makes the result final: redacting it again changes nothing.
    while (swept := _sweep(text))[1]:
        text = swept[0]
        counts += swept[1]
    return Redacted(text, tuple(Redaction(kind, count) for kind, count in counts.items()))


def _sweep(text: str) -> tuple[str, Counter[str]]:
    """Apply every rule once."""
    folded, counts = text.lower(), Counter[str]()
    for rule in _RULES:
        if any(part in (folded if part.islower() else text) for part in rule.parts):
            for pattern in _patterns(rule):
                text, count = _blot(text, rule, pattern)
                counts[rule.kind] += count
    return text, +counts


def _blot(text: str, rule: "_Rule", pattern: re.Pattern[str]) -> tuple[str, int]:
    """Apply one pattern once."""
    pieces, end = list[str](), 0
    for match in pattern.finditer(text):
        # What holds a marker has been dealt with. This also makes sure that sweeping ends.
        if "[redacted:" not in match["secret"] and rule.check(match):
            start, stop = match.span("secret")
            pieces += (text[end:start], f"[redacted:{rule.kind}]")
            end = stop
    return "".join((*pieces, text[end:])), len(pieces) // 2


# Checks: is what stands in a secret's place a secret?

_TEMPLATE = re.compile(
    r"""(?x) ^[<{\[] | ^\*\* | ^\$(?:\w+$|[({]) | ^%(?:\(|[sdr]$|\w+%$)   # <X> {X} [X] $X %(X)s %X%
    | %s | \$?\{\w*\} | \.{3} | … | \*{3} | (?i:x{4}) | ••                # … %s {X} …, blotted out"""
)
_STAND_IN = re.compile(
    r"""(?xi) ^(?:your|my)[-_] | [-_]here$ | placeholder | change[-_]?me
    | :// | ^(?:~|\.\.?)/ | ^/(?:etc|run|var|home|usr|opt|tmp|root|app|mnt|data|path|users)\b | ^arn:
    | ^[a-z_.-]*(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|credential|(?:\b|_|api|private)key
        |example|dummy)s?[a-z_.-]*\d?$
    | ^(?:test|string|value|none|null|true|false|undefined|required|optional|missing|expired|invalid
        |incorrect|wrong)s?$"""
)
# Out of quotes: call(), a[0], a.b, a file; uint8; sha256; 12-character.
_EXPRESSION = re.compile(
    r"""(?x) ^[A-Za-z_$][\w.:>-]*[(\[] | ^[a-z_]\w*(?:\.[A-Za-z_]\w*)+$ | ^[A-Z][a-z]\w*Key$
    | (?i: \.(?:pem|key|txt|json|ya?ml|toml|env|crt|py|js|ts|md)$ | ^(?:u?int|float|varchar)\d+
    | ^(?:base64|sha-?\d+|md5|bcrypt|argon2|pbkdf2|[hre]s\d{3}|ed25519|rsa|aes|utf-?8|oauth\d)\b
    | ^\d+-?(?:st|nd|rd|th|x|k|h|fa|char(?:acter)?|digit|bit|byte|letter|word|symbol|step|factor
        |minute|hour|day|week|month|year|time)s?\b )"""
)
_UNIT = re.compile(r"\s?(?:[年月日号位个次天条]|%|char|digit|bit|byte|times|minute|hour|day|year)")
_LINE_END = re.compile(r"[ \t]*(?:$|[\r\n]|\\[nr])")
_SESSION = re.compile(r"(?i)sess|sid|auth|token|jwt|login|remember|[cx]srf")
_NO_PASSWORDS = frozenset(
    [
        "array",
        "boolean",
        "bytes",
        "changed",
        "click",
        "default",
        "empty",
        "encrypted",
        "enter",
        "forgot",
        "given",
        "hashed",
        "hidden",
        "input",
        "never",
        "number",
        "object",
        "please",
        "prompt",
        "protected",
        "reset",
        "strength",
        "unchanged",
        "unknown",
    ]
)


def _certain(_match: re.Match[str]) -> bool:
    return True


def _filled_in(match: re.Match[str]) -> bool:
    """Not a template's gap, nor what every manual writes in its place."""
    value = match["secret"][:100]
    return not _TEMPLATE.search(value) and value.lower() not in {"pass", "password", "passwd"}


def _literal(match: re.Match[str]) -> bool:
    """A value, and not the name of one nor, out of quotes, code that computes one."""
    value, quoted = match["secret"][:100], match.groupdict().get("quote")
    unlike = _STAND_IN.search(value) or (not quoted and _EXPRESSION.search(value))
    return _filled_in(match) and not unlike


def _mixed(match: re.Match[str]) -> bool:
    """Digits and letters: no word of a sentence and seldom a name in code."""
    value = match["secret"]
    return bool(re.search("[0-9]", value) and re.search("[A-Za-z]", value)) and _literal(match)


def _encoded(match: re.Match[str]) -> bool:
    """Base64 has an inner capital where chance gave it no digit."""
    return _mixed(match) or (bool(re.search("[a-z][A-Z]", match["secret"])) and _literal(match))


def _one_word(match: re.Match[str]) -> bool:
    """Not the library's rule on quoted AWS secrets: it would take their names as well."""
    return not re.search("[\"']", match["secret"])


def _aws_secret(match: re.Match[str]) -> bool:
    """Both cases and a digit: a SHA-1 in hexadecimal is as long."""
    return all(re.search(sign, match["secret"]) for sign in ("[a-z]", "[A-Z]", "[0-9]"))


def _secret(match: re.Match[str]) -> bool:
    return _mixed(match) or (bool(match["quote"]) and _literal(match))


def _password(match: re.Match[str]) -> bool:
    """People choose these: numbers, symbols and, where nothing else can be meant, plain words."""
    value, end = match["secret"], match.end("secret")
    if value.isdigit():
        return not _UNIT.match(match.string, end)
    word = re.fullmatch("[a-z]{5,100}", value) and value not in _NO_PASSWORDS
    # In code, `=` between spaces is followed by a name.
    plain = match.string[match.start("secret") - 1] == "=" if match["tight"] else not match["said"]
    alone = word and plain and _LINE_END.match(match.string, end)
    symbols = not match["tight"] and re.search(r"\w[!@#$%^&*]+\w", value)
    return _secret(match) or (bool(alone or symbols) and _literal(match))


def _cookie(match: re.Match[str]) -> bool:
    short = len(match["secret"]) < 16  # noqa: PLR2004 - a setting rather than a session
    return _literal(match) if _SESSION.search(match["name"]) else not short and _mixed(match)


# Patterns

_PASSWORDS = r"pass(?:word|wd|phrase|code|(?<![A-Za-z]pass))|pwd|密码|密碼|口令"
_KEY_OF = (
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "encryption",
    "signing",
    "account",
    "master",
)
_TOKEN_OF = ("access", "auth", "refresh", "bearer", "session", "bot", "api", "security", "deploy")


def _compound(word: str, firsts: tuple[str, ...]) -> str:
    """`word` after one of `firsts`, looked for by `word`: far fewer places to start from."""
    behind = (f"(?<={first}{word})|(?<={first}[-_.\\ ]{word})" for first in firsts)
    return f"{word}(?:{'|'.join(behind)})"


_KEYS = rf"{_compound('key', _KEY_OF)}|{_compound('token', _TOKEN_OF)}|token(?-i:(?<=[A-Z0-9]_TOKEN))|密钥|密鑰|秘钥|令牌"

# Out of quotes, what follows `=` or a flag (tight) ends at what separates arguments; what follows a
# colon or a verb may hold any sign, but not end with one that ends a sentence.
_VALUE = r"""
    (?:[bu@]?(?P<quote>\\?["'`]))? [“‘「『【]?
    (?P<secret> (?(quote) (?:(?!(?P=quote))(?:\\\S|[^\s\\])){LEAST,4096} (?=(?P=quote))
      | (?(tight) [!#-%(-+\--:=?-\[\]^_a-{}~]{LEAST,} | [!#-&(-;=?-\[\]^_a-~]{LEAST,} )
        (?<![.,:;?*|)\]}]) ))"""


def _flag(names: str, least: int) -> str:
    """The pattern of what follows one of `names` as a flag: --name VALUE."""
    return rf"(?xi) -(?:{names}) (?P<tight>[ ]+) (?!-)" + _VALUE.replace("LEAST", str(least))


def _given(names: str, least: int) -> str:
    """The pattern of what one of `names` is said to be, in code, in data or in a sentence."""
    return rf"""(?xi) (?:{names}) \d{{0,2}} (?:\\?["'`]\]?)?
    (?: [ \t]{{0,20}} (?P<tight>(?::[ \t]?[\w.&|\[\] ]{{1,40}})?(?:[:!=]?={{1,2}}|=>)) [ \t]{{0,20}}
      | [ \t]{{0,20}} \*{{0,2}} [:：] (?!:) [* \t]{{0,20}}
      | (?P<said> (?:[ ](?:for|of|to|on)[ ][^\n:,;.?!]{{1,40}}?)?
          [ ](?:is|was|are)(?:[ ](?:still|now|just|set[ ]to))?:?[ ]
        | [ ]?[一-鿿]{{0,6}}?[是为為成](?:了|：|:|[ ]){{0,3}} )
      | ,?\s{{1,40}}["'`]?value["'`]?[ \t]?[:=][ \t]{{0,20}}      # name: X, value: Y
      | >(?=[^<>\s]{{1,200}}</) | \((?=[bu]?["'`]) )            # <X>Y</X>, set_X("Y")
    """ + _VALUE.replace("LEAST", str(least))


def _token(start: str, rest: str) -> str:
    """The pattern of a token that stands alone, be it after the `\\n` of a quoted text."""
    return rf"(?P<secret>{start}(?:(?<![A-Za-z0-9_-]{start})|(?<=\\[nrt]{start})){rest})"


# No letter follows, and no marker: a row of tokens must not come to light one by one, last first.
_ENDS = r"(?![A-Za-z0-9_\[-])"
_BASE64_LINES = r"""(?:(?:\s|\\[nr]|["',\\])*[A-Za-z0-9+/=]{16,})+"""


@dataclass(frozen=True, slots=True)
class _Rule:
    kind: str
    parts: tuple[str, ...]
    pattern: str
    check: Callable[[re.Match[str]], bool] = _certain
    plugin: str = ""


@cache
def _patterns(rule: _Rule) -> tuple[re.Pattern[str], ...]:
    if not rule.plugin:
        return (re.compile(rule.pattern),)
    module = import_module(f"detect_secrets.plugins.{rule.plugin.partition('.')[0]}")
    denylist = getattr(module, rule.plugin.partition(".")[2]).denylist
    # Vendors have made tokens longer since: what is left of the word belongs to them.
    return tuple(
        re.compile(rf"(?P<secret>(?:{known.pattern})[A-Za-z0-9_-]*)", known.flags)
        for known in denylist
    )


_GITHUB = ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")
_GITLAB = ("glpat-", "gldt-", "glft-", "glsoat-", "glrt-", "GR1348941", "glcbt-", "glimt-")
_VENDORS = ("gsk_", "xai-", "pplx-", "tvly-", "dop_v1_", "dckr_pat_", "lin_api_", "ntn_", "shpat_")

# The order matters: first the tokens that say what they are, then the places where secrets stand.
#
# Left out of detect-secrets, for what they cost on 3 MB of talk and 44 MB of Python:
# - KeywordDetector takes `secret: str` and `pwd = None` (1,300 times); entropy takes every hash;
#   the IBM, SoftLayer and Cloudant rules are names with a value, which `_given` covers.
# - OpenAI, JWT and npm are quadratic ("sk-sk-sk-…"), and the JWT rule leaves the signature behind.
# - PrivateKey takes only the BEGIN line, Azure and Artifactory take what surrounds the secret.
# - Telegram bites 35 characters out of "1700000000:<SHA-256>"; Discord and Twilio ("AC") have no
#   start rare enough to spare ordinary text the import.
# - BasicAuth stops at the first sign in "p@ss", and takes the name with it.
_RULES = (
    _Rule(
        "private-key",
        ("PRIVATE KEY",),
        # Without its END, a key goes as far as its base64 does.
        rf"""(?x)(?P<secret> -----BEGIN[ ](?P<label>[A-Z0-9 ]{{0,40}}PRIVATE[ ]KEY(?:[ ]BLOCK)?)-----
        (?: [^-]*(?:-(?!----)[^-]*)* -----END[ ](?P=label)-----
          | (?:(?:\s|\\[nr])*[A-Z][A-Za-z-]{{2,15}}:[ ][^\n\\]{{1,200}})* {_BASE64_LINES} ))""",
    ),
    _Rule("private-key", ("Private-Lines: ",), rf"Private-Lines: \d+(?P<secret>{_BASE64_LINES})"),
    _Rule("anthropic-api-key", ("sk-ant-",), r"(?P<secret>sk-ant-[A-Za-z0-9_-]{20,})"),
    _Rule(
        "openai-api-key",
        ("sk-proj-", "sk-svcacct-", "sk-admin-"),
        r"(?P<secret>sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,})",
    ),
    # OpenAI's older keys, DeepSeek, DashScope, Moonshot, OpenRouter …
    _Rule("llm-api-key", ("sk-",), _token("sk-", "(?:or-v1-)?[A-Za-z0-9]{32,}"), _mixed),
    _Rule("google-api-key", ("AIza",), rf"(?P<secret>AIza[A-Za-z0-9_-]{{35}}){_ENDS}"),
    _Rule("google-client-secret", ("GOCSPX-",), r"(?P<secret>GOCSPX-[A-Za-z0-9_-]{20,})"),
    _Rule("google-oauth-token", ("ya29.",), r"(?P<secret>ya29\.[A-Za-z0-9_-]{20,})"),
    _Rule("github-token", ("github_pat_",), r"(?P<secret>github_pat_[A-Za-z0-9_]{22,})"),
    _Rule("hugging-face-token", ("hf_",), _token("hf_", "[A-Za-z0-9]{30,}")),
    _Rule("npm-token", ("npm_",), _token("npm_", "[A-Za-z0-9]{36,}")),
    _Rule("alibaba-access-key", ("LTAI",), _token("LTAI", "[A-Za-z0-9]{12,}"), _mixed),
    _Rule(
        "slack-token",
        ("xapp-", "xoxc-", "xoxd-", "xoxe"),
        r"(?P<secret>(?:xapp|xox[cde])[-.][A-Za-z0-9%.-]{20,})",
        _mixed,
    ),
    _Rule(
        "stripe-key", ("k_test_", "whsec_"), r"(?P<secret>(?:[rs]k_test|whsec)_[A-Za-z0-9]{20,})"
    ),
    _Rule(
        "vendor-api-key",
        _VENDORS,
        rf"(?P<secret>(?:{'|'.join(_VENDORS)})[A-Za-z0-9_-]{{24,}})",
        _mixed,
    ),
    _Rule(
        "json-web-token",
        ("eyJ",),
        _token("eyJ", r"[A-Za-z0-9_-]{10,}(?:\.{1,2}[A-Za-z0-9_-]{10,})+"),
    ),
    _Rule(
        "telegram-token",
        (":AA",),
        rf"(?P<secret>(?<!\d)\d{{8,10}}:AA[A-Za-z0-9_-]{{33}}){_ENDS}",
    ),
    _Rule(
        "discord-token",
        (".",),
        r"(?P<secret>[MNO](?<![\w.-][MNO])[\w-]{23,25}\.[\w-]{6}\.[\w-]{27,})",
        _mixed,
    ),
    _Rule("twilio-key", ("AC", "SK"), rf"(?P<secret>(?:AC|SK)[0-9a-f]{{32}}){_ENDS}"),
    _Rule("artifactory-key", ("AKCp",), r"(?P<secret>AKCp[A-Za-z0-9]{60,})"),
    _Rule(
        "azure-storage-key", ("AccountKey=",), r"AccountKey=(?P<secret>[A-Za-z0-9+/]{80,}={0,2})"
    ),
    _Rule(
        "aws-access-key",
        ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"),
        "",
        _one_word,
        "aws.AWSKeyDetector",
    ),
    _Rule("github-token", _GITHUB, "", plugin="github_token.GitHubTokenDetector"),
    _Rule("gitlab-token", _GITLAB, "", plugin="gitlab_token.GitLabTokenDetector"),
    _Rule(
        "mailchimp-key",
        tuple(f"-us{n}" for n in range(1, 10)),
        "",
        plugin="mailchimp.MailchimpDetector",
    ),
    _Rule("pypi-token", ("pypi-AgE",), "", plugin="pypi_token.PypiTokenDetector"),
    _Rule("sendgrid-key", ("SG.",), "", plugin="sendgrid.SendGridDetector"),
    _Rule("slack-token", ("xox", "hooks.slack.com"), "", plugin="slack.SlackDetector"),
    _Rule("square-secret", ("sq0csp-",), "", plugin="square_oauth.SquareOAuthDetector"),
    _Rule("stripe-key", ("k_live_",), "", plugin="stripe.StripeDetector"),
    _Rule(
        "url-password",
        ("://",),
        r"""://[^\s:/@"'<>?#\\]{0,128}:(?P<secret>[^\s/"'<>\\]{1,256})@(?=[\w\[])""",
        _filled_in,
    ),
    _Rule(
        "basic-auth",
        ("curl", "sshpass"),
        r"""(?x) (?:[ ](?:-u|--user)[ =]{0,2}["']?[^\s:"']{1,100}: | sshpass[ ]-p[ ]?["']?)
          (?P<secret>[^\s"']{4,})""",
        _mixed,
    ),
    _Rule(
        "password",
        ("password to ", "passcode to "),
        r"""(?xi) (?:set|chang|reset|updat)\w{0,4}[ ](?:\w{1,20}[ ]){0,3}pass(?:word|code)[ ]to[ ]
          ["'`“]?(?P<secret>[!#-&(-_a-~]{4,})(?<![.,:;?)])""",
        _mixed,
    ),
    _Rule(
        "authorization",
        ("authorization", "bearer "),
        r"""(?xi) (?: authorization\\?["'`]? \s{0,4} [:=] \s{0,4} \\?["'`]? (?:(?:basic|bearer|token)\s+)?
          | bearer\s{1,4} ) (?P<secret>[A-Za-z0-9._~+/=-]{8,})""",
        _encoded,
    ),
    _Rule(
        "cookie",
        ("cookie",),
        r"""(?xi) (?:cookie\\?["'`]?[\s:=]{1,4}\\?["'`]?|;[ ]?) (?P<name>[\w.-]{1,64})
          = (?P<secret>[^\s;,"'`\\]{6,})""",
        _cookie,
    ),
    _Rule(
        "aws-secret-key",
        ("aws", "secret"),
        # Of our own markers only a key's ID is a sign, else one secret would give away the next.
          r"""(?xi) (?: (?:aws|secret)(?![a-z-]{0,20}\]) | aws-access-key\] ) [^\n]{0,40}? (?<![A-Za-z0-9/+]) (?P<secret>[A-Za-z0-9/+]{40})
          (?![A-Za-z0-9/+=])""",
        _aws_secret,
    ),
    _Rule(
        "pin",
        ("pin",),
        r"""(?xi) (?<![A-Za-z])pin (?:[ ]?(?:code|number|码|碼))? [ ]{0,2}
          (?:is|was|[:：=是为])[ ：:]{0,3} (?P<secret>\d{4,8}) (?!\.?\d)""",
    ),
    _Rule(
        "password", ("login ",), r"\blogin\s{1,9}\S{1,64}\s{1,9}password\s{1,9}(?P<secret>\S{4,})"
    ),
    _Rule(
        "password",
        ("identified by", "password '"),
        r"""(?i)(?:identified by|password) ["'](?P<secret>[^\s"']{4,})["']""",
        _mixed,
    ),
    _Rule("password", ("-pass", "-pwd"), _flag(_PASSWORDS, 4), _secret),
    _Rule("credential", ("-key", "-token", "-secret"), _flag(f"{_KEYS}|secret|token", 8), _mixed),
    _Rule("password", ("pass", "pwd", "密码", "密碼", "口令"), _given(_PASSWORDS, 4), _password),
    _Rule("secret", ("secret",), _given("secret", 8), _secret),
    _Rule("credential", ("key", "token", "密钥", "密鑰", "秘钥", "令牌"), _given(_KEYS, 8), _mixed),
    _Rule("credential", ("token",), _given("(?<![A-Za-z_-])token", 16), _mixed),
)
