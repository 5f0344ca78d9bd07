"""The words by which people speak of a kind of source, in French, English, German and Italian.

General vocabulary for each kind that a sub-corpus can have; a kind of the historian's own is
known by its own name. "Article" and "traité" are left out on purpose: laws have articles, and
powers make treaties.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trace_core.text.tokens import words as folded_words

_WORDS: Mapping[str, str] = {
    "newspaper": """
        journal, journaux, presse, article de presse, articles de presse, gazette, gazettes,
        quotidien, quotidiens, hebdomadaire, hebdomadaires, feuilletons, périodique, périodiques,
        newspaper, newspapers, press, paper, papers, daily, dailies, weekly, weeklies, periodicals,
        Zeitung, Zeitungen, Tageszeitung, Tageszeitungen, Wochenzeitung, Wochenzeitungen, Blatt,
        Blattes, Blätter, Blättern, Wochenblatt, Wochenblätter, Tagespresse, Zeitungsbericht,
        Zeitungsberichte, Zeitungsberichten,
        giornale, giornali, stampa, gazzetta, gazzette, quotidiano, quotidiani, settimanale,
        settimanali
    """,
    "debates": """
        débat, débats, débats parlementaires, Chambre, séance, séances, Assemblée, Sénat, Parlement,
        hémicycle, tribune, compte rendu sténographique,
        debate, debates, parliament, house of commons, house of lords, house, chamber, sitting,
        sittings, assembly, senate, congress, hansard, in the commons, in the lords,
        Debatte, Debatten, Landtag, Landtags, Landtages, Landtage, Reichstag, Reichstags,
        Reichstages, Reichstage, Bundestag, Bundestags, Bundestages, Parlament, Parlaments,
        Parlamente, Parlamentes, Kammer, Abgeordnetenhaus, Abgeordnetenhauses, Abgeordnetenhause,
        Herrenhaus, Herrenhauses, Herrenhause, Sitzung, Sitzungen, Landtagssitzung,
        Landtagssitzungen, Parlamentsdebatte, Parlamentsdebatten, Nationalrat, Nationalrats,
        Nationalrates, Nationalrate, Ständerat, Ständerats, Ständerates, Kantonsrat, Kantonsrats,
        Kantonsrates, Nationalversammlung,
        dibattito, dibattiti, parlamento, alla camera, della camera, camera dei deputati, senato,
        seduta, sedute, assemblea
    """,
    "minutes": """
        procès-verbal, procès-verbaux, délibération, délibérations, conseil, conseil municipal,
        registre, registres,
        minutes, minute book, council, vestry, resolutions,
        Protokoll, Protokolls, Protokolle, Protokollen, Ratsprotokoll, Ratsprotokolle,
        Ratsprotokollen, Gemeinderat, Gemeinderats, Gemeinderates, Gemeinderatsprotokoll,
        Gemeinderatsprotokolle, Gemeinderatsprotokollen, Stadtrat, Stadtrats, Stadtrates,
        il verbale, nel verbale, del verbale, verbali, deliberazione, deliberazioni,
        consiglio, consiglio comunale
    """,
    "letters": """
        lettre, lettres, correspondance, correspondances, missive, missives, courrier, épître,
        letter, letters, correspondence,
        Brief, Briefes, Briefe, Briefen, Briefwechsel, Briefwechsels, Korrespondenz,
        lettera, lettere, corrispondenza, corrispondenze, carteggio, carteggi, epistolario
    """,
    "diary": """
        journal intime, journaux intimes, carnet, carnets, mémoires, souvenirs,
        diary, diaries, memoir, memoirs,
        Tagebuch, Tagebuchs, Tagebuches, Tagebücher, Tagebüchern, Erinnerungen, Memoiren,
        diario, diari, memorie, ricordi
    """,
    "court records": """
        procès, tribunal, tribunaux, jugement, jugements, plaidoirie, audience, greffe,
        court, courts, trial, trials, court records, depositions, testimony,
        Gericht, Gerichts, Gerichtes, Gerichte, Gerichten, Gerichtsakten, Prozess, Prozesses,
        Prozesse, Prozessen, Urteil, Verhör, Verhöre, Verhören,
        processo, processi, tribunale, tribunali, sentenza, sentenze, atti processuali
    """,
    "pamphlets": """
        pamphlet, pamphlets, brochure, brochures, libelle, libelles, tract, tracts, placard,
        broadside, broadsides, leaflet, leaflets,
        Flugschrift, Flugschriften, Flugblatt, Flugblattes, Flugblätter, Flugblättern, Broschüre,
        Broschüren,
        opuscolo, opuscoli, libello, libelli, volantino, volantini
    """,
    "books": """
        livre, livres, ouvrage, ouvrages, roman, romans,
        book, books, novel, novels, treatise, treatises,
        Buch, Buchs, Buches, Bücher, Büchern, Roman, Romans, Romane, Romanen, Abhandlung,
        Abhandlungen,
        libro, libri, romanzo, romanzi
    """,
}


def _table() -> dict[tuple[str, ...], str]:
    table: dict[tuple[str, ...], str] = {}
    for kind, phrases in _WORDS.items():
        for phrase in phrases.split(","):
            table.setdefault(tuple(folded_words(phrase)), kind)
    return table


_BY_PHRASE = _table()


def kinds_named(question: str, kinds: Iterable[str]) -> dict[str, str]:
    """The kinds (out of those given) that a question speaks of, each with its first phrase.

    The longest phrase counts: "journal intime" is a diary and no newspaper.
    """
    wanted = set(kinds)
    table = dict(_BY_PHRASE)
    for kind in wanted - set(_WORDS) - {"other", ""}:
        own = tuple(folded_words(kind))
        table.update({own: kind, (*own[:-1], own[-1] + "s"): kind} if own else {})
    longest = max(len(phrase) for phrase in table)
    words = folded_words(question)
    found: dict[str, str] = {}
    at = 0
    while at < len(words):
        for length in range(longest, 0, -1):
            phrase = tuple(words[at : at + length])
            if len(phrase) == length and phrase in table:
                if table[phrase] in wanted:
                    found.setdefault(table[phrase], " ".join(phrase))
                at += length - 1
                break
        at += 1
    return found
