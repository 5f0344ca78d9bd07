"""Languages as archives name them, as ISO 639-1 codes; and a guess from a text's smallest words."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain

_NAMES = {
    "fr": "fra fre french français francais französisch franzoesisch francese frz",
    "de": "deu ger german deutsch allemand tedesco dt",
    "en": "eng english anglais englisch inglese",
    "it": "ita italian italiano italien italienisch",
    "es": "spa spanish español espanol espagnol spanisch",
    "nl": "nld dut dutch nederlands néerlandais niederländisch",
    "la": "lat latin latein latina",
    "pt": "por portuguese português",
    "sl": "slv slovene slovenian slovenščina",
    "lb": "ltz luxembourgish lëtzebuergesch luxembourgeois",
    "cy": "cym wel welsh cymraeg",
    "da": "dan danish dansk",
    "sv": "swe swedish svenska",
    "no": "nor norwegian norsk nob",
    "fi": "fin finnish suomi",
    "pl": "pol polish polski",
    "cs": "ces cze czech čeština",
    "hu": "hun hungarian magyar",
    "ru": "rus russian русский",
    "el": "ell gre greek ελληνικά",
    "hr": "hrv croatian hrvatski",
    "ca": "cat catalan català",
    "ro": "ron rum romanian română",
    "bg": "bul bulgarian български",
    "uk": "ukr ukrainian українська",
    "sr": "srp serbian српски srpski",
    "bs": "bos bosnian bosanski",
    "mk": "mkd mac macedonian",
    "sk": "slk slo slovak slovenčina",
    "lt": "lit lithuanian",
    "lv": "lav latvian",
    "et": "est estonian eesti",
    "is": "isl ice icelandic íslenska",
    "tr": "tur ota turkish türkçe",
    "he": "heb hebrew hébreu hebräisch",
    "ar": "ara arabic arabe arabisch",
    "yi": "yid yiddish",
    "eu": "eus baq basque euskara",
    "gl": "glg galician galego",
    "ga": "gle irish gaeilge",
    "rm": "roh romansh rätoromanisch romanche",
}
_BY_NAME = {name: code for code, names in _NAMES.items() for name in names.split()}

# The commonest words that hardly occur in the neighbours, accents kept: OCR mostly spares them.
_SMALL_WORDS = {
    "fr": "le la les des du et est dans que qui pour une par sur pas au aux vous nous ce cette ont",
    "de": "der die das und den von dem des ist nicht mit ein eine zu auf sich auch für als daß im",
    "en": "the of and to in that is was for with his he it as by on had be at not which have from",
    "it": "il di che la e per un una non del della con sono gli nel dei delle si al lo alla",
    "es": "el de que la y los las en por un una con del se para su al como más lo es",
    "nl": "de het een van en dat niet te met voor zijn op aan ook er bij uit naar den hebben",
    "la": "et in est non ad cum quod ut sed qui ex quae esse per hoc autem etiam enim atque si",
}
_SPOKEN_WITH: dict[str, list[str]] = {}
for _code, _words in _SMALL_WORDS.items():
    for _word in dict.fromkeys(_words.split()):
        _SPOKEN_WITH.setdefault(_word, []).append(_code)
_SAMPLE = 2_000
# Small letters and blanks, in Latin-1: the small words have no other letters.
_SMALL = "".join(c.lower() if c.isalpha() else " " for c in map(chr, range(256)))
_SMALL_LATIN = _SMALL.encode("latin-1", "replace")


def normalise_language(written: str) -> str:
    """The ISO 639-1 code of a language's code or name ("fra", "fr-FR", "Deutsch"), "" if none."""
    text = written.strip().casefold()
    if not text or text in ("und", "mul", "zxx", "none", "null", "na"):
        return ""
    if text in _BY_NAME:
        return _BY_NAME[text]
    first = re.split(r"[-_ ;,(]", text)[0]
    if first in _BY_NAME:
        return _BY_NAME[first]
    return first if re.fullmatch(r"[a-z]{2}", first) else ""


def guess_language(text: str) -> str:
    """The language that a text's small words speak for, "" where none leads clearly.

    The leader must make up at least 8 % of the words and lead the next by half: a damaged or mixed
    page is left without a language rather than given a wrong one.
    """
    sample = text[:_SAMPLE].encode("latin-1", "replace")
    words = sample.translate(_SMALL_LATIN).decode("latin-1").split()
    if len(words) < 20:
        return ""
    found = Counter(chain.from_iterable(filter(None, map(_SPOKEN_WITH.get, words))))
    if not found:
        return ""
    (first, most), (_, next_most) = [*found.most_common(2), ("", 0)][:2]
    lead, second = most / len(words), next_most / len(words)
    return first if lead >= 0.08 and lead >= 1.5 * second else ""
