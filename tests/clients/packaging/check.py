"""What is packaged, as linters and schemas of others see it: image, compose file, chart, scripts, unit of systemd, bill of materials.

Told by the environment: PACKAGING (the folder with the sources of the packages), GATEWAY (the program), FILES (what is shipped).
Every checker is first shown a fault that it has to find.
"""

import copy
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import helm_python
import kubernetes_validate
import yaml
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from dockerfile_parse import DockerfileParser

packaging = Path(os.environ["PACKAGING"])
gateway = os.environ["GATEWAY"]
files = Path(os.environ["FILES"])
dockerfile = packaging / "docker/Dockerfile"
chart = packaging / "helm/gateway"
compose_file = packaging / "compose/compose.yaml"
# What a cluster has to have; its schemas, strictly.
KUBERNETES = ["1.27", kubernetes_validate.latest_version()]
# systemd rates what a service could do from 0 to 10.
EXPOSURE_MAX = 1.5
# Ports of images that are not built here.
PORTS = {"postgres": {5432}, "nats": {4222, 8222}, "prom/prometheus": {9090}, "grafana/grafana": {3000}}

mistakes = []


def check(what, findings, planted):
    """Reports what was found; `planted` are the findings of a fault that was put in."""
    print(f"{what}: {len(findings)} findings, {len(planted)} of the planted fault")
    mistakes.extend(f"{what}: {finding}" for finding in findings)
    if not planted:
        mistakes.append(f"{what}: the planted fault was not found")


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, **options)


def hadolint(text):
    """The findings for a Dockerfile."""
    linted = run(Path(sys.executable).with_name("hadolint"), "--format", "json", "-", input=text)
    return [f"{one['line']}: {one['code']} {one['message']}" for one in json.loads(linted.stdout)]


text = dockerfile.read_text()
check("image", hadolint(text), hadolint(text.replace("debian:bookworm-slim", "debian")))

instructions = DockerfileParser(fileobj=open(dockerfile, "rb")).structure
exposed = {int(port) for one in instructions if one["instruction"] == "EXPOSE" for port in one["value"].split()}
has_health_check = any(one["instruction"] == "HEALTHCHECK" for one in instructions)


