"""Holds what goes over the wire to tax authorities, and what they write back, against their own rules, and prints a table.

PAYLOADS names a folder with one of each plugin, whose records are XML, and one of each plugin that writes back (`-answers`);
GOLDEN the folder with the golden files of all plugins; VARIANTS how many documents were drawn for each plugin; RULES the folder
with `validate.py SYSTEM FILE…`, which knows the official XML Schemas, Schematron and file rules, and official examples that are
right and wrong. Ends with 1 where anything is fatal, too little was checked, or an example is not what it is said to be.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

from lxml import etree

# What the namespaces of the SII begin with.
SII = "https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/ssii"
# Messages to the register of natural persons in Bizkaia, which the validator does not know.
LROE_140 = "es-tbai-lroe-140"
# An envelope with a fault, which is of no system.
SOAP = "soap"
# The namespaces of SdI's receipts, by whom the file was for.
SDI_ADMINISTRATIONS = "http://www.fatturapa.gov.it/sdi/messaggi/v1.0"
SDI_OTHERS = "http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fattura/messaggi/v1.0"
# The system of the validator, by plugin and root element of the record, with its namespace where that decides.
SYSTEMS = {
    ("de-xrechnung", "CreditNote"): "de-xrechnung-ubl",
    ("de-xrechnung", "CrossIndustryInvoice"): "de-xrechnung-cii",
    ("de-xrechnung", "Invoice"): "de-xrechnung-ubl",
    # The same documents in the other syntax, and with figures of the format's other rule of rounding.
    ("de-xrechnung-cii-currency", "CrossIndustryInvoice"): "de-xrechnung-cii",
    ("de-xrechnung-cii-precise", "CrossIndustryInvoice"): "de-xrechnung-cii",
    ("de-xrechnung-ubl-precise", "CreditNote"): "de-xrechnung-ubl",
    ("de-xrechnung-ubl-precise", "Invoice"): "de-xrechnung-ubl",
    ("es-sii", f"{{{SII}/fact/ws/SuministroLR.xsd}}SuministroLRFacturasEmitidas"): "es-sii",
    ("es-sii", f"{{{SII}/igic/ws/SuministroLR.xsd}}SuministroLRFacturasEmitidas"): "es-sii-igic",
    ("es-tbai", "LROEPF140IngresosConFacturaConSGAltaPeticion"): LROE_140,
    ("es-tbai", "LROEPJ240FacturasEmitidasConSGAltaPeticion"): "es-tbai-lroe",
    ("es-tbai", "TicketBai"): "es-tbai",
    # The same invoices inside the messages to the registers of Bizkaia.
    ("es-tbai-lroe", "LROEPF140IngresosConFacturaConSGAltaPeticion"): LROE_140,
    ("es-tbai-lroe", "LROEPJ240FacturasEmitidasConSGAltaPeticion"): "es-tbai-lroe",
    ("es-tbai-lroe", "TicketBai"): "es-tbai",
    ("es-verifactu", "RegFactuSistemaFacturacion"): "es-verifactu",
    ("eu-peppol", "CreditNote"): "peppol-ubl",
    ("eu-peppol", "Invoice"): "peppol-ubl",
    ("fr-facturx", "CrossIndustryInvoice"): "facturx",
    ("fr-facturx", "Report"): "fr-flux10",
    ("gr-mydata", "InvoicesDoc"): "gr-mydata",
    ("it-sdi", "FatturaElettronica"): "it-sdi",
    ("it-sdi", "FatturaElettronicaSemplificata"): "it-sdi",
    ("pl-favat", "Faktura"): "pl-favat",
    ("pt-at", "AuditFile"): "pt-saft",
    # What authorities write back.
    ("es-sii", f"{{{SII}/fact/ws/RespuestaSuministro.xsd}}RespuestaLRFacturasEmitidas"): "es-sii",
    ("es-sii", f"{{{SII}/igic/ws/RespuestaSuministro.xsd}}RespuestaLRFacturasEmitidas"): "es-sii-igic",
    ("es-sii", "Fault"): SOAP,
    ("es-verifactu", "Fault"): SOAP,
    ("es-verifactu", "RespuestaRegFactuSistemaFacturacion"): "es-verifactu",
    ("fr-facturx", "CrossDomainAcknowledgementAndResponse"): "fr-cdar",
    ("it-sdi", f"{{{SDI_ADMINISTRATIONS}}}"): "it-sdi",
    ("it-sdi", f"{{{SDI_OTHERS}}}"): "it-sdi",
    ("pl-favat", "Potwierdzenie"): "pl-favat",
}
# A system that checks the records of another besides: the rules of France stand apart from those of the profile.
ALSO_CHECKED_BY = {"facturx": "fr-ctc-cii"}
# Systems whose records are signed, by the provider: a plugin has no key, so its records miss their signature.
UNSIGNED = {"es-tbai"}
# Behind the name of a plugin, or the name of its folder of golden files: what is written back.
ANSWERS = "answers"
# Folders of golden files by plugin with what goes over the wire.
GOLDEN_FOLDERS = ("payloads", "authority", ANSWERS)
# What the name of a document that was drawn ends with.
DRAWN = re.compile(r"-[0-9]+$")
# What validates by schema alone is no Schematron.
SCHEMA = "XSD "
# How many findings of a system are printed.
FINDINGS_MAX = 20

# A system, and what of it: records or answers.
Row = tuple[str, str]


def local_name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def record(file: pathlib.Path) -> ElementTree.Element:
    """The root element; of a SOAP envelope what is in its body."""
    root = ElementTree.parse(file).getroot()
    return root[-1][0] if local_name(root) == "Envelope" else root


def system_of(plugin: str, file: pathlib.Path) -> str:
    root = record(file)
    names = (root.tag, local_name(root), root.tag.removesuffix(local_name(root)))
    system = next((SYSTEMS[plugin, name] for name in names if (plugin, name) in SYSTEMS), None)
    if system is None:
        sys.exit(f"{file}: no system checks <{root.tag}> of {plugin}: name one in SYSTEMS")
    return system


def pass_nothing_over(files: list[pathlib.Path]) -> None:
    if passed_over := [str(file) for file in files if file.suffix != ".xml"]:
        sys.exit(f"nothing checks {passed_over}")


def made(payloads: pathlib.Path) -> list[tuple[str, str, pathlib.Path]]:
    """Plugin, what of it, and file. Every plugin has as many drawn documents as were wanted, of which nothing is passed over."""
    files = []
    for folder in sorted(payloads.iterdir()):
        plugin = folder.name.removesuffix(f"-{ANSWERS}")
        of = "records" if plugin == folder.name else ANSWERS
        found = sorted(folder.iterdir())
        pass_nothing_over(found)
        drawn = {name for file in found if DRAWN.search(name := file.name.partition(".")[0])}
        if len(drawn) < int(os.environ["VARIANTS"]):
            sys.exit(f"{folder}: only {len(drawn)} documents were drawn")
        files += [(plugin, of, file) for file in found]
    return files


def golden(folder: pathlib.Path) -> list[tuple[str, str, pathlib.Path]]:
    """The same of golden files."""
    files = []
    for name in GOLDEN_FOLDERS:
        of = ANSWERS if name == ANSWERS else "records"
        found = sorted(folder.glob(f"*/{name}/*"))
        pass_nothing_over(found)
        files += [(file.parent.parent.name, of, file) for file in found]
    return files


def files_by_row() -> dict[Row, list[str]]:
    payloads, folder = pathlib.Path(os.environ["PAYLOADS"]), pathlib.Path(os.environ["GOLDEN"])
    files, systems = made(payloads), {file.name for file in folder.iterdir()}
    if missing := systems - {plugin for plugin, *_ in files}:
        sys.exit(f"nothing goes over the wire of {sorted(missing)}")
    rows: dict[Row, list[str]] = {}
    for plugin, of, file in files + golden(folder):
        system = system_of(plugin, file)
        for checking in filter(None, [system, ALSO_CHECKED_BY.get(system)]):
            rows.setdefault((checking, of), []).append(str(file))
    return rows


def lroe_140() -> etree.XMLSchema:
    """The root element of these messages. Its types are in the treasury's schemas that it shares with those of organisations."""
    schemas = "https://www.batuz.eus/fitxategiak/batuz/LROE/esquemas"
    types = pathlib.Path(os.environ["RULES"], "rules/es-tbai/batuz/batuz_TiposComplejos.xsd").resolve().as_uri()
    return etree.XMLSchema(etree.XML(f"""
        <schema xmlns="http://www.w3.org/2001/XMLSchema" xmlns:types="{schemas}/batuz_TiposComplejos.xsd"
            targetNamespace="{schemas}/LROE_PF_140_1_1_Ingresos_ConfacturaConSG_AltaPeticion_V1_0_2.xsd">
          <import namespace="{schemas}/batuz_TiposComplejos.xsd" schemaLocation="{types}"/>
          <element name="LROEPF140IngresosConFacturaConSGAltaPeticion"><complexType><sequence>
            <element name="Cabecera" type="types:Cabecera140Type"/>
            <element name="Ingresos" type="types:IngresosConSGCodificadoType"/>
          </sequence></complexType></element>
        </schema>"""))


