"""Two formulas laid beside each other as trees: equations, edit steps, learnt templates, evidence of equivalence."""
