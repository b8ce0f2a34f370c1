"""Secrets never reach the store, and nothing else is lost on the way."""

import re
from functools import reduce
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.language.secrets.corpus import read_cases

from memoria.language.reading.clean import Tally, clean_name
from memoria.language.secrets.redact import Redaction, redact

# Made up, and put together here so that no scanner takes this file for a leak.
MIX = "aB3dE5fG7h" * 12
HEX = "0123456789abcdef" * 8
TOKENS = {
    "anthropic-api-key": "sk-ant-" + "api03-" + MIX[:60],
    "openai-api-key": "sk-proj-" + MIX[:80],
    "llm-api-key": "sk-" + HEX[:32],
    "google-api-key": "AIza" + MIX[:35],
    "google-client-secret": "GOCSPX-" + MIX[:28],
    "google-oauth-token": "ya29." + MIX[:60],
    "github-token": "ghp_" + MIX[:36],
    "gitlab-token": "glpat-" + MIX[:20],
    "hugging-face-token": "hf_" + MIX[:34],
    "npm-token": "npm_" + MIX[:36],
    "pypi-token": "pypi-" + "AgEIcHlwaS5vcmc" + MIX[:80],
    "aws-access-key": "AKIA" + "QRST" * 4,
    "alibaba-access-key": "LTAI" + MIX[:20],
    "slack-token": "xoxb-" + "12345-67890-" + MIX[:24],
    "stripe-key": "sk_live_" + MIX[:90],
    "sendgrid-key": "SG." + MIX[:22] + "." + MIX[:43],
    "square-secret": "sq0csp-" + MIX[:43],
    "mailchimp-key": HEX[:32] + "-us12",
    "twilio-key": "SK" + HEX[:32],
    "artifactory-key": "AKCp" + MIX[:69],
    "json-web-token": "eyJ" + MIX[:30] + ".eyJ" + MIX[:40] + "." + MIX[:43],
    "telegram-token": "123456789:" + "AA" + MIX[:33],
    "discord-token": "MT" + MIX[:22] + "." + MIX[:6] + "." + MIX[:38],
}
MORE_TOKENS = [
    ("github-token", "github_pat_" + MIX[:22] + "_" + MIX[:59]),
    ("openai-api-key", "sk-svcacct-" + MIX[:80]),
    ("llm-api-key", "sk-or-v1-" + HEX[:64]),
    ("slack-token", "xapp-" + "1-A1-" + MIX[:40]),
    ("slack-token", "https://hooks.slack.com/" + "services/T1/B1/" + MIX[:24]),
]
AWS_SECRET = "aB3/" * 10
BODY = "\n".join([MIX[:64]] * 3 + ["aB3="])
MARKER = re.compile(r"\[redacted:[a-z-]+\]")


def pem(label: str) -> str:
    return f"-----BEGIN {label}-----\n{BODY}\n-----END {label}-----"


def kinds(text: str) -> dict[str, int]:
    return {redaction.kind: redaction.count for redaction in redact(text).redactions}