def configured(variables=None, toml=""):
    """What the gateway says against a configuration."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GATEWAY")}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "gateway.toml").write_text(toml)
        checked = run(gateway, "config", "check", cwd=folder, env=clean | (variables or {}))
    passed_over = [line for line in checked.stderr.splitlines() if "passed over" in line]
    return passed_over if checked.returncode == 0 else [checked.stderr.strip()]


def compose(document):
    """Whether images, ports, volumes, dependencies and names of a compose file go together."""
    found, host_ports, used = [], set(), set()
    services = document["services"]
    for name, service in services.items():
        image, _, tag = service["image"].partition(":")
        if not tag or tag == "latest":
            found.append(f"{name}: {service['image']} is any version")
        built = service.get("build")
        if built and not (compose_file.parent / built["context"] / built["dockerfile"]).samefile(dockerfile):
            found.append(f"{name}: it is not built from {dockerfile}")
        ports = exposed if built else PORTS.get(image)
        if ports is None:
            found.append(f"{name}: nothing says which ports {image} has")
        for port in service.get("ports", []):
            address, host, inside = port.split(":")
            if address != "127.0.0.1" or host in host_ports or int(inside) not in (ports or set()):
                found.append(f"{name}: the port {port} is open to everybody, taken, or none of the image")
            host_ports.add(host)
        for volume in service.get("volumes", []):
            source, inside = volume.split(":")[:2]
            if source.startswith("."):
                if not (compose_file.parent / source).exists():
                    found.append(f"{name}: there is no {source}")
            elif source not in document["volumes"]:
                found.append(f"{name}: the volume {source} is not declared")
            if not inside.startswith("/"):
                found.append(f"{name}: {inside} is no place")
            used.add(source)
        needed = service.get("depends_on", {})
        for other in needed:
            if other not in services:
                found.append(f"{name}: there is no service {other}")
            elif isinstance(needed, dict) and not ("healthcheck" in services[other] or "build" in services[other] and has_health_check):
                found.append(f"{name}: nothing says whether {other} is healthy")
        variables = {key: re.sub(r"\$\{[^}]*\}", "x", str(value)) for key, value in service.get("environment", {}).items()}
        for value in variables.values():
            for host, port in re.findall(r"(?://|@)([a-z0-9-]+):(\d+)", value):
                if int(port) not in PORTS.get(services.get(host, {}).get("image", "").partition(":")[0], set()):
                    found.append(f"{name}: nothing listens at {host}:{port}")
        if built:
            found += [f"{name}: {finding}" for finding in configured(variables)]
    found += [f"the volume {name} is not used" for name in document["volumes"] if name not in used]
    return found


document = yaml.safe_load(compose_file.read_text())
planted = copy.deepcopy(document)
planted["services"]["gateway-1"]["environment"]["GATEWAY_DATABASE__ADDRESS"] = "postgres://nowhere:5432/x"
planted["services"]["gateway-2"]["volumes"] += ["elsewhere:/data"]
planted["services"]["nats"]["image"] = "nats:latest"
planted["services"]["grafana"]["ports"] = ["127.0.0.1:9090:3001"]
found = compose(planted)
faults = ["ADDRESS is no configuration key", "nowhere:5432", "elsewhere is not declared", "any version", "9090:3001"]
check("compose", compose(document), found if all(any(fault in one for one in found) for fault in faults) else [])

targets = yaml.safe_load((compose_file.parent / "prometheus/prometheus.yml").read_text())["scrape_configs"][0]
targets = targets["static_configs"][0]["targets"]
built = [name for name, service in document["services"].items() if "build" in service]
if targets != [f"{name}:8081" for name in built]:
    mistakes.append(f"prometheus: {targets} are not the internal listeners of {built}")

VALUES = {"database": {"existingSecret": "database"}, "masterKey": {"existingSecret": "keys"}}
EVERYTHING = VALUES | {
    "migration": {"job": True},
    "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
    "env": [{"name": "GATEWAY_EVENTS__BUS", "value": "nats://nats:4222"}],
    "envFrom": [{"secretRef": {"name": "more"}}],
    "image": {"pullSecrets": [{"name": "registry"}]},
    "podAnnotations": {"a": "b"},
    "nodeSelector": {"a": "b"},
    "tolerations": [{"operator": "Exists"}],
}


def lint(folder, values):
    report = helm_python.lint(folder, values=values, strict=True)
    # 1: how it could be nicer.
    messages = [f"{one['path']}: {one['error']}" for one in report["messages"] if one["severity"] > 1]
    return messages + report["errors"]


with tempfile.TemporaryDirectory() as folder:
    broken = Path(folder) / "gateway"
    shutil.copytree(chart, broken)
    template = broken / "templates/services.yaml"
    template.write_text(template.read_text().replace("type: ClusterIP", "type: {{ .Values.nothing.here }}"))
    check("chart", lint(chart, VALUES) + lint(chart, EVERYTHING), lint(broken, VALUES))


def rendered(values):
    """The objects of the chart by kind and name."""
    manifests = helm_python.Chart.load(chart).render(values, name="trial", namespace="invoices")
    texts = [text for path, text in manifests.items() if path.endswith(".yaml")]
    objects = [one for text in texts for one in yaml.safe_load_all(text) if one]
    return {(one["kind"], one["metadata"]["name"]): one for one in objects}


def schemas(objects):
    found = []
    for (kind, name), one in objects.items():
        # Its schema comes with the operator of Prometheus.
        for version in KUBERNETES if kind != "ServiceMonitor" else []:
            try:
                kubernetes_validate.validate(one, version, strict=True)
            except (kubernetes_validate.ValidationError, kubernetes_validate.SchemaNotFoundError) as error:
                found.append(f"{kind} {name}: {error}")
    return found


plain, everything = rendered(VALUES), rendered(EVERYTHING)
planted = copy.deepcopy(plain)
planted[("Deployment", "trial-gateway")]["spec"]["template"]["spec"]["containers"][0]["port"] = []
check("manifests", schemas(plain) + schemas(everything), schemas(planted))


def coherent(objects):
    """Whether ports, selectors, mounts, configuration and security of rendered objects go together."""
    found = []
    pod = objects[("Deployment", "trial-gateway")]["spec"]["template"]
    labels, spec = pod["metadata"]["labels"].items(), pod["spec"]
    container = spec["containers"][0]
    ports = {one["name"]: one["containerPort"] for one in container["ports"]}
    if set(ports.values()) != exposed:
        found.append(f"the ports {ports} are not those of the image")
    probes = [container[name]["httpGet"] for name in ("startupProbe", "livenessProbe", "readinessProbe")]
    if [one["path"] for one in probes] != ["/healthz", "/healthz", "/readyz"] or {one["port"] for one in probes} != {"internal"}:
        found.append(f"the probes are {probes}")
    for (kind, name), one in objects.items():
        selector = one["spec"].get("selector", {}) if kind in ("Service", "PodDisruptionBudget", "Deployment") else {}
        selector = one["spec"]["podSelector"] if kind == "NetworkPolicy" else selector
        selector = selector.get("matchLabels", selector)
        if not selector.items() <= labels:
            found.append(f"{kind} {name} selects other pods")
        if kind == "Service" and any(port["targetPort"] not in ports for port in one["spec"]["ports"]):
            found.append(f"{kind} {name} leads to no port")
        if kind == "Job":
            services = [other for (of, _), other in objects.items() if of == "Service"]
            own = one["spec"]["template"]["metadata"]["labels"].items()
            if any(service["spec"]["selector"].items() <= own for service in services):
                found.append(f"{kind} {name} would be sent requests")
        if kind == "ServiceMonitor":
            service = objects[("Service", "trial-gateway-internal")]
            if not one["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items():
                found.append(f"{kind} {name} finds no service")
    for kind in ("Deployment", "Job"):
        for workload in (one for (of, _), one in objects.items() if of == kind):
            spec = workload["spec"]["template"]["spec"]
            volumes = {one["name"] for one in spec["volumes"]}
            for container in spec["containers"]:
                security = container["securityContext"]
                if not (security["readOnlyRootFilesystem"] and security["capabilities"]["drop"] == ["ALL"] and spec["securityContext"]["runAsNonRoot"]):
                    found.append(f"{kind}: the container may do more than it needs")
                if {one["name"] for one in container["volumeMounts"]} != volumes:
                    found.append(f"{kind}: what is mounted is not what there is")
                variables = {one["name"]: one["value"] for one in container["env"] if "value" in one}
                found += configured(variables, objects[("ConfigMap", "trial-gateway")]["data"]["gateway.toml"])
    return found


planted = copy.deepcopy(everything)
planted[("Service", "trial-gateway")]["spec"]["ports"][0]["targetPort"] = "http"
planted[("ConfigMap", "trial-gateway")]["data"]["gateway.toml"] += "[server]\n"
check("coherence", coherent(plain) + coherent(everything), coherent(planted))
for missing in (VALUES | {"database": {}}, VALUES | {"masterKey": {}}):
    try:
        rendered(missing)
        mistakes.append(f"chart: it is rendered with {missing}")
    except helm_python.HelmError as error:
        assert "existingSecret" in str(error), error

version = run(gateway, "--version").stdout.split()[1]
of_chart = yaml.safe_load((chart / "Chart.yaml").read_text())
images = {service["image"] for service in document["services"].values() if "build" in service}
if (of_chart["version"], of_chart["appVersion"], images) != (version, version, {f"gateway:{version}"}):
    mistakes.append(f"the gateway is {version}, the chart and the image of compose are not")


def bill(text):
    error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    return [str(error)] if error else []


text = next(files.glob("*.cdx.json")).read_text()
components = json.loads(text)["components"]
# One component is enough to find a fault in.
planted = json.dumps(json.loads(text) | {"components": [components[0] | {"type": "crate"}], "dependencies": []})
check("bill of materials", bill(text), bill(planted))
unnamed = [one["name"] for one in components if not one["licenses"][0]["expression"]]
if unnamed or len(components) < 300:
    mistakes.append(f"bill of materials: {len(components)} components, without a licence {unnamed}")


def shellcheck(text):
    """The findings for a script of sh."""
    linted = run(Path(sys.executable).with_name("shellcheck"), "--format", "gcc", "-", input=text)
    return linted.stdout.splitlines()


scripts = [path for path in packaging.rglob("*") if path.is_file() and path.read_bytes().startswith(b"#!/bin/sh")]
findings = [f"{path.name}: {finding}" for path in scripts for finding in shellcheck(path.read_text())]
check(f"{len(scripts)} scripts", findings, shellcheck("#!/bin/sh\nrm -r $1\n"))


def verified(text):
    """What systemd says against a unit of this program."""
    with tempfile.TemporaryDirectory() as folder:
        unit = Path(folder) / "gateway.service"
        unit.write_text(text.replace("/usr/bin/gateway", gateway))
        said = run("systemd-analyze", "verify", "--man=no", unit)
    return [line for line in said.stderr.splitlines() if "gateway.service" in line]


def exposure(unit):
    rated = run("systemd-analyze", "security", "--offline=true", "--no-pager", unit).stdout
    return float(re.search(r"Overall exposure level for \S+: ([0-9.]+)", rated).group(1))


if shutil.which("systemd-analyze"):
    unit = packaging / "gateway.service"
    with tempfile.TemporaryDirectory() as folder:
        lax = Path(folder) / "lax.service"
        lax.write_text(unit.read_text().replace("ProtectSystem=strict\n", "").replace("CapabilityBoundingSet=\n", ""))
        rated = exposure(unit)
        print(f"systemd rates the exposure of the unit {rated} of 10")
        above = [f"{rated} is more than {EXPOSURE_MAX}"] if rated > EXPOSURE_MAX else []
        check("exposure of the unit", above, [exposure(lax)] if exposure(lax) > EXPOSURE_MAX else [])
    text = unit.read_text()
    check("unit", verified(text), verified(text.replace("PrivateTmp", "PrivateTemp")))
else:
    print("unit: not rated, because there is no systemd-analyze")

for mistake in mistakes:
    print(mistake, file=sys.stderr)
sys.exit(1 if mistakes else 0)
