"""TeX to MathML for pages, drawn in a process that can be ended."""
