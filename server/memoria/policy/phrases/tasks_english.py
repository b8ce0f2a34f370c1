"""Phrases about tasks in English."""

from memoria.policy.phrases.tasks import TaskLanguage, TaskOpening
from memoria.text.pattern import LazyPattern

_LEAD = r"""(?:(?:ok(?:ay)?|great|perfect|awesome|excellent|nice|cool|good(?:\smorning)?|hi|hello
    |hey|please|pls|so|and|then|well|alright|right|yes|yeah|sure|thanks|thank\syou|actually|finally|yay|first|today
    |this\s(?:morning|afternoon|time)|there)\b[\s,:!—-]*){0,4}"""
_LETS = r"let(?:['’]?s|\sus)"
_ON = r"""(?:work(?:ing)?\son|start\s(?:work(?:ing)?\s)?on
    |get\s(?:started|going|working)\s(?:on|with)
    |(?:move|go|get)\s(?:on|over|back)\s(?:on\s)?to|switch\s(?:over\s|back\s)?to
    |turn\s(?:back\s)?to|return\sto|tackle|jump\s(?:over\s)?to)"""
_WORK = r"""(?:refactor|rewrite|implement|build|write|create|design|draft|prepare|plan|migrate|port
    |deploy|release|publish|set\sup|configure|optimi[sz]e|document|translate|summari[sz]e|analy[sz]e
    |investigate|research|integrate|automate|redesign|restructure|develop|debug|fix|organi[sz]e
    |proofread|review|upgrade|convert|speed\sup)"""
_STEP = r"""(?:add|change|rename|remove|replace|update|improve|clean\sup|finish|edit|test|extend
    |solve|figure\sout|sort\sout|track\sdown|look\s(?:at|into)|polish)"""
_ANY = rf"(?:{_WORK}|{_STEP})"
_DETERMINED = r"(?=.*\b(?:the|an?|my|our|all|some|every|each)\b)"
_WANT = r"(?:i|we)(?:\swant|\sneed|(?:['’]?d|\swould)\slike|\shave)\sto\s(?:now\s)?"
_COULD = r"(?:can|could|would|will)\s(?:you|we)\s(?:please\s)?"
_TASK = r"(?P<task>.+)"


def _opening(
    pattern: str, *, is_clear: bool = False, counts_in_question: bool = False
) -> TaskOpening:
    return TaskOpening(LazyPattern(rf"(?xi){pattern}"), is_clear, counts_in_question)


_OPENINGS = (
    _opening(rf"(?:now,?\s|next,?\s)?{_LETS}\s(?:now\s)?{_ON}\s{_TASK}", is_clear=True),
    _opening(
        rf"(?:now,?\s|next,?\s)?{_COULD}(?:now\s)?{_ON}\s{_TASK}",
        is_clear=True,
        counts_in_question=True,
    ),
    _opening(rf"(?:now,?\s|next,?\s)?{_WANT}{_ON}\s{_TASK}", is_clear=True),
    _opening(
        rf"(?:moving\son\sto|switching\s(?:over\s|back\s)?to|(?:back|over|on)\sto){_DETERMINED}\s{_TASK}",
        is_clear=True,
    ),
    _opening(
        rf"""(?:now|next),?\s(?:then,?\s)?(?:{_LETS}\s|{_WANT}|{_COULD}(?:help\s(?:me|us)\s)?)
        (?P<task>{_WORK}\s.+)""",
        is_clear=True,
        counts_in_question=True,
    ),
    _opening(rf"(?:now,?\s)?{_LETS}\s(?:start\swith\s|focus\son\s){_TASK}"),
    _opening(rf"{_LETS}\s(?:now\s)?(?P<task>{_ANY}\s.+)"),
    _opening(rf"{_WANT}(?P<task>{_ANY}\s.+)"),
    _opening(rf"{_COULD}help\s(?:me|us)\swith\s{_TASK}", counts_in_question=True),
    _opening(
        rf"{_COULD}(?:help\s(?:me|us)\s(?:to\s)?)?(?P<task>{_ANY}\s{_DETERMINED}.+)",
        counts_in_question=True,
    ),
    _opening(rf"(?:i\sneed\s)?(?:your\s)?help\s(?:me|us)?\s?with\s{_TASK}"),
    _opening(rf"help\s(?:me|us)\s(?:to\s)?(?P<task>{_ANY}\s.+)"),
    _opening(rf"(?:i['’]?m|i\sam|we['’]?re|we\sare)\s(?:currently\s|now\s)?working\son\s{_TASK}"),
    _opening(
        rf"(?P<task>{_ANY}\s(?:(?:me|us)\s)?(?:the|an?|my|our|all|every|each)\s(?!time\b|day\b).+)"
    ),
)
_DONE = r"(?:done|finished|complete[d]?|fixed|solved|resolved|shipped|released|merged|published)"

