"""The words by which an encyclopaedia introduces a formula, in each language that is read: English, German, French, Spanish, Italian.

An article in another language is judged by its structure alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True, slots=True)
class ClueWords:
    """Patterns over lower-case text; each is searched in one part of the formula's sentence or its heading."""

    says: re.Pattern[str]  # before the formula: this is the statement itself
    doubts: re.Pattern[str]  # before the formula: an example, a step, a case, a consequence
    besides: re.Pattern[str]  # right before the formula: it explains a symbol of another one
    statement: re.Pattern[str]  # heading of a section that states
    aside: re.Pattern[str]  # heading of a section that does something else
    named: re.Pattern[str]  # between a name and its symbol


_SAYS = {
    "en": r"(?:given|defined|expressed|described|written|calculated|determined|represented|formulated|stated|modell?ed|computed|measured)\b[^.]{0,25}\b(?:by|as|in|from|through|using|:)\s*"
    r"|\b(?:states?|stating|says) (?:that|in)\b|\breads?\b|\bdefin(?:es|ed|ition)\b|\b(?:law|equation|formula|relation|theorem|definition|identity) (?:is|of|are|:)|\bis equal to\b|\bequals\b|\btakes the form\b",
    "de": r"\b(?:gegeben|definiert|ausgedrückt|beschrieben|berechnet|bestimmt|festgelegt|dargestellt)\b|\blautet\b|\bgilt\b|\bbeträgt\b|\bberechnet sich\b|\bergibt sich\b|\b(?:formel|gleichung|definition|gesetz)\b|\bbesagt\b",
    "fr": r"\b(?:donnée?s?|définie?s?|exprimée?s?|décrite?s?|calculée?s?)\b|\bs'(?:écrit|exprime|énonce)\b|\bse définit\b|\bvaut\b|\b(?:formule|équation|relation|définition|loi)\b",
    "es": r"\b(?:dad[oa]s?|definid[oa]s?|expresad[oa]s?|descrit[oa]s?|calculad[oa]s?)\b|\bse (?:define|expresa|calcula|escribe|enuncia)\b|\b(?:fórmula|ecuación|relación|definición|ley)\b|\bestablece\b",
    "it": r"\b(?:dat[oaie]|definit[oaie]|espress[oaie]|descritt[oaie]|calcolat[oaie])\b|\bsi (?:definisce|esprime|calcola|scrive)\b|\b(?:formula|equazione|relazione|definizione|legge)\b|\bafferma\b",
}
_DOUBTS = {
    "en": r"\b(?:for (?:example|instance)|e\.g|suppose|let|assum\w+|special case|in the case|deriv\w+|substitut\w+|follows|therefore|thus|hence|impl(?:y|ies)|becomes?|rearrang\w+|approximat\w+|alternative\w*"
    r"|generali[sz]\w+|since|because|similarly|likewise|consider|if|when|so|then|combining|inserting|replac\w+|instead|conversely|special|also|recall|prove|show\w*)\b",
    "de": r"\b(?:zum beispiel|beispielsweise|sei|angenommen|spezialfall|folgt|daher|also|damit|ergibt|einsetzen|näherung\w*|wenn|falls|somit|herleit\w+|ebenso|alternativ|dann)\b",
    "fr": r"\b(?:par exemple|soit|supposons|cas particulier|donc|ainsi|déduit|obtient|remplaçant|approximation|si|lorsque|alors|également|sinon)\b",
    "es": r"\b(?:por ejemplo|sea|supongamos|caso particular|por (?:lo )?tanto|así|deduce|obtiene|sustituyendo|aproximación|si|cuando|entonces|también)\b",
    "it": r"\b(?:per esempio|ad esempio|sia|supponiamo|caso particolare|quindi|dunque|deduce|ottiene|sostituendo|approssimazione|se|quando|allora|anche)\b",
}
_BESIDES = {
    "en": r"\b(?:where|with|and|here|whose|for|that)\s*(?:the [\w ]{1,40})?[,:]?\s*$",
    "de": r"\b(?:wobei|mit|und|wo|für)\s*(?:d(?:er|ie|as) [\w ]{1,30})?[,:]?\s*$",
    "fr": r"\b(?:où|avec|et|pour)\s*[,:]?\s*$",
    "es": r"\b(?:donde|con|y|para)\s*[,:]?\s*$",
    "it": r"\b(?:dove|con|e|per)\s*[,:]?\s*$",
}
_STATEMENT = {
    "en": r"\b(?:definitions?|formulas?|formulae|formulation|statement|equations?|law|mathematical|description|expression|basic|general|concept)\b",
    "de": r"\b(?:definition|formel\w*|formulierung|aussage|gleichung\w*|gesetz|mathematisch\w*|beschreibung|berechnung|allgemein\w*)\b",
    "fr": r"\b(?:définitions?|formules?|formulation|énoncé|équations?|loi|mathématique|expression)\b",
    "es": r"\b(?:definici[óo]n(?:es)?|fórmulas?|formulación|enunciado|ecuaci[óo]n(?:es)?|ley|matemática|expresión|cálculo)\b",
    "it": r"\b(?:definizion[ei]|formul[ae]|formulazione|enunciato|equazion[ei]|legge|matematica|espressione|calcolo)\b",
}
_ASIDE = {
    "en": r"\b(?:examples?|histor\w+|deriv\w+|proofs?|applications?|special|generali[sz]\w+|properties|approximat\w+|related|other|alternative\w*|comparison|numerical|experiment\w*|units?|consequences|extensions?|limits?"
    r"|interpretation|in popular|relation\w* (?:to|with)|connection\w*|advanced|problems?|uses?|motivati\w+|preliminar\w+|measure\w*|values?|notation)\b",
    "de": r"\b(?:beispiel\w*|geschichte|herleitung|beweis\w*|anwendung\w*|spezialf\w+|verallgemeiner\w+|eigenschaften|näherung\w*|zusammenhang|weitere|andere|einheit\w*|folgerung\w*|messung|werte)\b",
    "fr": r"\b(?:exemples?|histoire|historique|démonstration|preuve|applications?|cas particuliers?|généralisation\w*|propriétés|approximation\w*|autres|unités?|mesure|valeurs)\b",
    "es": r"\b(?:ejemplos?|historia|demostraci[óo]n|deducci[óo]n|aplicaci[óo]n(?:es)?|casos? particular\w*|generalizaci\w+|propiedades|aproximaci\w+|otr[oa]s|unidad\w*|medida|valores)\b",
    "it": r"\b(?:esemp[io]+|storia|dimostrazion[ei]|derivazione|applicazion[ei]|casi? particolar\w*|generalizzazion\w+|proprietà|approssimazion\w+|altr[ei]|unità|misura|valori)\b",
}
_NAMED = {
    "en": r"(?:[^.⟦]{0,30}\b(?:symbol|denoted|written|represented|symbolized|abbreviated)\b[^.⟦]{0,25}|[\s,(]*(?:of|,|\()?\s*)$",
    "de": r"(?:[^.⟦]{0,30}\b(?:formelzeichen|symbol|bezeichnet)\b[^.⟦]{0,25}|[\s,(]*)$",
    "fr": r"(?:[^.⟦]{0,30}\b(?:symbole|notée?|désignée?)\b[^.⟦]{0,25}|[\s,(]*)$",
    "es": r"(?:[^.⟦]{0,30}\b(?:símbolo|denotad[oa]|representad[oa])\b[^.⟦]{0,25}|[\s,(]*)$",
    "it": r"(?:[^.⟦]{0,30}\b(?:simbolo|indicat[oa]|denotat[oa])\b[^.⟦]{0,25}|[\s,(]*)$",
}
_NEVER = r"(?!)"
LANGUAGES = tuple(_SAYS)


@cache
def words(language: str) -> ClueWords:
    """Return the patterns of a language; none of them ever matches for one that is not read."""
    tables = (_SAYS, _DOUBTS, _BESIDES, _STATEMENT, _ASIDE, _NAMED)
    return ClueWords(*(re.compile(table.get(language, _NEVER)) for table in tables))
