"""Rules on words and phrases: proselint's own, and the house's in its form of a check."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from proselint.checks import __register__ as PROSELINT
from proselint.registry.checks import Check, CheckResult, types
from proselint.registry.checks.engine import Fancy

PASSED_OVER = (
    "typography",
    "dates_times",
    "annotations",
    "lexical_illusions",
    "weasel_words",
    "misc.phrasal_adjectives",
    "misc.preferred_forms",
    "restricted",
)
"""Of proselint: what takes 64x64, multiply-adds, "8 x 8 x 8" or NE = 1 for a slip, or says what a house rule says."""

_NUMBER = (
    r"(?:\d(?:[\d,.]*\d)?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|sixteen|twenty|thirty|hundred|once|twice|"
    r"few)"
)
_PER = (
    rf"\b(?:{_NUMBER}[ \n]|(?:one|1)[ \n](?!(?:of|for|in|with|and|to|on|or|from|by|at|when|than|per)\b)\w+(?<!s)[ \n]|"
    rf"(?:{_NUMBER}|half|many|several|more)[ \n]"
    r"(?!(?:has|as|is|was|lets|copies|reads|takes|does|needs|gives|makes|holds|closes)\b)\w+s[ \n])"
    r"an?[ \n]"
    r"(?:second|minute|hour|day|week|month|year|cycle|clock|core|SM|lane|thread|warp|simdgroup|group|threadgroup|block|"
    r"token|page|row|step|sentence|chip|GPU|kernel|dispatch|launch|call|element|addition|multiply|instruction|"
    r"iteration|tile|layer|head|buffer|line|paragraph|chapter|machine|file|excerpt|build|run|rung|site|value|word|pass)"
    r"\b(?![ \n](?:holds?|reads?|writes?|has|owns?|loads?|can|may|must|needs?|takes?|asks?|gets?|wrote|read)\b)"
)
_TURNED = (
    r"\b(?:is|are|was|were|it's|that's|this is)(?:[ \n]not|n't)[ \n](?!only)[^.;:?!†()]{2,60}?[,;.—][ \n]*"
    r"(?:it|they|this|that|these|those|he|she)(?:'s|'re|[ \n](?:is|are|was|were))\b"
)
_NOT_JUST = r"\bnot[ \n](?:just|only|merely|simply)\b"
_FAR_BACK = (
    r"\b(?:the[ \n](?:former|latter)|(?:the|this)[ \n](?:first|second|third|last|other|same)[ \n]source|"
    r"the[ \n](?:row|line|sentence)[ \n](?:above|below)(?:[ \n]it)?|"
    r"(?:as|was|were)[ \n](?:said|mentioned|noted|seen|shown)[ \n](?:above|earlier|before)|"
    r"aforementioned|respectively)\b"
)
_TWICE = r"\b([a-z]+)[ \n]\1\b(?<!that that)(?<!had had)"
_EMPTY = (
    "actually", "arguably", "as a matter of fact", "as such", "at the end of the day", "basically", "clearly",
    "essentially", "for all intents and purposes", "fundamentally", "in fact", "in order to", "in essence",
    "it is important to note", "it is interesting", "it is worth", "it should be noted", "it turns out",
    "keep in mind that", "let's", "literally", "naturally", "needless to say", "(?<!a )note that", "obviously",
    "of course",
    "please note", "quite", "rather than just", "really", "simply put", "to be clear", "very", "when it comes to",
    "worth noting", "worth a look", "if you will", "in other words", "the fact that", "that said", "all in all",
)  # fmt: skip
_LOUD = (
    "amazing", "awesome", "best-in-class", "blazing(?:ly)?(?: fast)?", "beautiful(?:ly)?", "breathtaking", "canonical",
    "cutting[- ]edge", "delv(?:e|es|ing)", "effortless(?:ly)?", "elegant(?:ly)?", "game[- ]chang(?:er|ing)", "gorgeous",
    "groundbreaking", "holistic", "impressive(?:ly)?", "incredibl[ey]", "insane(?:ly)?", "journey", "landscape of",
    "leverag(?:e|es|ed|ing)", "lightning[- ]fast", "magical(?:ly)?", "massive(?:ly)?", "mind-blowing", "next[- ]gen",
    "paradigm", "powerful", "remarkabl[ey]", "revolutionary", "robust", "seamless(?:ly)?", "sleek",
    "state[- ]of[- ]the[- ]art",
    "stunning(?:ly)?", "super(?:b|charged?)", "supercharg(?:e|es|ing)", "tapestry", "testament", "truly",
    "ultimate(?:ly)?",
    "unleash(?:es|ed)?", "unlock(?:s|ed|ing)? the", "unparalleled", "unprecedented", "utiliz(?:e|es|ed|ing)",
    "whopping",
    "world[- ]class", "secret sauce", "silver bullet", "deep dive", "under the hood", "holy grail",
)  # fmt: skip
AMERICAN = {
    "analyse": "analyze", "analysed": "analyzed", "artefact": "artifact", "artefacts": "artifacts",
    "behaviour": "behavior", "behaviours": "behaviors", "cancelled": "canceled", "catalogue": "catalog",
    "centre": "center", "centres": "centers", "colour": "color", "colours": "colors", "coloured": "colored",
    "defence": "defense", "favour": "favor", "favourite": "favorite", "fibre": "fiber", "fulfil": "fulfill",
    "grey": "gray", "greyed": "grayed", "honour": "honor", "honours": "honors", "judgement": "judgment",
    "labelled": "labeled", "labelling": "labeling", "learnt": "learned", "licence": "license", "licences": "licenses",
    "manoeuvre": "maneuver", "metre": "meter", "metres": "meters", "modelled": "modeled", "modelling": "modeling",
    "neighbour": "neighbor", "neighbours": "neighbors", "neighbouring": "neighboring", "offence": "offense",
    "plough": "plow", "practise": "practice", "programme": "program", "sceptical": "skeptical", "signalled": "signaled",
    "spelt": "spelled", "storey": "story", "towards": "toward", "travelled": "traveled", "tyre": "tire",
    "whilst": "while", "amongst": "among", "ageing": "aging", "cheque": "check", "enrol": "enroll", "rigour": "rigor",
    "labour": "labor", "vapour": "vapor", "harbour": "harbor", "armour": "armor", "mould": "mold",
    "focussed": "focused",
}  # fmt: skip
_ISE = (
    r"\b(?:optim|organ|real|recogn|initial|serial|synchron|normal|vector|parallel|summar|minim|maxim|special|util|"
    r"general|quant|token|local|custom|final|memor|author|categor|emphas|equal|factor|material|prior|rasterr?|"
    r"stabil|standard|tessell|virtual|visual|standard|character|critic|apolog|capital)is(?:e|es|ed|er|ers|ing|ation|ations)\b"
)


def _any(phrases: tuple[str, ...]) -> str:
    alternatives = "|".join(phrases).replace(" ", r"[ \n]")
    return rf"(?<![\w-])(?:{alternatives})(?![\w-])"


HOUSE = (
    Check(types.ExistenceSimple(_PER), Fancy(), "house.per", 'a rate takes "per": "{}"'),
    Check(types.ExistenceSimple(_TURNED), Fancy(), "house.turned", 'say what it is, without what it is not: "{}"'),
    Check(types.ExistenceSimple(_NOT_JUST), Fancy(), "house.turned", 'say both, without "{}"'),
    Check(types.ExistenceSimple(_FAR_BACK), Fancy(), "house.referent", 'name it; the reader must look for "{}"'),
    Check(types.ExistenceSimple(_any(_EMPTY)), Fancy(), "house.filler", '"{}" says nothing'),
    Check(types.ExistenceSimple(_any(_LOUD)), Fancy(), "house.hype", '"{}" sells'),
    Check(types.PreferredFormsSimple(AMERICAN), Fancy(), "house.american", 'American spelling: "{}", not "{}"'),
    Check(
        types.ExistenceSimple(r"\b([a-z]+)[ \n]\1\b(?<!that that)(?<!had had)"), Fancy(), "house.twice", 'twice: "{}"'
    ),
    Check(types.ExistenceSimple(_ISE), Fancy(), "house.american", 'American spelling has z: "{}"'),
)
"""What proselint has no check for. Fancy is Python's own engine, which has lookahead; a message quotes what matched."""

CHECKS = (*HOUSE, *(check for check in PROSELINT if not any(check.matches_partial(name) for name in PASSED_OVER)))


FIRST_MEANING = {"in a word", "climb up"}
"""Phrases that proselint takes for a cliché and that mean here what they say: a word has bits, a ladder is climbed."""


def hits(text: str) -> Iterator[CheckResult]:
    """Yield what the rules on words find in *text*."""
    for found in chain.from_iterable(check.check_with_flags(text) for check in CHECKS):
        if text[found.span[0] : found.span[1]].strip().lower() not in FIRST_MEANING:
            yield found
