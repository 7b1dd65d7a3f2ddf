"""What the symbols of formulas mean in the text of their document, each meaning with the sentence it is read from."""
