"""A launch in Python, over the classes that quicktype made of the schemas of the OpenAPI document.

The classes check the type of every field of an answer. The local chain signs for the account.
"""

import json
import os
import secrets
import time
import urllib.error
import urllib.request

from slipway_models import Config, Draft, Intent, LaunchRequest, Provider, Recipient, SplitRequest, TokenDetail, UnsignedResult

API = os.environ["BASE_URL"]
HEADERS = {"authorization": f"Bearer {os.environ['API_KEY']}", "content-type": "application/json"}
WALLET = os.environ["CREATOR"]


def call(method, path, body=None, **headers):
    data = None if body is None else json.dumps(body.to_dict()).encode()
    request = urllib.request.Request(f"{API}{path}", data, {**HEADERS, **headers}, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def rpc(method, *params):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    request = urllib.request.Request(os.environ["RPC_URL"], body, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        result = json.load(answer)
    if "error" in result:
        raise RuntimeError(result["error"])
    return result["result"]


def poll(read):
    """Repeats a read until it has a result."""
    end = time.time() + 60
    while time.time() < end:
        result = read()
        if result is not None:
            return result
        time.sleep(0.04)
    raise RuntimeError("no result within a minute")


def send(prepared):
    transaction = {key: value for key, value in prepared.transaction.to_dict().items() if key != "chainId"}
    transaction_hash = rpc("eth_sendTransaction", transaction)
    receipt = poll(lambda: rpc("eth_getTransactionReceipt", transaction_hash))
    if receipt["status"] != "0x1":
        raise RuntimeError(f"{transaction_hash} failed")
    return receipt


def find_token(address):
    try:
        return TokenDetail.from_dict(call("GET", f"/tokens/{address}"))
    except urllib.error.HTTPError as error:
        if json.load(error)["error"]["code"] != "token_not_indexed":
            raise
        return None


rpc("anvil_impersonateAccount", WALLET)
config = Config.from_dict(call("GET", "/config"))
intent = Intent(
    name="Python Boat",
    symbol="PY",
    image_uri="https://cdn.example/python.png",
    chain_id=config.chain_id,
    recipients=[Recipient(provider=Provider.WALLET, wallet=WALLET, share_bps=10_000)],
)
draft = Draft.from_dict(call("POST", "/intents", intent, **{"idempotency-key": secrets.token_hex(8)}))
split = SplitRequest(intent_id=draft.id, wallet=WALLET)
splitter = send(UnsignedResult.from_dict(call("POST", "/splits/transactions", split)))["contractAddress"]
order = LaunchRequest(intent_id=draft.id, wallet=WALLET, splitter=splitter, salt="0x" + secrets.token_hex(32))
prepared = UnsignedResult.from_dict(call("POST", "/launch/transactions", order))
send(prepared)
token = poll(lambda: find_token(prepared.expected.token))
print(json.dumps({"address": token.address, "name": token.name, "fee_bps": token.fee_bps}))
