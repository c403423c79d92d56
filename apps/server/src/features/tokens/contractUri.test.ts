import { contractUri } from "@slipway/protocol/metadataDocument";
import { beforeEach, describe, expect, test } from "vitest";
import { insertIndex, insertToken } from "../../../../../tests/support/server/rows.ts";
import { useReadApp } from "../../../../../tests/support/server/useReadApp.ts";
import { moderate } from "../moderation/queries.ts";

const fixture = useReadApp();
beforeEach(() => insertIndex(fixture.database.db));

/** Inserts a launch with the document URI, and requests the document. */
async function request(uri: string) {
  const token = await insertToken(fixture.database.db, 1, { contract_uri: uri });
  return { token, ...(await fixture.read.get(`/tokens/${token}/contract-uri`)) };
}
const toBase64 = (text: string | Buffer) => `data:application/json;base64,${Buffer.from(text).toString("base64")}`;

describe("GET /tokens/{address}/contract-uri", () => {
  test("returns the document's bytes from the launch of a draft on the chain", async () => {
    const uri = contractUri({
      ...{
        name: "Tin Boat",
        symbol: "TIN",
        image_uri: "ipfs://bafy",
        description: "A boat",
        chain_id: 1,
        recipients: [],
      },
    } as never);
    const { status, headers, body } = await request(uri);
    expect(status).toBe(200);
    expect(`data:application/json;base64,${body.toString("base64")}`).toBe(uri);
    expect(headers).toMatchObject({
      ...{ "content-type": "application/json", "x-content-type-options": "nosniff" },
      ...{ "access-control-allow-origin": "*", "cache-control": "public, max-age=10" },
    });
    const again = await fixture.read.get(`/tokens/${"0x00000000000000000000000000000000000003e9"}/contract-uri`, {
      "if-none-match": headers.etag,
    });
    expect(again.status).toBe(304);
  });

  test.each([
    ["blanks and escapes", '{ "name" : "\\u00fc" ,\n"a":1}'],
    ["a name twice", '{"name":"a","name":"b"}'],
    ["a large number", '{"name":"a","n":12345678901234567890.10}'],
    ["a prototype", '{"__proto__":{"a":1}}'],
    ["no name", "{}"],
  ])("keeps every byte of a document with %s", async (_what, json) => {
    expect((await request(toBase64(json))).body.toString()).toBe(json);
  });

  test.each([
    ["plain", 'data:application/json,{"name":"ü"}', '{"name":"ü"}'],
    ["percent encoded", "data:application/json;charset=utf-8,%7B%22name%22%3A%22%C3%BC%22}", '{"name":"ü"}'],
    ["in upper case", `DATA:APPLICATION/JSON;BASE64,${Buffer.from("{}").toString("base64")}`, "{}"],
  ])("reads a document that is %s", async (_what, uri, json) => {
    const { status, body } = await request(uri);
    expect([status, body.toString()]).toEqual([200, json]);
  });

  test.each([
    ["is at an https URL", "https://stranger.example/token.json"],
    ["is on IPFS", "ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy"],
    ["is missing", ""],
    ["is of another type", "data:text/html,<script>alert(1)</script>"],
    ["is HTML with the type of JSON", toBase64("<script>alert(1)</script>")],
    ["is a list", toBase64("[1]")],
    ["is null", toBase64("null")],
    ["is not UTF-8", toBase64(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))],
    ["begins with a byte order mark", toBase64("\ufeff{}")],
    ["is truncated base64", "data:application/json;base64,eyJ"],
    ["is base64 with a line feed", "data:application/json;base64,e3\n0="],
    ["has a broken escape", "data:application/json,{%2}"],
    ["was not Unicode", 'data:application/json,{"name":"\ufffd"}'],
  ])("C5-26 is 404, without a fetch or a redirect, for a document that %s", async (_what, uri) => {
    const { status, json, headers } = await request(uri);
    expect([status, json.error.code, headers.location]).toEqual([404, "not_found", undefined]);
  });

  test("is 404 for a blocked token, and for an address without a launch", async () => {
    const { token, status } = await request(toBase64('{"name":"a"}'));
    expect(status).toBe(200);
    const block = (blocked: boolean) =>
      moderate(fixture.database.db.api, { kind: "token", target: token, blocked, reason: "test", administrator: null });
    await block(true);
    await fixture.read.deps.readModel.sync();
    expect((await fixture.read.get(`/tokens/${token}/contract-uri`)).status).toBe(404);
    await block(false);
    await fixture.read.deps.readModel.sync();
    expect((await fixture.read.get(`/tokens/${token}/contract-uri`)).status).toBe(200);
    const { json } = await fixture.read.get(`/tokens/0x${"12".repeat(20)}/contract-uri`);
    expect(json.error.code).toBe("token_not_indexed");
  });
});