ENGLISH_TASKS = TaskLanguage(
    cues=(
        *(
            "let's ",
            "let’s ",
            "lets ",
            "let us ",
            "help me",
            "help us",
            "help with",
            "want to",
            "like to",
            "need to",
        ),
        *("have to", "can you", "could you", "can we", "could we", "would you", "will you"),
        *("next", "new task", "topic", "subject", "moving on", "switching", "back to", "on to"),
        *("working on", "done", "finished", "works", "working now", "fixed", "solved", "resolved"),
        *(
            "that did it",
            "that's it for",
            "that’s it for",
            "that's all for",
            "that’s all for",
            "shipped",
            "complete",
        ),
        *("released", "merged", "published", "forget the", "please"),
    ),
    lead=LazyPattern(rf"(?xi){_LEAD}"),
    aside=LazyPattern(
        r"""(?xi)(?:
        (?P<names>(?:different|another|new|next|other)\s(?:topic|subject|task|item|thing)
          |change\sof\s(?:topic|subject)|next(?:\sup)?(?=\s?:)|next\sup(?=\sis\b))
          (?:\s?:|\s[-–—]|\sis\b|,)\s
        | (?:leave|park|drop|forget|skip|pause|set\saside|put\saside|never\smind)\s
          (?:about\s)?(?:it|that|this|the\s[^,.]{1,40}?)(?:\s(?:aside|for\s(?:now|the\smoment|later)))?
          ,?\s(?:and\s|then\s)?(?=let|i\b|we\b|can|could|help)
        )"""
    ),
    openings=_OPENINGS,
    end_pattern=LazyPattern(
        rf"""(?xi)(?:
          (?:(?:and\s)?(?:(?:we|i)(?:['’]?(?:re|m)|\sare|\sam)\s|(?:that|it)(?:['’]s|\sis)\s
            |everything(?:['’]s|\sis)\s)?(?:all\s|now\s){{0,2}}(?:done|finished)
            (?:\s(?:here|now|for\s(?:today|now)))?)
        | (?:(?:we|i)(?:['’]?(?:re|m)|\sare|\sam)\s)?(?:all\s)?(?:done|finished)
          \swith\s(?P<with>[^,]+)
        | that(?:['’]s|\sis)\s(?:it|all)\s(?:for|with|on)\s(?P<that>[^,]+)
        | it(?:['’]s)?\s(?:all\s)?work(?:s|ing)\s(?:now|perfectly|great|like\sa\scharm)(?:\snow)?
        | that\s(?:fixed|solved|did)\sit | problem\ssolved
        | (?:it|that)(?:['’]s|\sis)\s(?:now\s)?(?:fixed|solved|resolved)(?:\snow)?
        | (?:(?:i|we)(?:['’]ve|\shave)?\s)?(?:just\s)?(?:shipped|finished|released|published|merged)
          \s(?P<did>(?:it|that|the)\b[^,]*)
        | (?P<what>(?:the|my|our)\s[^,]{{2,60}}?)
          \s(?:is|are)\s(?:now\s|all\s|finally\s){{0,2}}{_DONE}
          (?:\snow)?
        | {_LETS}\s(?:change\sthe\s(?:subject|topic)|talk\sabout\ssomething\selse|call\sit\sa\sday
          |stop\shere|leave\sit\s(?:there|here|at\sthat))
        )(?P<rest>(?:\s*[,:–—-]\s*.*|\s(?:and|but|now|thanks?|thx)\b.*)?)$"""
    ),
    pointing=LazyPattern(
        r"""(?xi)(?:it|this|that|these|those|all|everything|all\sof\s(?:it|this|that)|today|now|here
        |(?:the|this|that)\s(?:task|job|work|thing|whole\sthing|one))(?:\s(?:now|today|then))?"""
    ),
    polite=LazyPattern(
        r"""(?xi)(?:\W|\b(?:for\s(?:your|the|all\sthe)\shelp|see\syou(?:\stomorrow|\slater)?|good\snight
        |what(?:['’]s|\sis)\snext|tests\spass|everything\sis\sgreen|that['’]?s\sall|well\sdone
        |thank\syou|thanks?|thx|cheers|so\smuch|very\smuch|a\slot|all\sgreen|love\sit|and|now
        |ok(?:ay)?|again|great|good|nice|awesome|amazing|perfect|excellent|work|job|stuff|you|rock
        |bye|yay|finally)\b)*+$"""
    ),
    later=LazyPattern(
        r"""(?xi)\b(?:if|unless|once|after|until|tomorrow|later\son|some\s?day|one\sday|eventually|soon
        |at\ssome\spoint|sometime|next\s(?:week|month|year|time|sprint|quarter)\b(?!['’]s)|tonight
        |on\s(?:mon|tues|wednes|thurs|fri|satur|sun)day|also|too|as\swell|first|not|never
        |when\s(?:i|we|you|he|she|they|there)|later$|maybe|perhaps|said|says|told)\b"""
    ),
    tail=LazyPattern(
        r"""(?xi)(?:[,;:(]\s|\s[-–—]\s|\s(?:because|since|so\sthat|so\s(?:we|i|it)|but|and\sthen|which
        |as\s(?:it|the|we|i)|before\s(?:we|i|the)|while|when)\b).*$"""
    ),
    filler=LazyPattern(
        r"""(?xi)(?:\s(?:for\snow|now|today|next|please|instead|again|together|then|thanks|right\saway
        |real\squick|quickly|for\s(?:me|us)))+$"""
    ),
    common=LazyPattern(
        rf"""(?xi)\b(?:{_ANY}|work|start|code|codes|bugs?|errors?|functions?|files?|problems?|issues?
        |things?|stuff|tests?|lines?|typos?|parts?|ones?|rest|first|second|third|next|last|other
        |same|steps?|changes?|something|anything|everything|me|us|help|variables?|questions?
        |paragraphs?|sections?|new|old|small|quick|little|bit|\d+)\b"""
    ),
)
