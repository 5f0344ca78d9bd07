"""The words that dates are written with, in French, English, German, Italian and Latin.

Every table maps a phrase, written as its folded words (lower case, no accents, points, hyphens
and apostrophes left out), to what it means. One-letter and two-letter words are only ever tried
beside a number, so that a table may be generous.
"""

from __future__ import annotations

from typing import TypeVar

from trace_core.ingest.dates.tokens import fold_chars

Meaning = TypeVar("Meaning")
#: First word -> (the whole phrase, its meaning), longest phrase first.
Table = dict[str, list[tuple[tuple[str, ...], Meaning]]]


def _alternatives(joined: str) -> list[str]:
    """The phrases of a list that is written in one string, with bars between them."""
    return joined.split("|")


def _table(entries: dict[str, Meaning]) -> Table[Meaning]:
    table: Table[Meaning] = {}
    for phrase, meaning in entries.items():
        words = tuple(fold_chars(phrase).split())
        table.setdefault(words[0], []).append((words, meaning))
    for phrases in table.values():
        phrases.sort(key=lambda entry: -len(entry[0]))
    return table


def _numbered(rows: tuple[str, ...], first: int = 1) -> dict[str, int]:
    return {word: number for number, row in enumerate(rows, first) for word in row.split()}


MONTHS: Table[int] = _table(
    _numbered(
        (
            "janvier janv jan january januar jänner jaenner jän januarii januarius ianuarii "
            "gennaio genn gen hartung eismonat janu januaris jany janry janr enero januari "
            "januarij ianuarij januario",
            "février fevr févr fév feb february februar feber febr februarii februarius febbraio "
            "febb febbr hornung feby febry febr febrero februarij februario",
            "mars mar march märz maerz mär mrz martii martius marzo lenzmonat lenzing lenzmond "
            "martiis merz maert maart martij martio",
            "avril avr april apr aprilis aprile ostermond ostermonat abril aprili",
            "mai may maii maius maji maggio magg mag wonnemonat wonnemond maye mayo mei maiis "
            "maij maio",
            "juin june juni jun junii iunii junius giugno giu brachmonat brachet brachmond "
            "junio iunio junij brachm",
            "juillet juil juill july juli jul julii iulii julius luglio lug lugl heumonat heuet "
            "heumond julio iulio julij heum",
            "août aoust aou aug august augusti augustus agosto ago augustmonat augstmonat "
            "erntemonat ernting augst augt agst augstm augustm augusto",
            "septembre sept sep september septembris settembre sett set 7bre viibre herbstmonat "
            "herbstmond scheiding septemb septbr septembr septr septiembre setiembre septembri "
            "herbstm",
            "octobre oct october oktober okt octobris ottobre ott viiibre weinmonat weinmond "
            "octob octbr octbre oktbr gilbhart octr octubre octobri weinm",
            "novembre nov november novembris ixbre windmonat wintermonat nebelung novbr novemb "
            "novbre novr noviembre novembri winterm",
            "décembre déc dec december dezember dez decembris dicembre dic xbre xber xbris "
            "christmonat christmond heilmond julmond decbr dezbr decemb decbre decr diciembre "
            "decembri christm",
        )
    )
)

#: The end of a month whose beginning is a number: 7bre, 8ber, 9bris, 10bre.
NUMBERED_MONTH_ENDS = frozenset(
    {"bre", "ber", "bris", "bres", "embre", "ember", "mbre", "mber", "br", "bri"}
)
NUMBERED_MONTHS = {7: 9, 8: 10, 9: 11, 10: 12}

REPUBLICAN_MONTHS: Table[int] = _table(
    _numbered(
        (
            "vendémiaire vend vendem",
            "brumaire brum brumair",
            "frimaire frim",
            "nivôse niv nivose nivos",
            "pluviôse pluv pluviose pluvios",
            "ventôse vent ventose ventos",
            "germinal germ",
            "floréal flor floreal",
            "prairial prair",
            "messidor mess",
            "thermidor therm fervidor",
            "fructidor fruct",
            "sansculottides sansculottide",
        )
    )
    | {
        "jour complémentaire": 13,
        "compl": 13,
        "jours complémentaires": 13,
        "complémentaire": 13,
        "complémentaires": 13,
        "sans culottides": 13,
        "sans culottide": 13,
        "ergänzungstag": 13,
        "complementary day": 13,
    }
)

