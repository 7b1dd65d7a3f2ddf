"""A reader who follows one comparison from call to call opens each file about once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOST = 25  # returns to a file already left; 48 to 52 before the passes were laid one behind the other
# The files of bot/ in the order in which their functions are called for the first time.
ORDER = """
import sys
sys.path.insert(0, {root!r})
from bot.formula import compare
seen, files = set(), []
def follow(frame, event, argument):
    code = frame.f_code
    if event == "call" and code not in seen and {bot!r} in code.co_filename and code.co_name != "<module>":
        seen.add(code)
        if files[-1:] != [code.co_filename]:
            files.append(code.co_filename)
sys.setprofile(follow)
found = compare(*{pair!r})
sys.setprofile(None)
print(found.relation, len(files) - len(set(files)))
"""


@pytest.mark.parametrize(
    ("pair", "relation"),
    [
        ((r"E = mc^2", r"m = \frac{E}{c^2}"), "rearranged"),
        ((r"F = ma", r"\vec F = m \vec a"), "notation"),
        ((r"T = 2\pi\sqrt{\frac{l}{g}}", r"g = \frac{4\pi^2 l}{T^2}"), "rearranged"),
    ],
)
def test_a_comparison_seldom_goes_back_to_a_file(pair: tuple[str, str], relation: str) -> None:
    code = ORDER.format(root=str(ROOT), bot=f"{ROOT / 'bot'}/", pair=pair)
    said, returns = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert said == relation
    assert int(returns) <= MOST
