"""PDFs of the renderer: how they look, what their QR codes say, and what a validator of PDF/A says.

Told by the environment: SAMPLES (a folder with NAME.pdf, and NAME.qr for what the QR code has to say). With
UPDATE_GOLDEN=1 the pages become the golden ones instead of being compared with them: look at them before you commit them.
A page that differs is left in SAMPLES, as it is (NAME-PAGE.png) and with what differs in black (NAME-PAGE-differs.png).
"""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pikepdf
import pikepdf.pdfa
from fontTools.ttLib import TTFont
from PIL import Image, ImageChops

samples = Path(os.environ["SAMPLES"])
here = Path(__file__).parent
is_update = os.environ.get("UPDATE_GOLDEN") == "1"

# Which pages are compared: the first, and the last of a document of many pages (-1).
PAGES = {
    "invoice": [1],
    "gateway": [1],
    "english": [1],
    "italian": [1],
    "german": [1],
    "polish": [1],
    "french": [1],
    "portuguese": [1],
    "greek": [1],
    "surcharges": [1],
    "credit-note": [1],
    "draft": [1],
    "lines-200": [1, -1],
}
# Dots for each inch, of the pages that are compared and of those whose QR code is read.
RESOLUTION = 100
# Golden pages have this many levels of grey, so that they are small: each is off by 8 of 255 levels at most.
GREYS = 16
# The tolerance, for another version of Poppler or FreeType: how far a single pixel may be off, and how large a share of the pixels
# may be off by more than a little. Levels are of 255. One version against itself differs by the 8 above.
LEVELS_MAX = 128
LEVELS_OF_NOTE = 32
SHARE_OF_NOTE_MAX = 0.0005

mistakes = []


def page_image(pdf, number):
    """A page as levels of grey, by Poppler."""
    words = ["pdftoppm", "-gray", "-png", "-r", str(RESOLUTION), "-f", str(number), "-l", str(number), "-singlefile"]
    made = subprocess.run([*words, pdf], stdout=subprocess.PIPE, check=True)
    return Image.open(io.BytesIO(made.stdout)).convert("L")


def with_few_greys(image):
    step = 255 / (GREYS - 1)
    palette = [round(level * step) for level in range(GREYS)]
    few = Image.new("P", image.size)
    few.putpalette([channel for level in palette for channel in (level, level, level)])
    few.putdata([round(level / step) for level in image.tobytes()])
    return few


def compare_page(name, number, image):
    label = f"{name}-{number}"
    file = here / "golden" / f"{label}.png"
    if is_update:
        with_few_greys(image).save(file, optimize=True, bits=4)
        return
    if not file.exists():
        mistakes.append(f"{label}: there is no golden page: make it with UPDATE_GOLDEN=1")
        return
    golden = Image.open(file).convert("L")
    if golden.size != image.size:
        mistakes.append(f"{label}: {image.size} pixels instead of {golden.size}")
        return
    differs = ImageChops.difference(image, golden)
    most, histogram = differs.getextrema()[1], differs.histogram()
    share = sum(histogram[LEVELS_OF_NOTE + 1 :]) / (image.width * image.height)
    figures = f"{share:.4%} of the pixels are off by more than {LEVELS_OF_NOTE} levels, one by {most}"
    print(f"{label}: {figures}")
    if most > LEVELS_MAX or share > SHARE_OF_NOTE_MAX:
        image.save(samples / f"{label}.png")
        ImageChops.invert(differs.point(lambda level: 255 if level > LEVELS_OF_NOTE else 0)).save(
            samples / f"{label}-differs.png"
        )
        mistakes.append(
            f"{label}: {figures}; allowed are {SHARE_OF_NOTE_MAX:.4%} and {LEVELS_MAX}. "
            f"Look at {samples / label}-differs.png"
        )


