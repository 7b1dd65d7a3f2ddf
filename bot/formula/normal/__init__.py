"""The canonical tree and the stages of normalisation behind the keys."""
