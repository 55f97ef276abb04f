#!/bin/sh
# Builds xx-demo-js.wasm. Needs Node.js 20 or newer; the tool is installed into node_modules beside this file.
set -eu
cd "$(dirname "$0")"
here="$(pwd)"
contract="$(cd "${EINVOICE_WIT:-../../../wit/v1}" && pwd)"
if ! [ -x node_modules/.bin/jco ]; then
    echo "Installing the tool into node_modules, once: about a minute" >&2
    # Not `ci`: it refuses a lock file that lacks the binaries of other systems, which not every registry has.
    npm install --no-save --silent
fi
echo "Building xx-demo-js.wasm from plugin.js: some seconds" >&2
# The tool wants absolute paths.
node_modules/.bin/jco componentize "$here/plugin.js" --wit "$contract" --world-name tax-regime \
    --backend qjs --backend-qjs-disable-async --out "$here/xx-demo-js.wasm.new" >&2
mv xx-demo-js.wasm.new xx-demo-js.wasm
echo "Built xx-demo-js.wasm ($(($(wc -c < xx-demo-js.wasm) / 1024)) KiB)" >&2
