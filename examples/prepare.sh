#!/bin/sh
# With curl alone: stores a draft, reads it back, prepares its splitter, and prints what a wallet would sign.
# Needs Node to read JSON. Run: sh examples/prepare.sh
set -eu
dir=${SLIPWAY_DIR:-.slipway}
read_json() { node -e 'const fs=require("fs");let v=JSON.parse(fs.readFileSync(0,"utf8"));for(const k of process.argv[1].split("."))v=v[k];process.stdout.write(String(v))' "$1"; }
api=$(read_json base_url < "$dir/dev.json")
key=$(read_json api_key < "$dir/dev.json")
wallet=$(read_json wallets.3.address < "$dir/dev.json")
rpc=$(read_json rpc_url < "$dir/dev.json")

post() { # path, body; --fail-with-body prints the error's code and ends with 22
  curl --silent --show-error --fail-with-body "$api$1" -H "Authorization: Bearer $key" \
    -H "Content-Type: application/json" -H "Idempotency-Key: example-$$" --data "$2"
}

draft=$(post /intents "{\"name\":\"Example Dinghy\",\"symbol\":\"DINGHY\",\"image_uri\":\"https://example.com/dinghy.png\",
  \"chain_id\":46630,\"recipients\":[{\"provider\":\"wallet\",\"wallet\":\"$wallet\",\"share_bps\":10000}]}")
id=$(printf %s "$draft" | read_json id)
echo "draft $id"

result=$(post /splits/transactions "{\"intent_id\":\"$id\",\"wallet\":\"$wallet\"}")
echo "action $(printf %s "$result" | read_json action)"
echo "splitter $(printf %s "$result" | read_json expected.splitter)"
echo "gas $(printf %s "$result" | read_json transaction.gas)"

# Nothing was signed or sent: the wallet has the nonce for which the splitter's address is valid.
nonce=$(curl --silent "$rpc" -H "Content-Type: application/json" \
  --data "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"eth_getTransactionCount\",\"params\":[\"$wallet\",\"latest\"]}" | read_json result)
echo "nonce: promised $(printf %s "$result" | read_json expected.account_nonce), chain $((nonce))"