REPUBLICAN_YEAR_WORDS = {
    word: number
    for number, word in enumerate(
        _alternatives(
            "un|deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|treize|quatorze"
        ),
        1,
    )
}
REPUBLICAN_YEAR_ORDINALS = {
    word: number
    for number, word in enumerate(
        _alternatives(
            "premier|second|troisieme|quatrieme|cinquieme|sixieme|septieme|huitieme|neuvieme|"
            "dixieme|onzieme|douzieme|treizieme|quatorzieme"
        ),
        1,
    )
} | {"deuxieme": 2}

WEEKDAYS = frozenset(
    fold_chars(
        "lundi mardi mercredi jeudi vendredi samedi dimanche "
        "monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs fri "
        "sat sun montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag mo di mi do "
        "fr sa so lunedì martedì mercoledì giovedì venerdì sabato domenica lun mer jeu ven sam dim "
        "primidi duodi tridi quartidi quintidi sextidi septidi octidi nonidi décadi"
    ).split()
)

SEASONS: Table[int] = _table(
    _numbered(
        (
            "printemps spring frühling frühjahr fruehling fruehjahr primavera",
            "été summer sommer estate",
            "automne autumn fall herbst autunno",
            "hiver winter inverno",
        ),
        first=21,
    )
)

#: A part of a period: (which, of how many); thirds are vague, halves and quarters exact.
PARTS: Table[tuple[int, int]] = _table(
    {
        **dict.fromkeys(
            _alternatives(
                "début|débuts|commencement|anfang|anfangs|anf|early|beginning|start|"
                "inizio|inizi|beg|frühes|frühen"
            ),
            (1, 3),
        ),
        **dict.fromkeys(_alternatives("mi|milieu|mitte|mid|middle|metà"), (2, 3)),
        **dict.fromkeys(_alternatives("fin|fins|ende|late|end|fine|spätes|späten"), (3, 3)),
        "courant": (1, 1),
        "first half": (1, 2),
        "second half": (2, 2),
        "première moitié": (1, 2),
        "seconde moitié": (2, 2),
        "second semestre": (2, 2),
        "dernier trimestre": (4, 4),
        "deuxième moitié": (2, 2),
        "erste hälfte": (1, 2),
        "zweite hälfte": (2, 2),
        "prima metà": (1, 2),
        "seconda metà": (2, 2),
        "première quinzaine": (1, 2),
        "seconde quinzaine": (2, 2),
        "deuxième quinzaine": (2, 2),
        "first quarter": (1, 4),
        "second quarter": (2, 4),
        "third quarter": (3, 4),
        "fourth quarter": (4, 4),
        "last quarter": (4, 4),
        "premier quart": (1, 4),
        "deuxième quart": (2, 4),
        "troisième quart": (3, 4),
        "dernier quart": (4, 4),
        "erstes viertel": (1, 4),
        "zweites viertel": (2, 4),
        "drittes viertel": (3, 4),
        "letztes viertel": (4, 4),
        "premier tiers": (1, 3),
        "dernier tiers": (3, 3),
    }
)
#: The same after an ordinal number: *2e moitié*, *1. Hälfte*, *3rd quarter*.
NUMBERED_PARTS = {
    **dict.fromkeys(("moitie", "half", "halfte", "haelfte", "meta", "quinzaine"), 2),
    **dict.fromkeys(("semestre", "halbjahr", "h"), 2),
    **dict.fromkeys(("quart", "quarter", "viertel", "trimestre", "quartal"), 4),
    **dict.fromkeys(("tiers", "third", "drittel"), 3),
}

CENTURY_WORDS = frozenset(
    _alternatives(
        "siecle|siecles|s|century|centuries|cent|c|jahrhundert|"
        "jahrhunderts|jh|jhdt|jhd|jhs|jhdts|secolo|sec|saeculum|"
        "saeculo|saec"
    )
)
CENTURY_FIRST = frozenset(_alternatives("secolo|secoli|sec|secc|saeculum|saeculo|saec|siecle"))
#: The centuries that Italian names by their hundreds: the Settecento is the 18th.
CENTURY_NAMES = {
    name: number
    for number, name in enumerate(
        _alternatives(
            "duecento|trecento|quattrocento|cinquecento|seicento|settecento|ottocento|novecento"
        ),
        13,
    )
}
#: Which third of a century the Latin abbreviations behind it mean: *s. XV ex.*
CENTURY_ENDS = {"in": 1, "ineunte": 1, "med": 2, "medio": 2, "ex": 3, "exeunte": 3}
DECADE_FIRST = frozenset(_alternatives("annees|anni"))
DECADE_ENDS = frozenset(_alternatives("s|er|ers|ern"))