def assert_survives(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(("kind", "token"), [*TOKENS.items(), *MORE_TOKENS])
@pytest.mark.parametrize(
    "frame", ["{}", "看这里：{}，是我的", "echo {} | pbcopy", '{{"a":"x\\n{}\\n"}}']
)
def test_a_token_of_a_known_form_goes_wherever_it_stands(kind: str, token: str, frame: str) -> None:
    redacted = redact(frame.format(token))
    assert redacted.text == frame.format(f"[redacted:{kind}]")
    assert redacted.redactions == (Redaction(kind, 1),)


@pytest.mark.parametrize("kind", ["github-token", "stripe-key", "gitlab-token"])
def test_a_token_longer_than_its_rule_knows_leaves_no_tail(kind: str) -> None:
    assert redact(TOKENS[kind] + "Z9" * 40).text == f"[redacted:{kind}]"


# In each of these, what stands between « and » is the secret.
STATED = [
    # code
    'password = "«hunter22»"',
    "passwd='«swordfish»'",
    'password: str = "«hunter22»"',
    'const password: string = "«hunter22»";',
    'config["password"] = "«hunter22»"',
    'user.set_password("«hunter22»")',
    'if password == "«hunter22»":',
    "os.environ['STRIPE_API_KEY'] = '«abcd1234efgh5678»'",
    'client_secret="«abcd1234efgh5678»"',
    'private_key = "«abcd1234efgh5678»"',
    'token: "«abcd1234efgh5678ijkl»"',
    "CREATE USER bob IDENTIFIED BY '«hunter22»'",
    # data
    "DB_PASSWORD=«swordfish»",
    'export DB_PASSWORD="«s3cret!Pa55»"',
    "password: «hunter22»",
    "  db:\n    password: «swordfish»\n",
    '{"user":"bob","password":"«hunter22»","x":1}',
    '{"user":"bob","password":"«hun\\"ter22»","x":1}',
    r"{\"password\":\"«hunter22»\",\"x\":1}",
    "- name: DB_PASSWORD\n  value: «hunter22»",
    "<password>«hunter22»</password>",
    "Server=x;User Id=sa;Password=«hunter22»;Timeout=3",
    "SLACK_TOKEN=«abcd1234efgh5678»",
    "secret: «abcd1234efgh5678»",
    "密钥：«abcd1234efgh5678»",
    # shell and HTTP
    "mysql --password «hunter22» -u root",
    "psql --db-password='«hunter22»'",
    "tool --api-key «abcd1234efgh5678» run",
    "tool --token «abcd1234efgh5678» run",
    "sshpass -p «hunter22» ssh bob@example.org",
    'curl -u "bob:«hunter22»" https://example.org',
    "X-Api-Key: «abcd1234efgh5678»",
    "GET /?api_key=«abcd1234efgh5678»&user=bob",
    "access_token=«abcd1234efgh5678»&user=bob",
    "machine example.org login bob password «hunter22»",
    # sentences
    "my password is «hunter2!x»",
    "My password is «hunter2!x».",
    "the wifi password: «sunshine»",
    "the wifi password: «sun5hine», ok?",
    'the wifi password is "«sunshine»"',
    "the password for the router is «abc12345», don't tell",
    "my password is «Tr0ub4dor&3»",
    "I changed my password to «hunter22»!"[:-1],
    "**Password:** «hunter22»",
    "Password: **«hunter22»**",
    "Password: `«hunter22»`",
    "my api key is «abcd1234efgh5678»",
    "密码是 «abc12345»",
    "密码是«abc12345»，别告诉别人",
    "密码：«abc12345»",
    "我的密码改成了«abc12345»。",
    "银行卡密码是 «482913»",
    "WiFi密码是“«abc12345»”",
    "口令：«abc12345»",
    "密钥是 «abcd1234efgh5678»",
    "PIN is «4921»",
    "my PIN is «4921».",
    "PIN 码是 «4921»",
]


@pytest.mark.parametrize("marked", STATED)
def test_a_stated_secret_goes_and_its_surroundings_stay(marked: str) -> None:
    before, secret, after = re.split("[«»]", marked)
    redacted = redact(before + secret + after)
    assert MARKER.sub("«»", redacted.text) == f"{before}«»{after}"


ORDINARY = [
    "password = os.environ['X']",
    "password: str",
    "password: Optional[str] = None",
    "token = get_token()",
    "token = tokens[i + 1]",
    "password = getpass.getpass()",
    "password = hashlib.sha256(x).hexdigest()",
    "api_key=settings.OPENAI_API_KEY",
    "password: process.env.DB_PASSWORD2",
    "private_key: Ed448PrivateKey",
    "secretKey: Uint8Array",
    "username, password = split",
    "password VARCHAR(255) NOT NULL",
    "private_key: ~/.ssh/id_rsa1",
    "PASSWORD_FILE=/run/secrets/db1",
    'password = "" and user="bob1234"',
    '{"grant_type":"password","username":"bob1234"}',
    '<input type="password" name="pw1">',
    '"password": "Password"',
    "max_tokens: 4096",
    '"total_tokens": 12345678',
    'headers = {"Authorization": f"Bearer {token}"}',
    "<password>",
    "password: <password>",
    "password=${PASSWORD}",
    "password=$(pass show x1)",
    '"password": "{{ password }}"',
    'password = "****"',
    "postgres://user:${PASSWORD}@host/db",
    'api_key = "your-api-key-here"',
    'api_key = "sk-ant-..."',
    "Authorization: Bearer <token>",
    "--password PASSWORD",
    "use --password to set it",
    "secret santa",
    "secret: nobody knows",
    "the secret is out",
    "the password is wrong",
    "the password is case-sensitive",
    "the password is 12 characters long",
    "the password is 8-digit",
    "the password is SHA-256 hashed",
    "forgot my password",
    "reset your password: click here",
    "he was the ring bearer of all",
    "bypass: true",
    'result = ok ? "PASS" : "FAILED"',
    "aws sqs list --starting-token abcd1234efgh5678",
    "arn:aws:secretsmanager:eu-west-1:123456789012:secret:Mine-a1b2c3d4",
    "https://docs.aws.amazon." + "com/AWSEC2/latest/UserGuide/AbcSnapshot1.html",
    "spinning is 4921 times better",
    "cookies are tasty; x=1",
    "密码是什么",
    "密码是多少？",
    "密码是8位数字",
    "密码是2023年改的",
    "密码：请联系管理员",
    "忘记密码",
    "令牌过期了",
    "task-" + HEX[:32],
]


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_talk_and_code_about_secrets_survive(text: str) -> None:
    assert_survives(text)


@pytest.mark.parametrize(
    "text",
    [
        "commit " + HEX[:40],
        "sha256:" + HEX[:64],
        "1700000000:" + HEX[:64],
        "550e8400-" + "e29b-41d4-a716-446655440000",
        "data:image/png;base64," + MIX * 50 + "==",
        "AAAAAKIA" + "Q" * 24 + "/" + MIX,
        "aws s3 cp s3://x/" + HEX[:40],
        "http://localhost:8080/@fs/x",
        "ssh://git@example.org:22/x",
        pem("CERTIFICATE"),
        pem("PUBLIC KEY"),
    ],
)
def test_hashes_identifiers_images_and_public_keys_survive(text: str) -> None:
    assert_survives(text)


@pytest.mark.parametrize(
    ("url", "left"),
    [
        ("postgres://user:pw@host/db", "postgres://user:[redacted:url-password]@host/db"),
        ("postgres://user:p@ss1@host/db", "postgres://user:[redacted:url-password]@host/db"),
        ("redis://:hunter22@[::1]:6379/0", "redis://:[redacted:url-password]@[::1]:6379/0"),
        ("mongodb+srv://u:p%40ss@c.net", "mongodb+srv://u:[redacted:url-password]@c.net"),
    ],
)
def test_a_database_url_loses_only_its_password(url: str, left: str) -> None:
    assert redact(f"psql {url} -c x").text == f"psql {left} -c x"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"Authorization: Bearer {MIX[:20]}", "Authorization: Bearer [redacted:authorization]"),
        (
            "-H 'authorization: Basic ZXhhbXBsZQ=='",
            "-H 'authorization: Basic [redacted:authorization]'",
        ),
        (
            f'{{"Authorization": "Bearer {MIX[:20]}"}}',
            '{"Authorization": "Bearer [redacted:authorization]"}',
        ),
        (
            "Cookie: theme=dark; sessionid=abcd1234; lang=en",
            "Cookie: theme=dark; sessionid=[redacted:cookie]; lang=en",
        ),
        (
            f"Set-Cookie: x={MIX[:24]}; Path=/; HttpOnly",
            "Set-Cookie: x=[redacted:cookie]; Path=/; HttpOnly",
        ),
    ],
)
def test_a_header_keeps_all_but_its_credential(text: str, left: str) -> None:
    assert redact(text).text == left


