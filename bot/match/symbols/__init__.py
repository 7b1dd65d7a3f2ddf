"""The meaning of each symbol of a formula, and the item that it stands for where one is sure."""
