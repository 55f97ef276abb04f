#!/bin/sh
# Builds xx-demo-py.wasm. Needs Python 3.9 or newer; the tool is installed into .venv beside this file.
set -eu
cd "$(dirname "$0")"
contract="${EINVOICE_WIT:-../../../wit/v1}"
if ! .venv/bin/componentize-py --version >/dev/null 2>&1; then
    echo "Installing the tool into .venv, once: about a minute" >&2
    "${PYTHON:-python3}" -m venv --clear .venv
    .venv/bin/pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.txt
fi
echo "Building xx-demo-py.wasm from app.py: some seconds" >&2
mkdir -p build
cp app.py build/app.py
.venv/bin/componentize-py --quiet --wit-path "$contract" --world tax-regime \
    componentize --python-path build --output build/xx-demo-py.wasm.new app
mv build/xx-demo-py.wasm.new xx-demo-py.wasm
echo "Built xx-demo-py.wasm ($(($(wc -c < xx-demo-py.wasm) / 1024)) KiB)" >&2
