#!/bin/sh
# From an installed gateway to an invoice that the tax authority accepted, in a folder of its own: nothing of the service on this
# machine is read or written, and the stand-in plays provider and authority. Needs curl.
#
#   first-invoice.sh [FOLDER]     FOLDER is kept, to look into it; without one it is a temporary one, and removed
#
# GATEWAY names another program than the `gateway` of the path.
set -eu

gateway=${GATEWAY:-gateway}
started=$(date +%s)
fail() {
    echo "first-invoice: $*" >&2
    exit 1
}
command -v "$gateway" >/dev/null || fail "there is no $gateway: install the package, or name the program in GATEWAY"
case $gateway in
*/*) gateway=$(realpath "$gateway") ;;
esac
command -v curl >/dev/null || fail "there is no curl: install it"

if [ $# -gt 0 ]; then
    folder=$1
    mkdir -p "$folder"
else
    folder=$(mktemp -d)
fi
cd "$folder"
if [ -e gateway.db ]; then
    fail "$folder has a database already: name another folder"
fi
server=
end() {
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null && wait "$server" 2>/dev/null || true
    fi
    if [ $# -gt 0 ]; then
        rm -rf "$1"
    fi
}
if [ $# -gt 0 ]; then
    trap end EXIT
else
    trap 'end "$folder"' EXIT
fi

# Free ports, so that it runs beside the service.
GATEWAY_DATA_DIR=. GATEWAY_PROVIDER__BASE_URL=sandbox
GATEWAY_SERVER__PUBLIC_ADDR=127.0.0.1:0 GATEWAY_SERVER__INTERNAL_ADDR=127.0.0.1:0 GATEWAY_SANDBOX__ADDR=127.0.0.1:0
export GATEWAY_DATA_DIR GATEWAY_PROVIDER__BASE_URL GATEWAY_SERVER__PUBLIC_ADDR GATEWAY_SERVER__INTERNAL_ADDR \
    GATEWAY_SANDBOX__ADDR

# The text of a member of JSON on standard input.
member() {
    sed -n 's/.*"'"$1"'": *"\([^"]*\)".*/\1/p' | head -n 1
}
say() {
    echo "$(($(date +%s) - started)) s: $*"
}

"$gateway" --version
"$gateway" workspace create --name Casa --legal-name 'Casa S.L.' --tax-id B98602642 --country ES \
    --time-zone Europe/Madrid >/dev/null
printf sandbox-token | "$gateway" workspace e-invoicing set --workspace 1 --regime es-verifactu --token-file - \
    --company-id 0199a000-0000-7000-8000-000000000001 --workflow-id 0199a000-0000-7000-8000-000000000002 >/dev/null
"$gateway" client create --name finance --permission invoicing.rpc --permission finance.rpc --workspace 1 --json >client.json
say "a workspace that issues in Spain, and a client that may call"

"$gateway" serve >listening 2>log &
server=$!
until [ -s listening ]; do
    kill -0 "$server" 2>/dev/null || fail "the gateway did not start: $(tail -n 1 log)"
    sleep 0.2
done
public=$(member public <listening)
internal=$(member internal <listening)
say "a gateway at $public and $internal"

token=$(curl -sf "$public/v1/oauth2/token" -H 'Content-Type: application/json' -d '{"grant_type": "client_credentials",
  "client_id": "'"$(member client_id <client.json)"'", "client_secret": "'"$(member client_secret <client.json)"'"}' |
    member access_token)
[ -n "$token" ] || fail "the gateway gave no token"
call() {
    curl -s --fail-with-body "$@" -H "Authorization: Bearer $token" -H 'Content-Type: application/json'
}
id=$(cat /proc/sys/kernel/random/uuid)
call -X PUT "$internal/invoicing/rpc/documents/$id" -o draft.json -d '{
  "workspace_id": 1, "document_type": "invoice", "currency": "EUR", "prices_include_tax": true,
  "recipient": {"type": "company", "name": "Guest S.L.", "tax_number": "B17002288", "country": "ES"},
  "lines": [{"description": "Studio, 3 nights", "quantity": "3", "unit_price": "89.90",
             "tax": {"category": "VAT", "rate": "10.0"}}]}' || fail "no draft: $(cat draft.json)"
call -X POST "$internal/finance/rpc/documents/$id/commands/issue" -o issuing.json || fail "not issued: $(cat issuing.json)"
say "an invoice on its way to the authority"

state=issuing
while [ "$state" = issuing ]; do
    [ $(($(date +%s) - started)) -lt 600 ] || fail "no verdict within ten minutes: see '$gateway submission list'"
    sleep 0.5
    call "$internal/invoicing/rpc/documents/$id" -o invoice.json || fail "no invoice: $(cat invoice.json)"
    state=$(member status <invoice.json)
done
[ "$state" = issued ] || fail "the invoice ended as $state: $(cat invoice.json)"
say "accepted as $(member display_invoice_number <invoice.json): $(member qr_url <invoice.json)"