def soap() -> etree.XMLSchema:
    """What the validator takes envelopes off with."""
    return etree.XMLSchema(file=os.path.join(os.environ["RULES"], "rules/common/soap-envelope.xsd"))


# Systems that the validator does not know: the schema, and its name in the table.
OWN = {LROE_140: (lroe_140, "batuz_TiposComplejos.xsd"), SOAP: (soap, "soap-envelope.xsd")}


def held_against(schema: etree.XMLSchema, name: str, file: str) -> dict:
    ok = schema.validate(etree.parse(file))
    findings = [{"level": "fatal", "rule": error.type_name, "text": error.message} for error in schema.error_log]
    return {"file": file, "ok": ok, "ran": [f"{SCHEMA}{name}"], "findings": findings}


def checked(system: str, files: list[str]) -> list[dict]:
    if system in OWN:
        schema, name = OWN[system]
        schema = schema()
        return [held_against(schema, name, file) for file in files]
    validator = pathlib.Path(os.environ["RULES"], "validate.py")
    options = ["--json", "--allow-unsigned"] if system in UNSIGNED else ["--json"]
    ran = subprocess.run([sys.executable, validator, *options, system, *files], capture_output=True, text=True)
    try:
        results = json.loads(ran.stdout)
    except json.JSONDecodeError:
        sys.exit(f"{system}: {ran.stdout}{ran.stderr}")
    if len(results) != len(files):
        sys.exit(f"{system}: {len(results)} of {len(files)} files were checked")
    return results


