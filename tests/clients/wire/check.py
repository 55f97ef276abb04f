"""Holds what goes over the wire to tax authorities against their own rules, and prints a table.

PAYLOADS names a folder with one of each plugin, whose records are XML; RULES the folder with `validate.py SYSTEM FILE…`, which
knows the official XML Schemas, Schematron and file rules. Ends with 1 where anything is fatal, or nothing was checked.
"""

import json
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

from lxml import etree

# What the namespaces of the SII begin with.
SII = "https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/ssii"
# Messages to the register of natural persons in Bizkaia, which the validator does not know.
LROE_140 = "es-tbai-lroe-140"
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
}
# A system that checks the records of another besides: the rules of France stand apart from those of the profile.
ALSO_CHECKED_BY = {"facturx": "fr-ctc-cii"}
# Systems whose records are signed, by the provider: a plugin has no key, so its records miss their signature.
UNSIGNED = {"es-tbai"}
# How many findings of a system are printed.
FINDINGS_MAX = 20


def local_name(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def record(file: pathlib.Path) -> ElementTree.Element:
    """The root element; of a SOAP envelope what is in its body."""
    root = ElementTree.parse(file).getroot()
    return root[-1][0] if local_name(root) == "Envelope" else root


def files_by_system(payloads: pathlib.Path) -> dict[str, list[str]]:
    systems: dict[str, list[str]] = {}
    for file in sorted(payloads.glob("*/*.xml")):
        root = record(file)
        names = [(file.parent.name, name) for name in (root.tag, local_name(root))]
        system = next((SYSTEMS[name] for name in names if name in SYSTEMS), None)
        if system is None:
            sys.exit(f"{file}: no system checks a record <{root.tag}>: name one in SYSTEMS")
        for checking in filter(None, [system, ALSO_CHECKED_BY.get(system)]):
            systems.setdefault(checking, []).append(str(file))
    return systems


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


def held_against(schema: etree.XMLSchema, file: str) -> dict:
    ok = schema.validate(etree.parse(file))
    findings = [{"level": "fatal", "rule": error.type_name, "text": error.message} for error in schema.error_log]
    return {"file": file, "ok": ok, "ran": ["XSD batuz_TiposComplejos.xsd"], "findings": findings}


def checked(system: str, files: list[str]) -> list[dict]:
    if system == LROE_140:
        schema = lroe_140()
        return [held_against(schema, file) for file in files]
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


def main() -> int:
    systems = files_by_system(pathlib.Path(os.environ["PAYLOADS"]))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = dict(zip(systems, pool.map(checked, systems, systems.values())))
    print("| system | documents | checked by | fatal | warnings |\n|---|---|---|---|---|")
    findings, failed = [], 0
    for system, files in results.items():
        levels = [finding["level"] for file in files for finding in file["findings"]]
        # Without how many rules had something to look at.
        layers = sorted({layer.partition(" (")[0] for file in files for layer in file["ran"]})
        # Whatever it calls what it found: a file that does not pass counts.
        failed += sum(not file["ok"] for file in files)
        cells = [system, len(files), ", ".join(layers), levels.count("fatal"), levels.count("warning")]
        print("|", " | ".join(map(str, cells)), "|")
        found = [(file["file"], finding) for file in files for finding in file["findings"] if finding["level"] == "fatal"]
        findings += [f"{name}: {finding['rule']}: {finding['text']}" for name, finding in found[:FINDINGS_MAX]]
    print(*findings, sep="\n")
    if failed:
        print(f"{failed} records are not what the authorities take", file=sys.stderr)
    return 1 if failed or not results else 0


sys.exit(main())
