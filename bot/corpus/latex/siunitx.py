r"""Numbers and units as the package siunitx writes them: `\SI{1e8}{\metre\per\second}` to plain TeX."""

from __future__ import annotations

import re

# Of the package's manual: units, prefixes, and what stands before or behind a unit.
_UNITS = dict(
    pair.split(":")
    for pair in (
        "ampere:A candela:cd kelvin:K kilogram:kg metre:m meter:m mole:mol second:s becquerel:Bq coulomb:C farad:F gray:Gy hertz:Hz henry:H joule:J katal:kat lumen:lm "
        "lux:lx newton:N ohm:\\Omega pascal:Pa radian:rad siemens:S sievert:Sv steradian:sr tesla:T volt:V watt:W weber:Wb astronomicalunit:au bel:B dalton:Da day:d "
        "decibel:dB degreeCelsius:{}^\\circ\\mathrm{C} celsius:{}^\\circ\\mathrm{C} electronvolt:eV hectare:ha hour:h litre:L liter:L arcminute:' arcsecond:'' minute:min "
        "neper:Np tonne:t gram:g degree:{}^\\circ percent:\\% angstrom:\\AA barn:b bar:bar knot:kn parsec:pc gauss:G atm:atm "
        "eV:eV meV:meV keV:keV MeV:MeV GeV:GeV TeV:TeV kg:kg g:g mg:mg s:s ms:ms us:\\mu\\mathrm{s} ns:ns ps:ps m:m km:km cm:cm mm:mm um:\\mu\\mathrm{m} nm:nm pm:pm fm:fm "
        "Hz:Hz kHz:kHz MHz:MHz GHz:GHz N:N kN:kN J:J kJ:kJ W:W kW:kW MW:MW V:V mV:mV kV:kV A:A mA:mA K:K mol:mol Pa:Pa kPa:kPa MPa:MPa T:T mT:mT C:C F:F pF:pF nF:nF L:L ohm:\\Omega"
    ).split()
)
_PREFIXES = dict(
    pair.split(":")
    for pair in (
        "yocto:y zepto:z atto:a femto:f pico:p nano:n micro:\\mu milli:m centi:c deci:d deca:da deka:da hecto:h kilo:k mega:M giga:G tera:T peta:P exa:E zetta:Z yotta:Y"
    ).split()
)
_NUMBER = re.compile(
    r"\s*(?P<sign>[+-]|\\pm\s*)?\s*(?P<digits>[\d.,\s]*)(?:\((?P<doubt>\d+)\))?(?:\s*(?:\\pm|\+-)\s*(?P<error>[\d.,]+))?(?:[eEdD]\s*(?P<power>[+-]?\d+))?\s*"
)
_TOKEN = re.compile(r"\\([A-Za-z]+)|\s+|([^\\\s])")


def number(text: str) -> str:
    """Return a number: `1.5e8` as 1.5\\times 10^{8}; anything else as it is."""
    found = _NUMBER.fullmatch(text)
    if not found or not (found["digits"].strip() or found["power"]):
        return text
    digits = re.sub(r"\s", "", found["digits"]).replace(",", ".")
    value = (found["sign"] or "").strip() + digits
    if found["error"]:
        value += rf"\pm {found['error'].replace(',', '.')}"
    if not found["power"]:
        return value
    power = f"10^{{{found['power'].removeprefix('+')}}}"
    if found["error"]:
        value = f"({value})"
    return rf"{value}\times {power}" if digits else value + power


def unit(text: str) -> str:
    """Return a unit: `\\metre\\per\\square\\second` as \\mathrm{m}/\\mathrm{s}^{2}."""
    out: list[str] = []
    prefix = power = ""
    per = False
    for token in _TOKEN.finditer(text):
        name, sign = token.groups()
        if name is None:
            if sign:
                out.append({"~": r"\,", ".": r"\,"}.get(sign, sign))
            continue
        if name in _PREFIXES:
            prefix = _PREFIXES[name]
        elif name == "per":
            per = True
        elif name in ("square", "cubic"):
            power = "2" if name == "square" else "3"
        elif name in ("squared", "cubed"):
            out.append("^{2}" if name == "squared" else "^{3}")
        elif name in ("tothe", "raiseto", "highlight", "of"):
            continue
        else:
            symbol = _UNITS.get(name, name)
            plain = symbol.isalpha() and symbol.isascii()
            if prefix == r"\mu":
                shown = rf"\mu\mathrm{{{symbol}}}"
            elif plain:
                shown = rf"\mathrm{{{prefix}{symbol}}}"
            else:
                shown = (rf"\mathrm{{{prefix}}}" if prefix else "") + symbol
            between = "/" if per else r"\," if out else ""
            out.append(between + shown + (f"^{{{power}}}" if power else ""))
            prefix = power = ""
            per = False
    return _UPRIGHT.sub(r"\\mathrm{\1}", "".join(out)) if "\\" not in text else "".join(out)


_UPRIGHT = re.compile(r"([A-Za-z]+)")