def proves(systems: list[str]) -> bool:
    """Whether the validator takes the official examples of these systems, and refuses those that are wrong by the rule that is
    broken there: one that refuses nothing proves nothing. Prints its table."""
    folder = pathlib.Path(os.environ["RULES"], "examples")
    with_examples = [system for system in systems if (folder / system).is_dir()]
    if without_wrong := [system for system in with_examples if not list((folder / system).glob("invalid/*"))]:
        sys.exit(f"no official example is wrong of {without_wrong}")
    command = [sys.executable, os.path.join(os.environ["RULES"], "validate.py"), "selftest", *with_examples]
    return bool(with_examples) and subprocess.run(command).returncode == 0


def columns(results: list[dict]) -> list[object]:
    """The schema, the other rules with how many of them had something to look at in a document, fatal findings, warnings."""
    schemas, rules = set(), {}
    for layer in (layer for file in results for layer in file["ran"]):
        name, _, fired = layer.partition(" (")
        if layer.startswith(SCHEMA):
            schemas.add(name.removeprefix(SCHEMA))
        else:
            rules[name] = max(rules.get(name, 0), int(fired.partition(" ")[0] or 0))
    counted = [f"{name} ({fired})" if fired else name for name, fired in sorted(rules.items())]
    levels = [finding["level"] for file in results for finding in file["findings"]]
    return [", ".join(sorted(schemas)), ", ".join(counted), levels.count("fatal"), levels.count("warning")]


def print_table(results: dict[Row, list[dict]]) -> None:
    print("| system | of it | documents | drawn | schema | Schematron and file rules | fatal | warnings |")
    print("|---|---|---|---|---|---|---|---|")
    for (system, of), files in results.items():
        drawn = sum(bool(DRAWN.search(pathlib.Path(file["file"]).name.partition(".")[0])) for file in files)
        print("|", " | ".join(map(str, [system, of, len(files), drawn, *columns(files)])), "|")


def main() -> int:
    rows = files_by_row()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = dict(zip(rows, pool.map(checked, (system for system, _ in rows), rows.values())))
    print_table({row: results[row] for row in sorted(rows)})
    failed = 0
    for files in results.values():
        # Whatever it calls what it found: a file that does not pass counts.
        failed += sum(not file["ok"] for file in files)
        found = [(file["file"], finding) for file in files for finding in file["findings"] if finding["level"] == "fatal"]
        for name, finding in found[:FINDINGS_MAX]:
            print(f"{name}: {finding['rule']}: {finding['text']}")
    if failed:
        print(f"{failed} files are not what the authorities take or write", file=sys.stderr)
    sys.stdout.flush()
    proved = proves(sorted({system for system, _ in rows}))
    if not proved:
        print("the validator judges official examples wrongly", file=sys.stderr)
    return 1 if failed or not proved else 0


sys.exit(main())
