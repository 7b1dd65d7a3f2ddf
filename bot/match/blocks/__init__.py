"""The concepts of a workspace a block at a time: however large the corpus, matching holds few of them."""