@pytest.mark.parametrize(
    "frame",
    [
        "aws_secret_access_key = {}",
        "AWS Secret Access Key [None]: {}",
        '"SecretAccessKey": "{}"',
        TOKENS["aws-access-key"] + ",{}",
    ],
)
def test_an_aws_secret_goes_when_a_word_beside_it_says_so(frame: str) -> None:
    assert "aws-secret-key" in kinds(frame.format(AWS_SECRET))
    assert AWS_SECRET not in redact(frame.format(AWS_SECRET)).text
    assert_survives("checksum " + AWS_SECRET)


@pytest.mark.parametrize("label", ["PRIVATE KEY", "RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
def test_a_private_key_goes_as_a_whole(label: str) -> None:
    assert redact(f"see\n{pem(label)}\nbye").text == "see\n[redacted:private-key]\nbye"


def test_a_private_key_written_on_one_line_goes_as_a_whole() -> None:
    line = pem("PRIVATE KEY").replace("\n", "\\n")
    assert redact(f'{{"private_key": "{line}\\n"}}').text == (
        '{"private_key": "[redacted:private-key]\\n"}'
    )


def test_a_private_key_cut_short_goes_to_the_end_of_its_base64() -> None:
    head = f"-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{MIX[:64]}\n{MIX[:64]}"
    assert redact(f"{head}\n\nthat was it").text == "[redacted:private-key]\n\nthat was it"


def test_naming_a_private_key_is_no_private_key() -> None:
    assert_survives('if line == "-----BEGIN PRIVATE KEY-----": raise KeyFoundError')


@pytest.mark.parametrize(
    "number",
    [
        "4539 1488 0343 6467",
        "4539148803436467",
        "5412-7512-3412-3452",
        "2221001234567896",
        "6011601160116611",
        "3566 1111 1111 1113",
        "371144371144376",
        "3711 443711 44376",
        "6212345678901232",
    ],
)
@pytest.mark.parametrize("frame", ["{}", "card: {}.", "卡号是{}，有效", "x\\n{}\\ny", '"{}"'])
def test_a_card_number_goes_in_whatever_groups_it_is_written(number: str, frame: str) -> None:
    found = redact(frame.format(number))
    assert found.text == frame.format("[redacted:card-number]")


@pytest.mark.parametrize(
    "text",
    [
        "order 4111 1111 1111 1112",
        "1732212345678901",
        "4111111111111111111111",
        "sha 4111111111111111abcdef",
        "4111111111111111.25",
        "v4111-1111-1111-1111",
        "0000 0000 0000 0000",
        "id_4111111111111111",
    ],
)
def test_a_number_that_is_no_cards_stays(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    "between", ["\u200b", "\u00ad", "\u2060", "\ufeff", "\u202e", "\U000e0041"]
)
def test_a_secret_split_by_what_nobody_sees_goes_as_a_whole(between: str) -> None:
    token = between.join(TOKENS["github-token"])
    assert redact(f"看 {token} bye").text == "看 [redacted:github-token] bye"
    assert "hunter22" not in redact(f"my pass{between}word: hunter22").text
    assert redact(f"a{between}b stays").text == f"a{between}b stays"


def test_each_kind_is_counted() -> None:
    both = f"{TOKENS['github-token']} {TOKENS['github-token']} password=hunter22"
    assert kinds(both) == {"github-token": 2, "password": 1}


def test_a_text_without_secrets_comes_back_as_it_is() -> None:
    text = "明天下午三点开会\r\n\ttabs, 🙂 and \x00 stay"
    redacted = redact(text)
    assert redacted.text is text
    assert redacted.redactions == ()


PIECES = st.sampled_from(
    [
        *TOKENS.values(),
        *(re.sub("[«»]", "", marked) for marked in STATED),
        *ORDINARY,
        *"password|secret|api_key|token|密码|=|: | is |是|\"|'|`|\\|\\n|\n| |,|;|@|://|u:|[|]|(|)"
        "|<|>|-|--|*|[redacted:password]|[redacted:|hunter22|1234|Bearer |Cookie: |; sid=|aws "
        "|PRIVATE KEY-----|-----BEGIN |-----END |pin is ".split("|"),
        pem("PRIVATE KEY"),
        AWS_SECRET,
    ]
)
# The first text reads the tables and compiles the patterns: no deadline.
PATIENT = settings(deadline=None)
TEXTS = st.lists(PIECES | st.text(max_size=8), max_size=12).map("".join)


@PATIENT
@given(TEXTS)
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = redact(text).text
    again = redact(once)
    assert again.text == once
    assert again.redactions == ()


@pytest.mark.parametrize(
    "token", [*TOKENS.values(), AWS_SECRET, "AKIAASIA", "GR1348941" + "a" * 41, "pin is 4921"]
)
def test_a_row_of_tokens_without_gaps_is_done_with_at_once(token: str) -> None:
    once = redact("aws " + token * 50).text
    assert redact(once).text == once


@PATIENT
@given(TEXTS)
def test_all_that_is_not_a_secret_stays_byte_for_byte(text: str) -> None:
    redacted = redact(text)
    # Every stretch between markers is found in the text, in this order, up to its very end.
    stretches = MARKER.split(redacted.text)
    ends = reduce(lambda at, part: text.index(part, at) + len(part), stretches[:-1], 0)
    assert text.startswith(stretches[0])
    assert text.endswith(stretches[-1])
    assert ends + len(stretches[-1]) <= len(text)


@PATIENT
@given(TEXTS)
def test_the_counts_are_of_the_new_markers(text: str) -> None:
    added = len(MARKER.findall(redact(text).text)) - len(MARKER.findall(text))
    # A secret's surroundings may complete a marker that was cut off, never break a whole one.
    assert sum(kinds(text).values()) <= added + text.count("[redacted:")


# A quadratic pattern would take hours over these.
HOSTILE = [
    "a",
    "A",
    "=",
    '"',
    "-",
    "password=",
    'password="',
    "password: ",
    "password for a ",
    "password=a1b2, ",
    "密码一",
    "api key ",
    "secret ",
    "aws ",
    "-----BEGIN ",
    "-----BEGIN PRIVATE KEY-----",
    "://a:",
    "eyJ",
    "sk-",
    "cookie=",
    "GR1348941" + "a" * 41,
    TOKENS["twilio-key"],
    TOKENS["telegram-token"],
    AWS_SECRET + " aws ",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_long_text_of_anything_is_read_in_linear_time(piece: str) -> None:
    text = piece * (200_000 // len(piece.encode()))
    assert redact(text).text


def test_a_quoted_row_of_words_is_a_secret_where_one_of_them_is_no_word() -> None:
    row = f"{MIX[:10]} horse battery"
    for said in ('the passphrase is "{}"', "passphrase: '{}'", 'PASSPHRASE = "{}"', "密码是“{}”"):
        assert redact(said.format(row)).text == said.format("[redacted:password]")
    for kept in (
        'The password is "at least 8 characters long".',
        'It was "reset in 2025", he said.',
    ):
        assert redact(kept).text == kept


@given(st.from_regex(r"[A-Za-z0-9]{1,8}", fullmatch=True) | st.uuids().map(str))
def test_a_name_that_is_not_looked_through_would_stay_as_it_is(name: str) -> None:
    assert clean_name(name, Tally()) == name
    assert redact(name).text == name


_CASES = read_cases(Path(__file__).parent / "secrets/shapes_kinds.tsv") + read_cases(
    Path(__file__).parent / "secrets/shapes_after.tsv"
)


@pytest.mark.parametrize("closer", ["”", "」", "』", "》", "）", "】", "。", "，", "’", "“）。"])
def test_what_closes_the_words_around_a_secret_stays(closer: str) -> None:
    ended = [case for case in _CASES if case.text.endswith(case.secrets[-1])]
    read = [(case, redact(f"{case.text}{closer}").text) for case in ended]
    assert len(read) > 100
    assert not [(case.name, left) for case, left in read if not left.endswith(closer[-1])]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("The gate code is 5512", "The gate code is 5512"),
        ("The gate code is 5512, the login code 482913", "The gate code is 5512, the login code "),
        ("门禁密码是 4711，银行卡密码是 482913", "门禁密码是 4711，银行卡密码是 "),
        ("the gate. My PIN is 4711", "the gate. My PIN is "),
        ("PASS tests/x.py::test_1, pass: Zq77hKw7Ux", "PASS tests/x.py::test_1, pass: "),
    ],
)
def test_a_door_or_a_verdict_beside_a_secret_shields_it_not(text: str, left: str) -> None:
    found = redact(text).text
    assert found.partition("[redacted:")[0] == left
    assert ("[redacted:" in found) is (text != left)