YEAR_WORDS: Table[bool] = _table(
    dict.fromkeys(
        _alternatives(
            "an|année|l an|l année|the year|year|jahr|jahre|jahres|anno|"
            "anno domini|anno dom|anno dni|yeare|the yeare|ao|annus|ad|a d|"
            "in the year|im jahre|im jahr|"
            "des jahres|de l an|de l année|en l an|en l année|dell anno|"
            "das jahr|dem jahr|dem jahre"
        ),
        True,
    )
)

ERAS: Table[str] = _table(
    {
        **dict.fromkeys(
            _alternatives(
                "bc|b c|bce|b c e|av j c|avant j c|avant jésus christ|av jc|"
                "avant jc|av n è|avant notre ère|v chr|vor chr|vor christus|"
                "vor christi geburt|v u z|v chr geb|a chr|ante christum|"
                "avanti cristo|a c n|a c"
            ),
            "bc",
        ),
        **dict.fromkeys(
            _alternatives(
                "ad|a d|ce|c e|ap j c|apr j c|après j c|après jésus christ|"
                "apr jc|ap jc|de notre ère|n chr|nach chr|nach christus|n u z|"
                "u z|d c|dopo cristo|post christum|p chr"
            ),
            "ad",
        ),
    }
)

QUALIFIERS: Table[str] = _table(
    {
        **dict.fromkeys(
            _alternatives(
                "ca|c|cca|circa|cirka|zirka|vers|env|environ|um|etwa|about|"
                "around|approx|approximately|abt|gegen|ungefähr|ungef|~|±|≈|"
                "intorno al|intorno a|verso il|verso|aux environs de|"
                "aux alentours de|circ"
            ),
            "~",
        ),
        **dict.fromkeys(
            _alternatives(
                "prob|probably|probablement|probabl|wohl|vermutlich|vermutl|"
                "wahrscheinlich|wahrsch|perhaps|vielleicht|peut être|possibly|"
                "presumably|sans doute|forse|incertain|uncertain|unsicher|?|¿|"
                "(?)|supposed|angeblich"
            ),
            "?",
        ),
        "%": "%",
    }
)

STYLES: Table[str] = _table(
    {
        **dict.fromkeys(
            _alternatives(
                "o s|os|old style|a st|alten stils|alter stil|alten styls|"
                "julien|calendrier julien|"
                "julian|julian calendar|julianisch|julianischer kalender|"
                "stilo vetere|giuliano|st v"
            ),
            "julian",
        ),
        **dict.fromkeys(_alternatives("ancien style|vieux style|v s|v st"), "old"),
        **dict.fromkeys(
            _alternatives(
                "n s|ns|new style|n st|neuen stils|neuer stil|grégorien|"
                "calendrier grégorien|nouveau style|gregorian|gregorian calendar|"
                "gregorianisch|stilo novo"
            ),
            "gregorian",
        ),
    }
)

#: Open intervals: (which side is open, whether the named date itself is excluded).
OPEN_WORDS: Table[tuple[str, bool]] = _table(
    {
        **dict.fromkeys(
            _alternatives(
                "avant|before|vor|prior to|prima del|prima di|ante|antérieur à|"
                "antérieur au|antérieure à"
            ),
            ("before", True),
        ),
        **dict.fromkeys(
            _alternatives(
                "jusqu en|jusqu au|jusqu à|bis|bis zum|bis zu|until|till|up to|"
                "fino al|fino a|au plus tard|au plus tard en|spätestens|by|not after|"
                "nicht nach|nicht später als|non après|pas après|non oltre il"
            ),
            ("before", False),
        ),
        **dict.fromkeys(
            _alternatives(
                "après|after|nach|dopo|dopo il|post|postérieur à|postérieur au|postérieure à"
            ),
            ("after", True),
        ),
        **dict.fromkeys(
            _alternatives(
                "depuis|dès|since|seit|seit dem|ab|ab dem|à partir de|"
                "à partir du|à compter du|a partire dal|dal|not before|frühestens|"
                "au plus tôt|au plus tôt en|nicht vor|nicht früher als|non avant|pas avant|"
                "non prima del"
            ),
            ("after", False),
        ),
    }
)

