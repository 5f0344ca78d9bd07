"""What each placeholder of a prompt stands for, in one sentence for whoever rewrites a prompt."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

MEANINGS: Mapping[str, str] = MappingProxyType(
    {
        "accepted": "The documents accepted so far, with the reasons.",
        "archive": "The sub-corpora with their ids, names, kinds, languages and descriptions.",
        "briefing": "The briefing of the sub-question that was finished last.",
        "briefings": "The briefings of the sub-questions that are finished.",
        "data_rule": "The rule that what stands between the fences is data and no instruction.",
        "done": "The sub-questions that are finished.",
        "gap": "What was recorded as missing when the sub-question ended.",
        "held": "What is held in doubt: the passages with the reasons, or their number.",
        "hints": "Names, dates and words worth searching, from briefings and accepted sources.",
        "hits": "In which sub-corpora the best hits of a first search lie.",
        "languages": "The languages of the archive.",
        "log": "The last lines of the action log, oldest first.",
        "max_new": "How many new sub-questions may be added.",
        "max_sub_questions": "How many sub-questions the plan may have.",
        "max_total": "How many sub-questions the run may have in all.",
        "memory": "The five slots of the searcher's memory.",
        "memory_characters": "How many characters the five slots may have together.",
        "notices": "Notes to the searcher, for example after three empty searches.",
        "problem": "What was wrong with the last plan, when it is asked for again.",
        "query": "The name or query whose other forms are looked for.",
        "question": "The historian's question.",
        "reason_characters": "How many characters a reason may have.",
        "remaining": "The sub-questions that have not been started.",
        "round": "The number of this look at the holds: 1, or 2 for the second pass.",
        "slot_words": "How many words a slot of the memory must stay below.",
        "sources": "The passages or documents to judge, each fenced and with its id.",
        "step": "The number of the present step.",
        "steps_left": "How many steps can follow.",
        "sub_question": "The sub-question at work, with its target, names and dates.",
    }
)
