"""The package and the image in a system that has nothing else: installed, run, upgraded, removed; and run without any right.

Called as root in namespaces of its own for mounts, processes and the network:
    clean_root.py ROOT.tar FILES PACKAGING FOLDER
ROOT.tar is a minimal Debian, FILES what is shipped, PACKAGING the sources of the packages, FOLDER an empty one.
"""

import fcntl
import json
import os
import shlex
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

from dockerfile_parse import DockerfileParser

archive, files, packaging, folder = map(Path, sys.argv[1:])
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
DATA, CONFIG = "/var/lib/gateway", "/etc/gateway/gateway.toml"


def run(*words, **options):
    done = subprocess.run(words, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{shlex.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def start_loopback():
    """A fresh network has a loopback that is down."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        SIOCSIFFLAGS, IFF_UP = 0x8914, 1
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


class Root:
    """A system over the minimal one: what is written goes into memory."""

    def __init__(self, name):
        layer = folder / name
        self.path = layer / "root"
        for part in ("changes", "work", "root"):
            (layer / part).mkdir(parents=True)
        layers = f"lowerdir={folder / 'minimal'},upperdir={layer / 'changes'},workdir={layer / 'work'}"
        run("mount", "-t", "overlay", "overlay", "-o", layers, self.path)
        run("mount", "-t", "proc", "proc", self.path / "proc")
        run("mount", "--rbind", "/dev", self.path / "dev")

    def __truediv__(self, path):
        return self.path / str(path).lstrip("/")

    def run(self, *words, user=0, env=None, **options):
        return run(*self.words(words, user), env={"PATH": PATH} | (env or {}), **options)

    def words(self, words, user=0):
        """As a user without any right, unless it is root."""
        rights = [f"--reuid={user}", f"--regid={user}", "--clear-groups"]
        rights += ["--no-new-privs", "--bounding-set=-all", "--inh-caps=-all"]
        return ["chroot", self.path, *(["setpriv", *rights, "--"] if user else []), *words]


def fails(root, *words, **options):
    """What a command says that does not succeed."""
    done = subprocess.run(root.words(words, **options), capture_output=True, text=True, env={"PATH": PATH})
    assert done.returncode != 0, f"{shlex.join(words)} succeeded"
    return done.stdout + done.stderr


def owner(root, path):
    return root.run("stat", "--format=%U:%G %a", path).strip()


def dpkg(root, *words):
    return root.run("dpkg", *words, env={"DEBIAN_FRONTEND": "noninteractive"})


def installed():
    """The package: what it makes, what it runs as, what it leaves."""
    root = Root("package")
    package = next(files.glob("*.deb"))
    run("cp", package, root / "gateway.deb")
    started = time.monotonic()
    dpkg(root, "--install", "/gateway.deb")
    assert owner(root, DATA) == "gateway:gateway 750" and owner(root, "/etc/gateway") == "root:gateway 750"
    assert not dpkg(root, "--verify", "gateway"), "every file is as it was shipped"
    print(root.run("gateway", "--version").strip(), f"installed in {time.monotonic() - started:.0f} s")

    # Commands run as the user of the service, with its configuration and environment.
    (root / "etc/gateway/environment").write_text('GATEWAY_LOG__FORMAT=json\nGATEWAY_OAUTH__ISSUER="two words"\n')
    settings = json.loads(root.run("gatewayctl", "config", "check", "--json"))
    expected = {"data_dir": DATA, "log.format": "json", "oauth.issuer": "two words", "plugins.dir": "/usr/lib/gateway/plugins"}
    assert {key: settings[key] for key in expected} == expected, settings
    assert "only root" in fails(root, "gatewayctl", "doctor", user=1234)
    assert "gateway.toml" in fails(root, "gateway", "--config", CONFIG, "doctor", user=1234), "it may hold secrets"
    legal = ["--legal-name", "Casa S.L.", "--tax-id", "B98602642", "--country", "ES"]
    root.run("gatewayctl", "workspace", "create", "--name", "Casa", *legal)
    assert owner(root, f"{DATA}/gateway.db") == "gateway:gateway 600"
    assert "Casa" in root.run("gatewayctl", "workspace", "list")

    (root / "home/trial").mkdir()
    os.chown(root / "home/trial", 1234, 1234)
    trial = root.run("/usr/share/gateway/first-invoice.sh", "/home/trial/invoice", user=1234, env={"HOME": "/home/trial"})
    print("first invoice after dpkg:", trial.strip().splitlines()[-1])
    assert "accepted as" in trial and not (root / "home/trial/invoice/gateway.db-journal").exists()

    # The next version changes a default; here somebody changed another line.
    with (root / CONFIG).open("a") as configuration:
        configuration.write("# edited here\n")
    before = {path: (root / path).read_bytes() for path in (CONFIG, f"{DATA}/master.key")}
    identity = root.run("id", "gateway")
    version = newer(root)
    dpkg(root, "--install", "--force-confdef", "--force-confold", "/newer.deb")
    assert version in root.run("dpkg-query", "--show", "gateway")
    after = {path: (root / path).read_bytes() for path in before}
    assert after == before and root.run("id", "gateway") == identity, "an upgrade loses nothing"
    assert "Casa" in root.run("gatewayctl", "workspace", "list")

    # What was removed can be brought back; a purge leaves what nobody can make again.
    dpkg(root, "--remove", "gateway")
    assert not (root / "usr/bin/gateway").is_symlink() and (root / CONFIG).exists()
    assert f"left in {DATA}" in dpkg(root, "--purge", "gateway")
    assert not (root / "etc/gateway").exists() and (root / f"{DATA}/master.key").read_bytes() == before[f"{DATA}/master.key"]
    assert root.run("id", "gateway") == identity
    root.run("rm", "-r", DATA)
    dpkg(root, "--install", "/gateway.deb")
    dpkg(root, "--purge", "gateway")
    assert not (root / DATA).exists() and "no such user" in fails(root, "id", "gateway")
    print("installed, upgraded, removed and purged: nothing lost that cannot be made again")


def newer(root):
    """The same package as the next version, with another default; says which."""
    root.run("dpkg-deb", "--raw-extract", "/gateway.deb", "/newer")
    control = root / "newer/DEBIAN/control"
    fields = control.read_text()
    version = fields.split("Version: ")[1].split("\n")[0]
    control.write_text(fields.replace(f"Version: {version}", f"Version: {version}.1"))
    configuration = root / f"newer{CONFIG}"
    configuration.write_text(configuration.read_text().replace("retry_max = 10", "retry_max = 12"))
    root.run("dpkg-deb", "-Znone", "--root-owner-group", "--build", "/newer", "/newer.deb")
    return f"{version}.1"


def image():
    """The steps of the last stage, then what it starts: as its user, without rights, on a file system that is read only."""
    root = Root("image")
    unpacked = folder / "unpacked"
    unpacked.mkdir()
    run("tar", "-xzf", next(files.glob("gateway-*-gnu.tar.gz")), "--strip-components=1", "-C", unpacked)
    steps = DockerfileParser(fileobj=open(packaging / "docker/Dockerfile", "rb")).structure
    last = max(at for at, step in enumerate(steps) if step["instruction"] == "FROM")
    said = {}
    for step in steps[last + 1:]:
        instruction, value = step["instruction"], step["value"]
        if instruction == "COPY":
            _, source, target = value.split()
            # The first stage has certificates, and the archive unpacked; this system has certificates too.
            source = unpacked if source == "/image/" else root / source
            (root / target).parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                run("cp", "-rT", source, root / target)
        elif instruction == "RUN":
            root.run("sh", "-c", value)
        else:
            said[instruction] = value
    env = dict(word.split("=", 1) for word in shlex.split(said["ENV"]))
    user, group = said["USER"].split(":")
    assert user == group and int(user) > 0
    [volume] = json.loads(said["VOLUME"])
    run("mount", "-t", "tmpfs", "-o", f"uid={user},gid={group},mode=0750", "tmpfs", root / volume)
    run("mount", "-o", "remount,ro", root.path)
    assert "Read-only" in fails(root, "touch", "/var/tmp/x")

    def words(*command):
        return [*root.words(["env", "-C", said["WORKDIR"], *json.loads(said["ENTRYPOINT"]), *command], user=user)]

    print("image:", run(*words("--version"), env=env).strip(), "as", root.run("id", "-u", user=user).strip())
    settings = json.loads(run(*words("config", "check", "--json"), env=env))
    assert settings["data_dir"] == volume and settings["plugins.dir"] == "/opt/gateway/plugins", settings
    ports = {settings[f"server.{name}_addr"].split(":")[1] for name in ("public", "internal")}
    assert ports == set(said["EXPOSE"].split())

    healthy = json.loads(said["HEALTHCHECK"].split("CMD", 1)[1])
    fails(root, *healthy, user=user)
    log = open(folder / "image.log", "w")
    server = subprocess.Popen(words(*json.loads(said["CMD"])), env=env, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        line = server.stdout.readline()
        assert line, f"the image does not start: {(folder / 'image.log').read_text()}"
        root.run(*healthy, user=user)
    finally:
        server.terminate()
        assert server.wait(timeout=30) == 0, "it ends when it is told to"
    print("image:", json.loads(line)["event"], "healthy, on a file system that is read only")


run("mount", "-t", "tmpfs", "-o", "mode=0755", "tmpfs", folder)
(folder / "minimal").mkdir()
run("tar", "-xf", archive, "-C", folder / "minimal", "--exclude=./dev/*")
start_loopback()
installed()
image()
