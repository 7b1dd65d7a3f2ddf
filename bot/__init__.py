"""The formula concept bot: from scientific text to reviewed statements about formulas on a Wikibase.

The way of the data, one folder for each stage:
corpus    source files                 -> Document, Occurrence
discover  Occurrence                   -> FormulaConcept with name candidates
match     FormulaConcept + Item        -> ItemMatch with evidence and a probability
propose   ItemMatch + Item             -> Proposal with references and checks
review    Proposal + a person          -> Decision, bound to the proposal's hash
write     Decision                     -> Edit, planned first and proved additive
audit     the wiki as it is now        -> Finding
Beside the way: formula/ (the mathematics), lookup/ (reading the wiki), sandbox/ (a wiki to rehearse on).
"""

__version__ = "0.1.0"