#: What may follow a Republican year: *de la République française, une et indivisible*.
REPUBLIC = frozenset(
    _alternatives(
        "de|la|der|of|the|republique|republik|republic|rep|francaise|franc|frankischen|une|et|"
        "indivisible"
    )
)

REPUBLIC_NAMES = frozenset({"rep", "republique", "republik", "republic"})

#: What introduces the right date after a wrong one: *1887 [i.e. 1888]*.
CORRECTIONS: Table[bool] = _table(
    dict.fromkeys(_alternatives("i e|recte|rectius|richtig|lies|c est à dire|das heisst|d h"), True)
)

BETWEEN = frozenset(_alternatives("entre|between|zwischen|zw|tra|fra|inter"))
FROM = frozenset(_alternatives("du|de|des|from|von|vom|dal|dall"))
AND = frozenset(_alternatives("et|and|und|e|ed|&|u"))
OR = frozenset(_alternatives("ou|or|oder|od|o|vel"))
TO: Table[bool] = _table(
    dict.fromkeys(
        _alternatives(
            "-|/|à|au|aux|bis|bis zum|bis zu|to|till|til|until|through|"
            "thru|al|jusqu au|jusqu à|jusqu en|et jusqu au"
        ),
        True,
    )
)
ARTICLES = frozenset(
    _alternatives(
        "le|la|les|l|the|am|den|der|dem|das|die|im|in|en|au|aux|"
        "du|de|des|d|il|lo|on|of|zum|a|ce|al|del|della|dell|li|addi|ye|mense"
    )
)
OF = frozenset(
    _alternatives(
        "of|de|du|d|des|di|del|der|den|dem|l|la|le|the|ye|in|im|en|mois|month|monat|monats|jour|"
        "day|die|mensis|mense"
    )
)
ORDINAL_ENDS = frozenset(
    _alternatives("er|re|ere|e|eme|ieme|º|°|st|nd|rd|th|te|ten|ter|tes|a|o|ᵉ|ᵉʳ|ʳᵉ|ᵗʰ|me")
)
FIRST_DAY = frozenset(_alternatives("premier|first|erster|ersten|primo|ier|ler"))
"""*Ier* and *ler* are how print and reading machines write *1er*."""

#: Two-letter and longer strings that say, in a date field, that there is no date.
NO_DATE = frozenset(
    fold_chars(
        "na n/a nan nat none null nil sd snd nd od odat sansdate nodate ohnedatum undated "
        "undatiert undat nondate nondatee nonedatee senzadata inconnu inconnue unknown unbekannt "
        "datumunbekannt dateinconnue dateunknown sine sineanno sa oj ohnejahr sansannee ?"
    ).split()
)

#: Words after a four-digit number that make it an amount, not a year.
UNITS = frozenset(
    fold_chars(
        "francs franc fr frs livres livre sous écus écu florins florin gulden fl thaler taler mark "
        "marks pfennig kronen rubel pounds pound dollars dollar shillings lire lires ducats louis "
        "hommes homme personnes habitants voix suffrages électeurs soldats chevaux pages page "
        "lignes vers volumes exemplaires kilomètres kilomètre km mètres mètre lieues pieds toises "
        "hectares arpents tonnes tonneaux kilogrammes kilos kg grammes quintaux hectolitres "
        "litres degrés heures jours ans années fois maisons familles enfants élèves ouvriers "
        "membres prisonniers blessés morts cavaliers fantassins canons fusils navires actions "
        "obligations millions milliers people men women soldiers votes inhabitants miles feet "
        "yards acres tons copies houses families workers members prisoners horses ships guns "
        "times years days hours mann männer personen einwohner stimmen soldaten pferde seiten "
        "meter kilometer fuß fuss meilen zentner tonnen stück häuser familien arbeiter mitglieder "
        "gefangene tote verwundete mal jahre tage stunden exemplare"
    ).split()
)
#: Words and signs before a number that make it a count or a label, not a year.
LABELS = frozenset(
    fold_chars(
        "n no nr nos num numéro numéros number nummer art article articles artikel § p pp page "
        "pages seite s fol f folio vol volume tome bd band cote cotes ms mss § chap chapitre "
        "chapter kapitel ligne line zeile tel téléphone fr frs £ $ € # № loi section lot"
    ).split()
)
