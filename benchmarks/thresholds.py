"""Which label every constant of the lexical judge decides: python benchmarks/thresholds.py [--only PATTERN].

Every whole number that the judge (and the reading of speech that it uses) is tuned by is made a third of itself and
four times itself, one at a time, and the labelled cases of `tests/judging` are judged until a label differs: the case
that needs the constant to be as large, or as small. Every set of words that negations, scopes and corrections are read
by is emptied in turn. A line without a case is a constant that no case needs. A case is judged only where it runs a
line that has the constant. `tests/judging/test_thresholds.py` holds the constants with the cases that were found.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from table import print_table

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.judging.mutations import Labelled, constants, labelled_cases, word_sets


def main() -> None:
    """Print the table (see the top of this file for how to run)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="PATTERN", help="of names, such as `^place`")
    options = parser.parse_args()
    cases = Labelled(labelled_cases())
    print(f"{len(cases)} cases", flush=True)
    numbers, words = [], []
    for one in constants():
        if re.search(options.only, one.name):
            found = (cases.first_other(one, other) for other in (one.value // 3, one.value * 4))
            numbers.append([one.name, str(one.value), *found])
            print(numbers[-1], flush=True)
    for one in word_sets():
        if re.search(options.only, one.name):
            words.append([one.name, str(len(one.value)), cases.first_other(one, type(one.value)())])
            print(words[-1], flush=True)
    print_table(("constant", "is", "a third of it breaks", "four times breaks"), numbers)
    print_table(("words", "are", "none breaks"), words)


if __name__ == "__main__":
    main()
