"""Builds the wheel: the package, and the program that Go builds for one system.

It is a build backend (PEP 517) that needs nothing but Python and Go. GOOS and GOARCH choose
another system than this one, KERF_BINARY a program that is built already.
"""

import base64
import hashlib
import os
import subprocess
import tempfile
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent

# The program is static, so that on Linux it needs no particular C library.
TAGS = {
    ("linux", "amd64"): "manylinux2014_x86_64.manylinux_2_17_x86_64.musllinux_1_1_x86_64",
    ("linux", "arm64"): "manylinux2014_aarch64.manylinux_2_17_aarch64.musllinux_1_1_aarch64",
    ("darwin", "amd64"): "macosx_12_0_x86_64",
    ("darwin", "arm64"): "macosx_12_0_arm64",
    ("windows", "amd64"): "win_amd64",
    ("windows", "arm64"): "win_arm64",
}


def _version():
    scope = {}
    exec((HERE / "kerf" / "_version.py").read_text(encoding="utf-8"), scope)
    return scope["__version__"]


def _project():
    return tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _system():
    out = subprocess.run(["go", "env", "GOOS", "GOARCH"], check=True, capture_output=True, text=True).stdout.split()
    if tuple(out) not in TAGS:
        raise SystemExit(f"there is no tag of a wheel for {'/'.join(out)}; choose GOOS and GOARCH among {list(TAGS)}")
    return tuple(out)


def _build_program(folder, system):
    if os.environ.get("KERF_BINARY"):
        return Path(os.environ["KERF_BINARY"]).read_bytes()
    path = Path(folder) / "kerf"
    env = {**os.environ, "CGO_ENABLED": "0", "GOOS": system[0], "GOARCH": system[1]}
    command = ["go", "build", "-trimpath", "-ldflags", "-s -w -funcalign=4", "-o", str(path), "./cmd/kerf"]
    subprocess.run(command, check=True, cwd=HERE.parent, env=env)
    return path.read_bytes()


def _metadata():
    project = _project()
    lines = ["Metadata-Version: 2.4", "Name: kerf", f"Version: {_version()}", f"Summary: {project['description']}",
             f"License-Expression: {project['license']}", "License-File: LICENSE",
             f"Requires-Python: {project['requires-python']}"]  # fmt: skip
    lines += [f"Requires-Dist: {d}" for d in project["dependencies"]]
    lines += ["Description-Content-Type: text/markdown", "", (HERE / project["readme"]).read_text(encoding="utf-8")]
    return "\n".join(lines)


def _wheel_files(folder, system):
    """Yield the name, content and mode of each file of the wheel but RECORD."""
    for path in sorted((HERE / "kerf").glob("*.py")):
        yield f"kerf/{path.name}", path.read_bytes(), 0o644
    name = "kerf.exe" if system[0] == "windows" else "kerf"
    yield f"kerf/bin/{name}", _build_program(folder, system), 0o755
    info = f"kerf-{_version()}.dist-info"
    yield f"{info}/METADATA", _metadata().encode(), 0o644
    tags = [f"Tag: py3-none-{platform}" for platform in TAGS[system].split(".")]
    head = ["Wheel-Version: 1.0", "Generator: kerf", "Root-Is-Purelib: false", *tags, ""]
    yield f"{info}/WHEEL", "\n".join(head).encode(), 0o644
    scripts = "".join(f"{name} = {target}\n" for name, target in _project()["scripts"].items())
    yield f"{info}/entry_points.txt", f"[console_scripts]\n{scripts}".encode(), 0o644
    yield f"{info}/licenses/LICENSE", (HERE.parent / "LICENSE").read_bytes(), 0o644


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Write the wheel into a folder and return its name. The same files give the same bytes."""
    system = _system()
    name = f"kerf-{_version()}-py3-none-{TAGS[system]}.whl"
    record = f"kerf-{_version()}.dist-info/RECORD"
    target = Path(wheel_directory) / name
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        part = Path(folder) / name
        lines = []
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as z:
            for path, content, mode in _wheel_files(folder, system):
                _add(z, path, content, mode)
                digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                lines.append(f"{path},sha256={digest},{len(content)}")
            _add(z, record, "\n".join([*lines, f"{record},,", ""]).encode(), 0o644)
        os.replace(part, target)
    return name


def _add(z, path, content, mode):
    info = zipfile.ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = (0o100000 | mode) << 16
    z.writestr(info, content)


def build_sdist(sdist_directory, config_settings=None):
    """Refuse: the program is built of the whole repository, which no archive of this folder has."""
    raise NotImplementedError("kerf has no source archive of its folder python; build a wheel in a checkout")


if __name__ == "__main__":
    import sys

    print(build_wheel(sys.argv[1]))
