"""Compares the server's folding with Unicode's own data: every code point, and generated strings with each normal form.

Usage: check_folding.py FOLD CASE_FOLDING [SEED], the program examples/fold and the JSON of case-folding.mjs.
"""

import json
import random
import subprocess
import sys

import unicodedata2

VERSION = "18.0.0"
IOTA_SUBSCRIPT = "\u0345"
FORMS = ("NFC", "NFD", "NFKC", "NFKD")
STRINGS = 20_000

fold_program, case_folding_file, *given_seed = sys.argv[1:]
assert unicodedata2.unidata_version == VERSION, unicodedata2.unidata_version
with open(case_folding_file, encoding="utf-8") as file:
    CASE_FOLDING = {int(point): "".join(map(chr, to)) for point, to in json.load(file).items()}


def expected(text):
    """Definition D146 with NFKC, applied until nothing changes."""
    before, text = None, unicodedata2.normalize("NFD", text)
    while text != before:
        before, text = text, unicodedata2.normalize("NFKC", text.translate(CASE_FOLDING))
    return text


def forms_expected(text):
    """Every normal form folds like the text itself. D146 makes one exception: the iota subscript (U+0345) folds to a
    letter, so it matters whether a mark that only a compatibility form has (as of U+FF9E) was sorted before it.
    """
    compatible = unicodedata2.normalize("NFKD", text)
    if IOTA_SUBSCRIPT not in compatible:
        compatible = text
    return [expected(text)] * 2 + [expected(compatible)] * 2


def folded(texts):
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    output = subprocess.run([fold_program], input=lines, capture_output=True, check=True, encoding="utf-8")
    return [json.loads(line) for line in output.stdout.split("\n")[:-1]]


def check(texts):
    failures = [(text, got) for text, got in zip(texts, folded(texts), strict=True) if got != expected(text)]
    for text, got in failures[:10]:
        print(f"{ascii(text)} folds to {ascii(got)}, not {ascii(expected(text))}")
    return len(failures)


points = [chr(point) for point in range(0x110000) if not 0xD800 <= point <= 0xDFFF]
changing = [point for point in points if expected(point) != point or unicodedata2.combining(point)]
seed = int(given_seed[0]) if given_seed else random.randrange(2**32)
rng = random.Random(seed)
strings = ["".join(rng.choices(changing, k=rng.randint(2, 8))) for _ in range(STRINGS)]
forms = [unicodedata2.normalize(form, text) for text in strings for form in FORMS]

failed = check(points) + check(strings)
for text, *of_forms in zip(strings, *[iter(folded(forms))] * len(FORMS), strict=True):
    if of_forms != forms_expected(text):
        failed += 1
        print(f"{ascii(text)} in its normal forms folds to {ascii(of_forms)}, not {ascii(forms_expected(text))}")

total = len(points) + 2 * len(strings)
print(f"folding, Unicode {VERSION} (seed {seed}):")
print(f"{total - failed} passed, {failed} failed")
sys.exit(failed != 0)
