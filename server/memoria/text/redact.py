"""Takes secrets out of a text before it is stored; every other character stays as it was.

Rules are data: a kind, the substrings one of which must occur, a pattern whose group `secret` is
what goes, and a check on the match. Looking for substrings is far cheaper than matching, so
ordinary text meets few patterns; they are compiled, and `detect-secrets` is imported (slowly), when
a text first calls for them.

Every pattern is linear: each attempt that can fail is bounded, or runs over characters that no
later attempt starts from. There is no rule on entropy: hashes, UUIDs and images must survive.
"""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from memoria.text.luhn import has_check_digit

# In a row of tokens each may be recognised only after its neighbour was replaced: a sweep each.
_MAX_SWEEPS = 8


@dataclass(frozen=True, slots=True)
class Redaction:
    """How many secrets of one kind were taken out."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class RedactedText:
    """A text without its secrets, and what they were."""

    text: str
    redactions: tuple[Redaction, ...]


def redact(text: str) -> RedactedText:
    """Replace every secret in `text` by `[redacted:KIND]`."""
    total: Counter[str] = Counter()
    # A marker can be the boundary that a neighbour lacked. So sweeps are repeated until nothing is
    # found, and redacting the result again changes nothing.
    for _ in range(_MAX_SWEEPS):
        text, counts = _sweep(text)
        if not counts:
            break
        total += counts
    return RedactedText(text, tuple(Redaction(kind, count) for kind, count in total.items()))


def _sweep(text: str) -> tuple[str, Counter[str]]:
    """Apply every rule once."""
    counts = Counter[str]()
    for rule in _select_rules(text):
        for pattern in _compile_patterns(rule):
            text, count = _replace_matches(text, rule, pattern)
            counts[rule.kind] += count
    return text, +counts


def _select_rules(text: str) -> list["_SecretRule"]:
    """The rules of which a part occurs in the text, in their order."""
    folded = text.lower()
    found = {i for part, i in _FOLDED_PARTS if part in folded}
    found.update(i for part, i in _EXACT_PARTS if part in text)
    return [_RULES[i] for i in sorted(found)]


def _replace_matches(text: str, rule: "_SecretRule", pattern: re.Pattern[str]) -> tuple[str, int]:
    """Apply one pattern once."""
    pieces, end = list[str](), 0
    for match in pattern.finditer(text):
        # A match that holds a marker has been redacted already.
        if "[redacted:" not in match["secret"] and rule.check(match):
            pieces += (text[end : match.start("secret")], f"[redacted:{rule.kind}]")
            end = match.end("secret")
    return "".join((*pieces, text[end:])), len(pieces) // 2


# Checks: is what stands in a secret's place a secret?

_GAP = re.compile(  # <X> {X} [X] $X %(X)s %X%, … %s {X} …, cut short or blotted out
    r"(?i)^[<{\[]|^\*\*|^\$(?:\w+$|[({])|^%(?:\(|[sdr]$|\w+%$)|%s\b|\$?\{\w*\}|\.{3}|…|\*{3}|x{4}|••"
    "|^pass(?:word|wd)?$"
)
_NAME = re.compile(  # your-api-key, my_password; a path or an address; null
    r"""(?xia) ^(?:your|my)[-_] | [-_]here$ | placeholder | change[-_]?me | :// | ^arn:
    | ^(?:~|\.\.?)/ | ^/(?:etc|run|var|home|usr|opt|tmp|root|app|mnt|data|path|users)\b
    | ^[a-z_.-]*(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|credential|(?:\b|_|api|private)key
        |example|dummy)s?[a-z_.-]*\d?:?$
    | ^(?:test|string|value|none|null|true|false|undefined|required|optional|missing|expired|invalid
        |incorrect|wrong|fail|failed|failure)s?$"""
)
_CODE = re.compile(  # call(), a[0], a.b, Ed448PrivateKey, a file, uint8; sha256; 12-character
    r"""(?xa) ^[A-Za-z_$][\w.:>-]*[(\[] | ^[a-z_]\w*(?:\.[A-Za-z_]\w*)+$ | ^[A-Z][a-z]\w*Key$
    | (?i: \.(?:pem|key|txt|json|ya?ml|toml|env|crt|py|js|ts|md)$ | ^(?:u?int|float|varchar)\d+
    | ^(?:base64|sha-?\d+|md5|bcrypt|argon2|pbkdf2|[hre]s\d{3}|ed25519|rsa|aes|utf-?8|oauth\d)\b
    | ^\d+-?(?:st|nd|rd|th|x|k|h|fa|char(?:acter)?|digit|bit|byte|letter|word|symbol|step|factor
        |minute|hour|day|week|month|year|time)s?\b )"""
)
_UNIT = re.compile(r"\s?(?:[年月日号位个次天条]|%|char|digit|bit|byte|times|minute|hour|day|year)")
_LINE_END = re.compile(r"[ \t]*(?:$|[\r\n]|\\[nr])")
_NO_PASSWORDS = frozenset(
    "array boolean bytes changed click default empty encrypted enter forgot given hashed hidden "
    "input never number object please prompt protected reset strength unchanged unknown".split()
)


def _accept_any(_match: re.Match[str]) -> bool:
    return True


def _is_filled_in(match: re.Match[str]) -> bool:
    """Whether it is neither a template's placeholder nor one of those that manuals use."""
    return not _GAP.search(match["secret"][:100])


def _is_literal(match: re.Match[str]) -> bool:
    """Whether it is a value, and neither a name nor, outside of quotes, code that computes one."""
    value, quoted = match["secret"][:100], match.groupdict().get("quote")
    return _is_filled_in(match) and not (
        _NAME.search(value) or (not quoted and _CODE.search(value))
    )


def _has_digits_and_letters(match: re.Match[str]) -> bool:
    """Whether it has digits and letters: then it is no ordinary word and seldom a name in code."""
    return all(re.search(sign, match["secret"]) for sign in ("[0-9]", "[A-Za-z]"))


def _looks_random(match: re.Match[str]) -> bool:
    return _has_digits_and_letters(match) and _is_literal(match)


def _looks_encoded(match: re.Match[str]) -> bool:
    """Whether it may be base64, which has an inner capital if it happens to have no digit."""
    return (
        _has_digits_and_letters(match) or bool(re.search("[a-z][A-Z]", match["secret"]))
    ) and _is_literal(match)


def _is_secret(match: re.Match[str]) -> bool:
    return (_has_digits_and_letters(match) or bool(match["quote"])) and _is_literal(match)


def _has_card_check_digit(match: re.Match[str]) -> bool:
    """Whether its check digit is right; nine in ten order numbers of that length fail this."""
    return has_check_digit(match["secret"])


def _is_password(match: re.Match[str]) -> bool:
    """Whether it may be a password: a number, symbols, or a plain word where nothing else fits."""
    value, end, tight = match["secret"], match.end("secret"), match["tight"]
    if value.isdigit():
        return not _UNIT.match(match.string, end)
    # In code, `=` between spaces is followed by a name.
    plain = match.string[match.start("secret") - 1] == "=" if tight else not match["said"]
    word = plain and re.fullmatch("[a-z]{5,100}", value) and value not in _NO_PASSWORDS
    alone = word and _LINE_END.match(match.string, end)
    symbols = not tight and re.search(r"\w[!@#$%^&*]+\w", value)
    return _is_secret(match) or (bool(alone or symbols) and _is_literal(match))


# Patterns


def _compound_pattern(word: str, firsts: str) -> str:
    """`word` after one of `firsts`. To start from `word` is ten times as fast."""
    behind = (f"(?<={first}{word})|(?<={first}[-_. ]{word})" for first in firsts.split())
    return f"{word}(?:{'|'.join(behind)})"


def _value_pattern_after(place: str, names: str, least: int) -> str:
    """The pattern of a value that follows one of `names` in that way."""
    return place.replace("NAMES", names) + _VALUE.replace("LEAST", str(least))


_PASSWORDS = r"pass(?:word|wd|phrase|code|(?<![a-z]pass))|pwd|密码|密碼|口令"
_KEY = _compound_pattern("key", "api access secret private auth encryption signing account master")
_TOKEN = _compound_pattern("token", "access auth refresh bearer session bot api security deploy")
_KEYS = rf"{_KEY}|{_TOKEN}|token(?-i:(?<=[A-Z0-9]_TOKEN))|密钥|密鑰|秘钥|令牌"
_FLAGS = rf"{_KEYS}|apikey|secret|token(?<=--token)"

_FLAG = r"(?xi) -(?:NAMES) (?P<tight>[ ]+) (?!-)"
_ASSIGNMENT = r"""(?xi) (?:NAMES) \d{0,2} (?:\\?["'`]\]?)?
    (?: [ \t]{0,20} (?P<tight> (?: : [ \t]? [\w.&|\[\] ]{1,40})? (?:[:!=]?={1,2}|=>)) [ \t]{0,20}
      | [ \t]{0,20} \*{0,2} [:：] (?!:) [* \t]{0,20}
      | (?P<said> (?:[ ](?:for|of|to|on)[ ][^\n:,;.?!]{1,40}?)?
          [ ](?:is|was|are)(?:[ ](?:still|now|just|set[ ]to))?:?[ ]
        | [ ]?[一-鿿]{0,6}?[是为為成](?:了|：|:|[ ]){0,3} )
      | ,?\s{1,40}["'`]?value["'`]?[ \t]?[:=][ \t]{0,20}      # name: X, value: Y
      | >(?=[^<>\s]{1,200}</) | \((?=[bu]?["'`]) )            # <X>Y</X>, set_X("Y")"""
# Out of quotes, what follows `=` or a flag (tight) ends at what separates arguments; what follows a
# colon or a verb may hold any sign, but not end with one that ends a sentence.
_VALUE = r"""
    (?:[bu@]?(?P<quote>\\?["'`]))? [“‘「『【]?
    (?P<secret> (?(quote) (?:(?!(?P=quote))(?:\\\S|[^\s\\])){LEAST,4096} (?=(?P=quote))
      | (?(tight) [!#-%(-+\--:=?-\[\]^_a-{}~]{LEAST,} | [!#-&(-;=?-\[\]^_a-~]{LEAST,} )
        (?<![.,:;?*|)\]}]) ))"""
# What has neither name nor sign before it: .netrc, SQL, "set my password to …", sshpass, curl -u.
_UNLABELLED = r"""(?xi) (?: \blogin\s\S{1,64}\spassword\s | (?:identified[ ]by|password)[ ](?=["'])
      | (?:set|chang|reset|updat)\w{0,4}[ ](?:\w{1,20}[ ]){0,3}password[ ]to[ ]
      | sshpass[ ]-p[ ]? | [ ](?:-u|--user)[ =]{0,2}["']?[^\s:"']{1,100}: )
    ["'`“]? (?P<secret>[!#-&(-_a-~]{4,}) (?<![.,:;?)])"""
_PIN = r"""(?xi) (?<![a-z])pin (?:[ ]?(?:code|number|码|碼))? [ ]{0,2}
    (?:is|was|[:：=是为]) [ ：:]{0,3} (?P<secret>\d{4,8}) (?!\.?\d)"""
_URL = r"""://[^\s:/@"'<>?#\\]{0,128}:(?P<secret>[^\s/"'<>\\]{1,256})@(?=[\w\[])"""
_AUTHORIZATION = r"""(?xi) (?:
    authorization \\?["'`]? \s{0,4} [:=] \s{0,4} \\?["'`]? (?:(?:basic|bearer|token)\s{1,4})?
    | bearer\s{1,4} ) (?P<secret>[\w.~+/=-]{8,})"""
# A session's by its name, or long enough not to be a setting.
_COOKIE = r"""(?xi) (?:cookie\\?["'`]?[\s:=]{1,4}\\?["'`]?|;[ ]?) (?:
    [\w.-]{0,40}?(?:sess|sid|auth|token|jwt|login|remember|[cx]srf)[\w.-]{0,40} = (?=[^\s;]{6})
    | [\w.-]{1,64} = (?=[^\s;,"'`\\]{16}) ) (?P<secret>[^\s;,"'`\\]+)"""
_AWS_ID = r"(?P<secret>(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[A-Z0-9]{16})(?![\w+\[])"
# Both cases and a digit: a SHA-1 in hexadecimal is as long. Of our own markers only a key's ID is a
# sign, else one secret would give away the next.
_AWS_KEY = r"""(?x) (?: (?i:aws|secret)(?![a-z-]{0,20}\]) | aws-access-key\] ) [^\n]{0,40}?
    (?<![A-Za-z0-9/+.]) (?=[a-z0-9/+]{0,39}[A-Z]) (?=[A-Z0-9/+]{0,39}[a-z]) (?=[A-Za-z/+]{0,39}\d)
    (?P<secret>[A-Za-z0-9/+]{40}) (?![\w/+=-]|\.\w)"""
_BASE64_LINES = r"""(?:(?:\s|\\[nr]|["',\\])*[A-Za-z0-9+/=]{16,})+"""
# Without its END, a key goes as far as its base64 does.
_PEM = rf"""(?x) (?P<secret>
    -----BEGIN[ ] (?P<label>[A-Z0-9 ]{{0,40}}PRIVATE[ ]KEY(?:[ ]BLOCK)?) -----
    (?: [^-=]*(?:(?:-(?!----)|=(?![ ]))[^-=]*)* -----END[ ](?P=label)-----
      | (?:(?:\s|\\[nr])*[A-Z][A-Za-z-]{{2,15}}:[ ][^\n\\]{{1,200}})* {_BASE64_LINES} ))"""
# Visa, Mastercard, Discover, JCB: four by four; American Express; UnionPay, which may be longer.
_CARD = r"""(?x) (?: (?<![\w.+-]) | (?<=\\[nrt]) ) (?P<secret>
      (?: 4\d{3} | 5[1-5]\d\d | 2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)
        | 6(?:011|4[4-9]\d|5\d\d) | 35(?:2[89]|[3-8]\d) )
        (?P<gap>[ -]?) \d{4} (?P=gap) \d{4} (?P=gap) \d{4}
    | 3[47]\d\d (?P<slit>[ -]?) \d{6} (?P=slit) \d{5}
    | 62\d\d (?P<seam>[ -]?) \d{4} (?P=seam) \d{4} (?P=seam) \d{4} (?:(?P=seam)\d{1,3})?
    ) (?![\w-]|\.\d)"""
_DISCORD = r"(?P<secret>[MNO](?:(?<![\w.-].)|(?<=\\[nrt].))[\w-]{23,25}\.[\w-]{6}\.[\w-]{27,})"
# Neither more of the word nor a marker: a row of tokens isn't to show one by one, last first.
_ENDS = r"(?![\w\[-])"
_TELEGRAM = rf"(?P<secret>(?<!\d)\d{{8,10}}:AA[\w-]{{33}}){_ENDS}"


# Rules

_Check = Callable[[re.Match[str]], bool]


@dataclass(frozen=True, slots=True)
class _SecretRule:
    kind: str
    parts: tuple[str, ...]
    pattern: str
    check: _Check = _accept_any


def _place_rule(kind: str, parts: str, pattern: str, check: _Check = _accept_any) -> _SecretRule:
    """A rule for a place where secrets occur: the pattern says which group is the secret."""
    return _SecretRule(kind, tuple(parts.split("|")), pattern, check)


def _token_rule(kind: str, starts: str, rest: str, check: _Check = _accept_any) -> _SecretRule:
    """A rule for tokens that are recognised by their beginning."""
    return _place_rule(kind, starts, f"(?P<secret>(?:{starts.replace('.', '[.]')}){rest})", check)


def _separate_token_rule(kind: str, start: str, rest: str) -> _SecretRule:
    r"""The same, if other words end with that beginning. A `\n` of a quoted text may precede it."""
    return _token_rule(
        kind, start, rf"(?:(?<![\w-]{start})|(?<=\\[nrt]{start})){rest}", _has_digits_and_letters
    )


def _library_rule(kind: str, starts: str, plugin: str) -> _SecretRule:
    """A rule from a plugin of detect-secrets, given as "module.Class"."""
    return _place_rule(kind, starts, f"detect_secrets.plugins.{plugin}")


@cache
def _compile_patterns(rule: _SecretRule) -> tuple[re.Pattern[str], ...]:
    if not rule.pattern.startswith("detect_secrets."):
        return (re.compile(rule.pattern, re.ASCII),)
    module, _, plugin = rule.pattern.rpartition(".")
    # Vendors have made their tokens longer since: the rest of the word belongs to them.
    known = getattr(import_module(module), plugin).denylist
    whole = ((token.pattern.removesuffix(r"(?!\w)"), token.flags) for token in known)
    return tuple(re.compile(f"(?P<secret>{start}[A-Za-z0-9_-]*)", flags) for start, flags in whole)


_GITLAB = "glpat-|gldt-|glft-|glsoat-|glrt-|GR1348941|glcbt-|glimt-|glptt-|glagent-|gloas-"
_UNLABELLED_PARTS = r"""login |identified by|password to |password '|password "|sshpass|curl """

# Left out of detect-secrets, after 3 MB of talk, 44 MB of Python and 234 MB of manuals and scripts:
# - KeywordDetector takes `secret: str` and `pwd = None` (1,300 times), entropy takes every hash;
#   the IBM, SoftLayer and Cloudant rules are names with a value, which _GIVEN knows.
# - OpenAI, JWT and npm are quadratic ("sk-sk-sk-…"), and JWT leaves the signature behind.
# - PrivateKey takes only the BEGIN line; Azure, Artifactory, BasicAuth and the second AWS rule take
#   what surrounds the secret; the first, with no end to the word, finds keys in WebAssembly.
# - Telegram bites 35 characters out of "1700000000:<SHA-256>"; Discord and Twilio ("AC") have no
#   start that is rare enough to spare ordinary text the import.
#
# The order matters: first the tokens that say what they are, then the places where secrets stand.
_RULES = (
    _place_rule("private-key", "PRIVATE KEY", _PEM),
    _place_rule(
        "private-key", "Private-Lines: ", rf"Private-Lines: \d+(?P<secret>{_BASE64_LINES})"
    ),
    _token_rule("anthropic-api-key", "sk-ant-", r"[\w-]{20,}"),
    _token_rule("openai-api-key", "sk-proj-|sk-svcacct-|sk-admin-", r"[\w-]{20,}"),
    # OpenAI's older keys, DeepSeek, DashScope, Moonshot, OpenRouter …
    _separate_token_rule("llm-api-key", "sk-", "(?:or-v1-)?[A-Za-z0-9]{32,}"),
    _token_rule("llm-api-key", "gsk_|xai-|pplx-|tvly-", r"[\w-]{24,}", _has_digits_and_letters),
    _token_rule("google-api-key", "AIza", rf"[\w-]{{35}}{_ENDS}"),
    _token_rule("google-client-secret", "GOCSPX-", r"[\w-]{20,}"),
    _token_rule("google-oauth-token", "ya29.", r"[\w-]{20,}"),
    _token_rule("github-token", "github_pat_", r"\w{22,}"),
    _library_rule("github-token", "ghp_|gho_|ghu_|ghs_|ghr_", "github_token.GitHubTokenDetector"),
    _library_rule("gitlab-token", _GITLAB, "gitlab_token.GitLabTokenDetector"),
    _separate_token_rule("hugging-face-token", "hf_", "[A-Za-z0-9]{30,}"),
    _separate_token_rule("npm-token", "npm_", "[A-Za-z0-9]{36,}"),
    _library_rule("pypi-token", "pypi-AgE", "pypi_token.PypiTokenDetector"),
    _place_rule("aws-access-key", "AKIA|ASIA|ABIA|ACCA|A3T", _AWS_ID),
    _separate_token_rule("alibaba-access-key", "LTAI", "[A-Za-z0-9]{12,}"),
    _place_rule("azure-storage-key", "AccountKey=", r"AccountKey=(?P<secret>[\w+/]{80,}={0,2})"),
    _library_rule("slack-token", "xox|hooks.slack.com", "slack.SlackDetector"),
    _token_rule(
        "slack-token", "xapp-|xoxc-|xoxd-|xoxe-|xoxe.", r"[\w%.-]{20,}", _has_digits_and_letters
    ),
    _library_rule("stripe-key", "sk_live_|rk_live_", "stripe.StripeDetector"),
    _token_rule("stripe-key", "sk_test_|rk_test_|whsec_", r"\w{20,}", _has_digits_and_letters),
    _token_rule("api-key", "sk-live-|sk-test-", r"[\w-]{20,}", _has_digits_and_letters),
    _library_rule("sendgrid-key", "SG.", "sendgrid.SendGridDetector"),
    _library_rule("square-secret", "sq0csp-", "square_oauth.SquareOAuthDetector"),
    _library_rule("mailchimp-key", "-us1|-us2|-us3|-us4|-us5|-us6", "mailchimp.MailchimpDetector"),
    _token_rule("twilio-key", "AC|SK", f"[0-9a-f]{{32}}{_ENDS}"),
    _token_rule("artifactory-key", "AKCp", "[A-Za-z0-9]{60,}"),
    _separate_token_rule("json-web-token", "eyJ", r"[\w-]{10,}(?:\.{1,2}[\w-]{10,})+"),
    _place_rule("telegram-token", ":AA", _TELEGRAM),
    _place_rule("discord-token", ".", _DISCORD, _has_digits_and_letters),
    _place_rule("url-password", "://", _URL, _is_filled_in),
    _place_rule("authorization", "authorization|bearer ", _AUTHORIZATION, _looks_encoded),
    _place_rule("cookie", "cookie", _COOKIE, _looks_encoded),
    _place_rule("aws-secret-key", "aws|secret", _AWS_KEY),
    _place_rule("pin", "pin", _PIN),
    _place_rule("card-number", "2|3|4|5|6", _CARD, _has_card_check_digit),
    _place_rule("password", _UNLABELLED_PARTS, _UNLABELLED, _looks_random),
    _place_rule("password", "-pass|-pwd", _value_pattern_after(_FLAG, _PASSWORDS, 4), _is_secret),
    _place_rule(
        "password",
        "pass|pwd|密码|密碼|口令",
        _value_pattern_after(_ASSIGNMENT, _PASSWORDS, 4),
        _is_password,
    ),
    _place_rule(
        "secret", "secret", _value_pattern_after(_ASSIGNMENT, "secret(?<!:secret)", 8), _is_secret
    ),
    _place_rule(
        "credential",
        "-key|-apikey|-token|-secret",
        _value_pattern_after(_FLAG, _FLAGS, 8),
        _looks_random,
    ),
    _place_rule(
        "credential",
        "key|token|密钥|密鑰|秘钥|令牌",
        _value_pattern_after(_ASSIGNMENT, _KEYS, 8),
        _looks_random,
    ),
    _place_rule(
        "credential",
        "token",
        _value_pattern_after(_ASSIGNMENT, r"token(?<![\w-]token)", 16),
        _looks_random,
    ),
)

# Parts in lower case are looked for whatever the case of the text.
_PARTS = [(part, i) for i, rule in enumerate(_RULES) for part in rule.parts]
_FOLDED_PARTS = [(part, i) for part, i in _PARTS if part.islower()]
_EXACT_PARTS = [(part, i) for part, i in _PARTS if not part.islower()]
