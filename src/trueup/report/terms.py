"""Codes of matches, flags, reasons and causes in words a reader knows."""

from __future__ import annotations

from typing import Final

MATCHES: Final = {
    "exact": "found word for word",
    "normalised": "found, apart from spelling of quotes, spaces and case",
    "elided": "found in parts, with something left out between them",
    "near": "not found; a passage comes near",
    "altered": "not found; a passage comes near, with a number or a negation changed",
    "absent": "stands nowhere in the text",
    "trivial": "too short to prove anything",
    "unlocated": "not looked for",
}
FLAGS: Final = {
    "no_evidence": "no quote given",
    "quote_absent": "a quote stands nowhere in the text",
    "quote_elided": "a quote leaves something out",
    "quote_near": "a quote only comes near a passage",
    "quote_altered": "a quote changes a number or a negation of the passage",
    "quote_trivial": "a quote is too short to prove anything",
    "quote_cut": "a quote ends inside a word",
    "quote_cut_number": "a quote ends inside a number",
    "quote_unrelated": "a quote shares no word with the claim",
    "quote_from_answer": "a quote comes from the answer, not from the context",
    "instruction_like": "a quote reads like an instruction to the judge",
    "same_quote_everywhere": "the same quote for every claim",
    "evidence_rule": "the evidence rule made it not entailed",
    "several_objects": "the reply held several objects",
    "repeated": "the reply ruled on this unit more than once",
    "conflicting_verdicts": "the reply contradicts itself",
    "evidence_malformed": "the quotes of the reply could not be read",
}
CAUSES: Final = {
    "instruction": "an instruction in the text was followed",
    "empty_context": "nothing was retrieved",
    "quote_absent": "the quote stands nowhere in the text",
    "quote_altered": "the quote is not what the text says",
    "no_quote": "no quote was given, and the rule asks for one",
    "number": "a number differs",
    "unit": "a unit differs",
    "negation": "a negation is added or lost",
    "quantifier": "all, only, at least, more or less differ",
    "name": "a name differs",
    "other_chunk": "another chunk decides it",
    "outside_knowledge": "the text has no word of it: outside knowledge?",
    "loose_implication": "a loose implication, without a quote",
    "other_words": "stated in other words, or another language",
}
NO_CAUSE: Final = "no cause that can be computed"
LEFT_OUT: Final = {
    "unsure": "units on which people were unsure",
    "bad_split": "units flagged as badly split",
    "not_a_claim": "units flagged as no claim",
    "tie": "units on which people are tied",
    "not_blind": "units labelled only after the judge's verdict was shown",
    "unlabelled": "units without a label",
    "outside_sample": "labelled units outside the sample",
    "nonresponse": "units of drawn answers that are not labelled whole",
    "events_superseded": "labels that the same person changed later",
    "events_taken_back": "labels taken back",
    "events_not_blind": "labels made after the judge's verdict was shown",
    "events_other_origin": "labels of another origin (constructed beside people's)",
}
REASONS: Final = {
    "no_claims": "the answer claims nothing",
    "abstained": "the answer declines",
    "empty_context": "nothing was retrieved",
    "no_context": "no context was given",
    "no_reference": "no reference answer was given",
    "incomplete": "too few units decided",
    "parse": "the reply could not be read",
    "schema": "the reply has the wrong shape",
    "missing_verdict": "the reply leaves this unit out",
    "truncated": "the reply was cut off",
    "empty": "the reply was empty",
    "refusal": "the model refused",
    "content_filter": "a content filter stopped it",
    "context_length": "too long for the model",
    "timeout": "no reply in time",
    "rate_limit": "too many requests",
    "auth": "the key was refused",
    "quota": "the quota is used up",
    "bad_response": "the server answered badly",
    "not_found": "the model was not found",
    "budget": "the budget was used up",
    "cancelled": "cancelled",
}
METHODS: Final = {
    "cluster_wilson": "cluster Wilson",
    "fisher_z_jackknife_t": "jackknife, Fisher z",
    "fisher_z_delta_t": "linearised, Fisher z",
    "logit_jackknife_t": "jackknife, logit",
    "logit_delta_t": "linearised, logit",
    "ppi_plus_plus_logit_jackknife_t": "PPI++, jackknife, logit",
    "rogan_gladen_delta_t": "Rogan–Gladen, linearised",
    "jackknife_t": "jackknife, t",
    "t_over_answers": "t over answers",
    "boundary_fallback": "from the agreement",
}
DESIGNS: Final = {
    "random": "a simple random sample of answers",
    "score-bands": "a sample drawn by score band, weighted back",
    "discordant": "a sample drawn where the judges differ, weighted back",
    "convenience": "labels gathered outside one sample's design: not a random sample",
}
RULES: Final = {
    "off": "no quote needed",
    "flag": "quotes are checked and flagged",
    "required": "entailed needs a quote that stands in the text",
}


def words(table: dict[str, str], code: str) -> str:
    """The words of a code, or the code itself in plain letters."""
    return table.get(code, code.replace("_", " "))