def compare_qr(name, image):
    wanted = samples / f"{name}.qr"
    if not wanted.exists():
        return
    file = samples / f"{name}-qr.png"
    image.save(file)
    words = ["zbarimg", "--nodbus", "--quiet", "--raw", "-Sdisable", "-Sqrcode.enable", file]
    read = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    said, wanted = read.stdout.decode().strip(), wanted.read_text()
    if said == wanted:
        print(f"{name}: the QR code says {said}")
    else:
        mistakes.append(f"{name}: the QR code says {said!r} instead of {wanted!r}")


def finding_key(finding):
    """A finding without the numbers of objects, which differ from file to file."""
    where = re.sub(r"^obj \d+ \d+ ", "", finding.where)
    message = re.sub(r"\d+ \d+ R", "N 0 R", finding.message)
    return (finding.kind, finding.rule, where, message)


def check_claims(name, pdf):
    """What the reasons in findings.json say of every file and the validator does not look at."""
    for item in pdf.objects:
        if isinstance(item, pikepdf.Dictionary) and "/CIDSet" in item:
            glyphs = TTFont(io.BytesIO(item.FontFile2.read_bytes()))["maxp"].numGlyphs
            bits = "".join(f"{byte:08b}" for byte in item.CIDSet.read_bytes())
            if bits.rstrip("0") != "1" * glyphs:
                mistakes.append(f"{name}: the CIDSet of {item.FontName} does not name its {glyphs} glyphs")
    entry = pdf.Root.Outlines.First
    page, fit = entry.Dest[0], entry.Dest[1]
    if page.get("/Type") != "/Page" or fit != "/XYZ":
        mistakes.append(f"{name}: the entry of the outline leads to no page")
    metadata = pdf.Root.Metadata.read_bytes().decode()
    for text in (
        "<pdfaSchema:namespaceURI>http://www.aiim.org/pdfua/ns/id/</pdfaSchema:namespaceURI>",
        f"<xmpTPg:NPages>{len(pdf.pages)}</xmpTPg:NPages>",
        'xmlns:pdfaExtension="http://www.aiim.org/pdfa/ns/extension/"',
        'xmlns:pdfaSchema="http://www.aiim.org/pdfa/ns/schema#"',
        'xmlns:pdfaProperty="http://www.aiim.org/pdfa/ns/property#"',
    ):
        if text not in metadata:
            mistakes.append(f"{name}: the metadata lack {text}")
    events = set(re.findall(r"<stEvt:(\w+)>", metadata))
    if events - {"action", "when", "instanceID"}:
        mistakes.append(f"{name}: the history has members of its own: {events}")


def check_conformance(explained):
    seen = set()
    files = sorted(samples.glob("*.pdf"))
    for file in files:
        with pikepdf.open(file) as pdf:
            findings = {finding_key(finding) for finding in pikepdf.pdfa.check(pdf, "3b").findings}
            check_claims(file.stem, pdf)
        for key in sorted(findings - explained.keys()):
            mistakes.append(f"{file.stem}: not explained in findings.json: {' | '.join(key)}")
        seen |= findings
    for key in sorted(explained.keys() - seen):
        mistakes.append(f"findings.json explains what no file has: {' | '.join(key)}")
    unexplained = len(seen - explained.keys())
    print(f"PDF/A-3b: {len(files)} files, {len(seen)} findings, {unexplained} of them not explained")


def main():
    for name, numbers in PAGES.items():
        file = samples / f"{name}.pdf"
        with pikepdf.open(file) as pdf:
            count = len(pdf.pages)
        for number in numbers:
            number = number if number > 0 else count + 1 + number
            image = page_image(file, number)
            compare_page(name, number, image)
            if number == 1:
                compare_qr(name, image)
    listed = json.loads((here / "findings.json").read_text())
    if any(not finding["reason"].strip() for finding in listed):
        mistakes.append("findings.json: a finding has no reason")
    check_conformance({tuple(finding[part] for part in ("kind", "rule", "where", "message")): finding for finding in listed})
    for mistake in mistakes:
        print(mistake, file=sys.stderr)
    sys.exit(1 if mistakes else 0)


main()
