"""English words that decide how a statement is read."""

from memoria.text.pattern import LazyPattern

POINTING = frozenset(
    "today tomorrow yesterday this that it there here they he she which what".split()
)
"""Subjects that name nothing by themselves."""
FILLERS = frozenset("a an the really very just quite please also too that so much always".split())
NOW = frozenset("now currently nowadays today presently recently actually finally still".split())
"""Adverbs that say that something holds at present; they name no value."""
ADVERBS = NOW | frozenset(
    """
    also always really usually generally often sometimes only just mostly mainly already
    both absolutely truly strongly definitely even probably perhaps maybe possibly
    apparently reportedly never not once formerly previously again instead rather
    """.split()
)
TENTATIVE = frozenset("probably perhaps maybe possibly apparently reportedly allegedly".split())
MODALS = frozenset("will would may might could shall wo".split())
BE = frozenset("is are am be been being was were".split())
HAVE = frozenset("has have had having".split())
DO = frozenset("do does did".split())
WISHES = frozenset(
    """
    want wants hope hopes plan plans wish wishes intend intends aim aims consider
    considers considering planning hoping thinking dream dreams aspire aspires expect
    expects looking
    """.split()
)
INTENTIONS = frozenset("considering planning hoping thinking going".split())
AFTER_BE = NOW | frozenset("not no longer never also already instead again once formerly".split())
STOPS = frozenset("stop stops stopped quit quits cease ceased gave given dropped abandoned".split())
STARTS = frozenset("start starts started begin begins began begun resumed took".split())
PAST = frozenset(
    """
    was were had lived worked used liked loved hated owned went took ate drank drove spoke
    wore met saw bought ran read told said wrote studied visited spent got gave came flew
    won made did knew thought felt saw became sent kept paid broke fell grew taught played
    enjoyed attended preferred hosted needed wanted moved found lost felt heard learnt
    held led sat stood swam threw understood woke sang slept taught tore built spent
    caught chose drew hid hurt lent won
    """.split()
)
VERBS = frozenset(
    """
    lives live resides works work studies study attends likes like loves love hates hate
    dislikes dislike enjoys enjoy adores detests prefers prefer eats eat drinks drink
    smokes smoke takes take uses use plays play speaks speak learns learn owns own wears
    wear drives drive goes go needs need has have is are was were am knows know runs run
    costs cost listens listen meets meet moved relocated joined switched changed started
    began stopped quit left sold bought became got turned wants want hopes plans does do
    will would may might could can should must used lived worked studied liked loved hated
    owned went took ate drank drove spoke wore met visited teaches teach keeps keep owes
    weighs measures earns earn pays pay reads watches watch collects collect breeds thinks
    think believes says said gave given stands hosts happens happen starts begins ends
    expires stays stay depends sleeps sleep walks walk swims swim rides ride cooks cook
    never not no
    """.split()
)
"""After one of these begins what is said of the subject."""
PREPOSITIONS = frozenset(
    """at on in under by to from with behind above below near inside for as over into of off next
    every between before after until during via""".split()
)
TASTES = {
    **dict.fromkeys(("like", "love", "enjoy", "adore", "prefer"), True),
    **dict.fromkeys(("hate", "dislike", "detest"), False),
}
END_ADVERBS = LazyPattern(
    r"""(?xi)[\s,]+(?P<word>now|nowadays|any\s?more|any\slonger|instead|again|after\sall|at\sall|these\sdays|at\sthe
    \smoment|currently|too|as\swell|also|today|so\sfar|a\slot|very\smuch|anyway|please|from\snow\son)$"""
)
CHANGE_ADVERBS = frozenset(
    "now any more anymore any longer instead again after all nowadays".split()
)
PAST_TIME = LazyPattern(
    r"""(?xi)\b(?:in\s(?:the\s)?(?:1[89]|20)\d\d(?:s\b|\b)|last\s(?:week|month|year|night|summer|winter|spring
    |autumn|fall|time|\w+day)|yesterday|years?\sago|months?\sago|weeks?\sago|days?\sago|as\sa\s(?:child|kid|boy
    |girl|student|teenager)|back\sthen|at\sthe\stime|in\sthe\spast|when\sthe\suser\swas|until\s(?:recently|\d{4})
    |before\sthat|earlier)\b"""
)
LATELY = LazyPattern(
    r"""(?xi)[\s,]+(?:last\s(?:week|month|night|\w+day)|yesterday|(?:a\s(?:few\s|couple\sof\s)?|two\s|three\s)
    (?:days?|weeks?)\sago)$"""
)
"""When a change happened of which nobody would tell if it did not hold any more."""
FUTURE_TIME = LazyPattern(
    r"(?i)\b(?:next\s(?:week|month|year|spring|summer|autumn|fall|winter)|tomorrow|some\s?day|soon|from\snext\s\w+)\b"
)
HEARSAY = LazyPattern(
    r"""(?xi)^(?:(?:\w+\s){1,3}(?:says|said|thinks|believes|claims|mentioned|told|heard|reads|assumes|suspects
    |guesses|supposes|wonders)\s(?:that\b|the\suser\b|(?:\w+\s){1,3}(?:is|are|has|have|likes|lives|works)\b)
    |(?:apparently|reportedly|supposedly|allegedly|maybe|perhaps|possibly|probably|it\sseems|rumou?r)\b)"""
)
NOT_STANDING = frozenset("stand bear".split())
"""With "can not" before them, these verbs say that something is disliked."""
CONDITION = LazyPattern(r"(?i)\b(?:if|unless|whenever|in case)\b")
NUMBER = LazyPattern(
    r"""(?xi)\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty
    |hundred|thousand|million|noon|midnight|mon|tues|wednes|thurs|fri|satur|sun)(?:day)?s?\b
    |\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)\b|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"""
)
TIME = LazyPattern(
    r"""(?xi)^(?:the\s)?\d{1,2}(?::\d\d)?$|\d[:.]\d\d\b|\d\s?(?:am|pm|o'clock)\b|\b\d{4}-\d\d|\d(?:st|nd|rd|th)$
    |\b(?:noon|midnight|today|tomorrow|tonight|next|morning|afternoon|evening|quarter\s(?:past|to)|half\spast)\b
    |\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:19|20)\d\d$
    |\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b"""
)
COUNT = LazyPattern(
    r"(?i)^(?P<count>\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\s(?P<what>.+)$"
)
MANY = frozenset(
    """
    friend sister brother son daughter colleague cousin uncle aunt neighbour dog cat pet
    child kid hobby goal interest skill plan dream problem question task idea concern wish
    grandmother roommate grandfather note opinion advice favourite favorite project habit
    symptom language meeting appointment trip book film movie song
    """.split()
)
"""Attributes of which a person may have several, even if the statement names one."""
ATTRIBUTES = frozenset(
    """
    name birthday age address home job employer phone number email deadline port version
    owner budget password price size colour color limit branch format title language
    default height weight host ip url address key header timezone username nickname diet
    salary rent timeout location status responsible lead leader maintainer date time due
    start end capacity region currency pin code locker seat room model make
    """.split()
)
"""Nouns of which a thing has one."""
JOBS = LazyPattern(
    r"""(?xi)^(?:an?\s)?(?:\w+\s){0,2}(?:nurse|teacher|doctor|engineer|developer|programmer|lawyer|designer|manager
    |student|architect|writer|journalist|accountant|chef|cook|pilot|dentist|pharmacist|scientist|professor
    |researcher|analyst|consultant|librarian|electrician|plumber|carpenter|photographer|musician|actor|actress
    |therapist|psychologist|surgeon|veterinarian|waiter|waitress|translator|editor|baker|farmer|gardener)$"""
)
CHANGED = LazyPattern(
    r"(?i)\b(?:now|no longer|any ?more|instead|again|after all|stopped|quit|switched|moved to)\b"
)
_REPHRASED = (
    (LazyPattern(r"(?i)\b(?:would|'d) rather (.+?) than (.+)$"), r"prefers \1 over \2"),
    (LazyPattern(r"(?i)\bwould prefer\b"), "prefers"),
    (LazyPattern(r"(?i)\blikes? (.+?) (?:more|better) than (.+)$"), r"prefers \1 over \2"),
)


def rephrase(text: str) -> str:
    """The clause in the words that the rules know: "would rather walk" is "prefers walk"."""
    small = text.lower()
    if "rather" in small or "prefer" in small or "like" in small:  # as few clauses do
        for pattern, plainer in _REPHRASED:
            text = pattern.regex.sub(plainer, text)
    return text
