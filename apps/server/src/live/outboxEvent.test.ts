import { checksummed } from "@slipway/protocol/primitives";
import { expect, test } from "vitest";
import { toAddress, toHash } from "../../../../tests/support/server/rows.ts";
import { LiveMessage } from "./liveMessage.ts";
import { parseOutboxChange, parseOutboxEvent } from "./outboxEvent.ts";

const token = toAddress(1);
const payload = {
  address: token,
  token_id: 1,
  block_number: 2,
  log_index: 3,
  block_time: 4,
  pool_price: 0.5,
  eth_usd: null,
  maker: toAddress(2),
  recipient: toAddress(3),
  is_buy: true,
  tx_hash: toHash(1),
  token_amount: "2",
  quote_amount: "1",
};

test("a payload without a schema version has version 1", () => {
  const event = { kind: "trade", token, payload };
  expect(parseOutboxEvent(event)).toEqual(event);
  expect(parseOutboxEvent({ ...event, payload: { ...payload, schema_version: 1 } }).kind).toBe("trade");
});

test("a trade's message has its account; the maker in the row of an earlier version, which has no account", () => {
  const read = (fields: object) => {
    const event = parseOutboxEvent({ kind: "trade", token, payload: { ...payload, ...fields } });
    return JSON.parse(new LiveMessage(7, event).frame.subarray(4).toString()).data.trade;
  };
  const [maker, account] = [checksummed(toAddress(2)), checksummed(toAddress(5))];
  expect(read({})).toMatchObject({ maker, account: maker, account_source: "sender" });
  expect(read({ account: toAddress(5), account_source: "user_operation" })).toMatchObject({
    maker,
    account,
    account_source: "user_operation",
  });
});

test.each([
  ["a newer schema version", { kind: "trade", token, payload: { ...payload, schema_version: 2 } }],
  ["an unknown kind", { kind: "signal", token, payload }],
  ["a malformed payload", { kind: "trade", token, payload: { ...payload, token_amount: 2 } }],
  ["no token", { kind: "trade", token: null, payload }],
])("an event with %s makes clients and caches read all data again", (_name, columns) => {
  expect(parseOutboxEvent(columns)).toEqual({ kind: "unknown" });
  const message = new LiveMessage(7, parseOutboxEvent(columns));
  expect(message.matches({ tokens: new Set([toAddress(9)]), interval: "1m", names: new Set() })).toBe(true);
  expect(message.eventText).toBe('id: 7\nevent: snapshot\ndata: {"reason":"rebuilt","cursor":"7"}\n\n');
  expect(message.frame.subarray(2).toString()).toBe('{"type":"snapshot","cursor":"7","data":{"reason":"rebuilt"}}');
});

test("a change with an unknown version is an unknown change for caches", () => {
  const columns = { kind: "state", token: null, tokens: [token] };
  expect(parseOutboxChange({ ...columns, schema_version: null })).toMatchObject({ kind: "state", tokens: [token] });
  expect(parseOutboxChange({ ...columns, schema_version: 2 })).toEqual({ kind: "unknown" });
});
