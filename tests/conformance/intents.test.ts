import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { newIntent, newKey, newOptions, someWallet, unknownToken } from "../support/conformance/validCalls.ts";

const store = (body: unknown, headers = newKey()) => call("POST /intents", { headers, body });

describe("POST /intents", () => {
  statusCase("POST /intents", 201, "stores a draft with defaults filled in and addresses checksummed", async () => {
    const wallet = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045";
    const sent = { ...newIntent(), recipients: [{ provider: "wallet", wallet, share_bps: 10_000 }] };
    const { status, body, headers } = await store(sent);
    expect(status).toBe(201);
    expect(headers.get("cache-control")).toBe("no-store");
    const checksummed = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
    expect(body).toMatchObject({
      status: "draft",
      transaction: null,
      intent: { ...sent, fee_bps: 100, recipients: [{ provider: "wallet", wallet: checksummed, share_bps: 10_000 }] },
    });
    expect(Math.abs(Date.parse(body.created_at) - Date.now())).toBeLessThan(60_000);
  });

  statusCase(
    "POST /intents",
    [201, 200],
    "answers an identical retry with the stored draft, whatever the order of its keys",
    async () => {
      const [key, sent] = [newKey(), newIntent()];
      const first = await store(sent, key);
      expect(first.status).toBe(201);
      const reordered = Object.fromEntries(Object.entries(sent).reverse());
      for (const retry of [sent, reordered]) {
        const again = await store(retry, key);
        expect([again.status, again.body]).toEqual([200, first.body]);
      }
      const spaced = await call("POST /intents", { headers: key, rawBody: JSON.stringify(sent, null, 4) });
      expect([spaced.status, spaced.body.id]).toEqual([200, first.body.id]);
    },
  );

  it("says what a launch will write: the normal form of name and URIs", async () => {
    const { status, body } = await store({
      ...newIntent(),
      name: "  Cafe\u0301\u00a0 Boat ",
      image_uri: "https://CDN.example:443/./a%20b.png",
      website: "https://Bücher.example",
    });
    expect([status, body.intent.name, body.intent.image_uri, body.intent.website]).toEqual([
      201,
      "Caf\u00e9 Boat",
      "https://cdn.example/a%20b.png",
      "https://xn--bcher-kva.example/",
    ]);
  });

  statusCase("POST /intents", 409, "refuses other content under a used key and keeps the stored draft", async () => {
    const [key, sent] = [newKey(), newIntent()];
    const first = await store(sent, key);
    const other = await store({ ...sent, symbol: "OTHER" }, key);
    expect([other.status, other.body.error.code]).toEqual([409, "idempotency_key_reused"]);
    expect((await store(sent, key)).body).toEqual(first.body);
  });

  it("makes one draft out of fifty identical requests at once", async () => {
    const [key, sent] = [newKey(), newIntent()];
    const answers = await Promise.all(Array.from({ length: 50 }, () => store(sent, key)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(49);
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const { body } = await call("GET /intents");
    expect(body.items.filter(({ intent }: any) => intent.name === sent.name)).toHaveLength(1);
  });

  it("does not use the key for a request that it refuses", async () => {
    const [key, sent] = [newKey(), newIntent()];
    expect((await store({ ...sent, symbol: "not a symbol" }, key)).status).toBe(422);
    expect(
      (await store({ ...sent, recipients: [{ provider: "wallet", wallet: someWallet, share_bps: 9_999 }] }, key))
        .status,
    ).toBe(422);
    expect((await store(sent, key)).status).toBe(201);
  });

  statusCase("POST /intents", 400, "wants an Idempotency-Key of 8 to 128 characters", async () => {
    for (const length of [0, 1, 7, 129, 500]) {
      const headers = length === 0 ? {} : { "idempotency-key": "k".repeat(length) };
      const { status, body } = await store(newIntent(), headers as Record<string, string>);
      expect([status, body.error.code, body.error.field], `${length}`).toEqual([
        400,
        "idempotency_key_missing",
        "Idempotency-Key",
      ]);
    }
    for (const length of [8, 128]) {
      const key = (randomUUID() + "k".repeat(128)).slice(0, length);
      expect((await store(newIntent(), { "idempotency-key": key })).status, `${length}`).toBe(201);
    }
  });
});

const share = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    provider: "wallet",
    wallet: `0x${(index + 1).toString(16).padStart(40, "a")}`,
    share_bps: index === 0 ? 10_000 - (count - 1) : 1,
  }));
const text = (length: number) => "x".repeat(length);
const uri = (scheme: string, length: number) => `${scheme}://example.org/`.padEnd(length, "a");

/** For each field of Intent and Recipient: values just inside and just outside of the limit. */
const limits: { what: string; ok: object[]; refused: object[]; field: string }[] = [
  {
    what: "a name of 1 to 64 characters",
    field: "name",
    ok: [{ name: "x" }, { name: text(64) }, { name: "🛶".repeat(64) }],
    refused: [
      { name: "" },
      { name: text(65) },
      { name: "a\u0000b" },
      { name: "\ud800" },
      { name: " \u3000 " },
      { name: "a\nb" },
      { name: "a\u202eb" },
      { name: "a\u200bb" },
    ],
  },
  {
    what: "a symbol of 1 to 12 letters or digits",
    field: "symbol",
    ok: [{ symbol: "a" }, { symbol: "ABCDEFabc123" }],
    refused: [
      { symbol: "" },
      { symbol: text(13) },
      { symbol: "A B" },
      { symbol: "A-B" },
      { symbol: "É" },
      { symbol: "AB\n" },
    ],
  },
  {
    what: "a description of at most 1000 characters",
    field: "description",
    ok: [{ description: "" }, { description: text(1000) }, { description: "two\nlines" }],
    refused: [{ description: text(1001) }, { description: 5 }],
  },
  {
    what: "an ipfs or https image URI of at most 256 characters",
    field: "image_uri",
    ok: [{ image_uri: "ipfs://bafy" }, { image_uri: uri("https", 256) }],
    refused: [
      { image_uri: uri("https", 257) },
      { image_uri: "http://example.org/a.png" },
      { image_uri: "data:image/png;base64,AA" },
      { image_uri: "javascript:alert(1)" },
      { image_uri: " https://example.org" },
      { image_uri: "https://" },
      { image_uri: "https://example.org/a b.png" },
      { image_uri: "https://user@example.org/" },
      { image_uri: "ipfs://" },
    ],
  },
  {
    what: "an HTTPS website of at most 256 characters",
    field: "website",
    ok: [{ website: "https://example.org/" }, { website: uri("https", 256) }],
    refused: [
      { website: uri("https", 257) },
      { website: "http://example.org" },
      { website: "" },
      { website: "https://user:pw@example.org/" },
      { website: "https://example.org\\@evil.example/" },
      { website: "https://exa mple.org/" },
    ],
  },
  {
    what: "a known chain",
    field: "chain_id",
    ok: [{ chain_id: 4663 }, { chain_id: 46630 }],
    refused: [{ chain_id: 1 }, { chain_id: 0 }, { chain_id: 4663.5 }, { chain_id: "46630" }],
  },
  {
    what: "one of the four fee tiers",
    field: "fee_bps",
    ok: [100, 50, 30, 10].map((fee_bps) => ({ fee_bps })),
    refused: [0, 1, 99, 101, 10.5, -10].map((fee_bps) => ({ fee_bps })),
  },
  {
    what: "0 to 20 recipients",
    field: "recipients",
    ok: [{ recipients: [] }, { recipients: share(1) }, { recipients: share(20) }],
    refused: [{ recipients: share(21) }, { recipients: {} }],
  },
];

describe.each(limits)("an intent has $what", ({ ok, refused, field }) => {
  it("and is stored at the limits", async () => {
    for (const change of ok) {
      const { status, body } = await store({ ...newIntent(), ...change });
      expect(status, JSON.stringify(body).slice(0, 300)).toBe(201);
      expect(body.intent).toMatchObject(
        Object.fromEntries(Object.entries(change).filter(([name]) => name !== "recipients")),
      );
    }
  });

  it("and is refused beyond them", async () => {
    for (const change of refused) {
      const { status, body } = await store({ ...newIntent(), ...change });
      expect([status, body.error.code, body.error.field], JSON.stringify(change).slice(0, 80)).toEqual([
        422,
        "invalid_fields",
        field,
      ]);
    }
  });
});

describe("the recipients of an intent", () => {
  const one = { provider: "wallet", wallet: someWallet, share_bps: 10_000 };
  const refusals: [string, object[], string][] = [
    ["shares that sum to 9999", [{ ...one, share_bps: 9_999 }], "shares_not_10000"],
    [
      "shares that sum to 10001",
      [
        { ...one, share_bps: 10_000 },
        { ...one, wallet: unknownToken, share_bps: 1 },
      ],
      "shares_not_10000",
    ],
    [
      "the same wallet twice, in another case",
      [
        { ...one, wallet: `0x${"ab".repeat(20)}`, share_bps: 5_000 },
        { ...one, wallet: `0x${"AB".repeat(20)}`, share_bps: 5_000 },
      ],
      "duplicate_recipient",
    ],
    ["a share of 0", [{ ...one, share_bps: 0 }, one], "invalid_fields"],
    ["a share above 10000", [{ ...one, share_bps: 10_001 }], "invalid_fields"],
    ["a share that is no whole number", [{ ...one, share_bps: 0.5 }], "invalid_fields"],
    ["the zero address", [{ ...one, wallet: `0x${"0".repeat(40)}` }], "invalid_fields"],
    ["a short address", [{ ...one, wallet: "0x1234" }], "invalid_fields"],
    ["an unknown provider", [{ ...one, provider: "carrier_pigeon" }], "invalid_fields"],
    ["a code_host recipient without a handle", [{ ...one, provider: "code_host" }], "invalid_fields"],
    ["a social recipient with an empty handle", [{ ...one, provider: "social", handle: "" }], "invalid_fields"],
    ["a handle of 40 characters", [{ ...one, provider: "social", handle: text(40) }], "invalid_fields"],
    ["an unknown property", [{ ...one, email: "a@b.example" }], "invalid_fields"],
  ];
  for (const [what, recipients, code] of refusals) {
    statusCase("POST /intents", 422, `refuses ${what}`, async () => {
      const { status, body } = await store({ ...newIntent(), recipients });
      expect([status, body.error.code]).toEqual([422, code]);
      expect(body.error.field).toMatch(/^recipients/);
    });
  }

  it("may have a handle of 39 characters", async () => {
    const { status } = await store({ ...newIntent(), recipients: [{ ...one, provider: "social", handle: text(39) }] });
    expect(status).toBe(201);
  });

  it("may be left out at every tier", async () => {
    for (const fee_bps of [100, 50, 30, 10]) {
      const { recipients: _, ...intent } = newIntent();
      const { status, body } = await store({ ...intent, fee_bps });
      expect([status, body.intent.recipients]).toEqual([201, []]);
    }
  });
});

describe("GET /intents", () => {
  statusCase("GET /intents", 200, "lists the latest 50 drafts, newest first", async () => {
    const created: string[] = [];
    for (let index = 0; index < 52; index++) created.push((await store(newIntent())).body.id);
    const { body, headers } = await call("GET /intents");
    expect(body.items.map(({ id }: { id: string }) => id)).toEqual(created.slice(-50).reverse());
    expect(headers.get("cache-control")).toBe("no-store");
    expect(body.items.every((item: any) => item.status === "draft" && item.transaction === null)).toBe(true);
  });

  statusCase("GET /intents", 200, "lists the next drafts after a cursor", async () => {
    const first = (await call("GET /intents")).body;
    const next = (await call("GET /intents", { query: { before: first.next_before } })).body;
    expect(next.items.length).toBeGreaterThan(0);
    const ids = [...first.items, ...next.items].map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("shows ids that cannot be guessed", async () => {
    const { body } = await call("GET /intents");
    expect(body.items[0].id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(target.apiKey).not.toContain(body.items[0].id);
  });
});

describe("GET /intents/{id}", () => {
  statusCase("GET /intents/{id}", [200, 404], "shows a draft without options, and none of another id", async () => {
    const stored = (await store(newIntent())).body;
    const { body } = await call("GET /intents/{id}", { path: { id: stored.id } });
    expect(body).toEqual({ ...stored, options: null });
    expect((await call("GET /intents/{id}", { path: { id: randomUUID() } })).body.error.code).toBe("not_found");
  });

  statusCase("GET /intents/{id}", 400, "refuses what is no id", async () => {
    const { body } = await call("GET /intents/{id}", { path: { id: "no-id" } });
    expect([body.error.code, body.error.field]).toEqual(["invalid_request", "id"]);
  });
});

describe("GET /intents/{id}/progress", () => {
  const ask = async (id: string) => await call("GET /intents/{id}/progress", { path: { id } });

  statusCase(
    "GET /intents/{id}/progress",
    [200, 404],
    "shows that nothing of a new draft is on the chain",
    async () => {
      const { id } = (await store(newIntent())).body;
      expect((await ask(id)).body).toEqual({ splitters: [], launches: [] });
      expect((await ask(randomUUID())).body.error.code).toBe("not_found");
    },
  );

  statusCase("GET /intents/{id}/progress", 400, "refuses what is no id", async () => {
    const { body } = await ask("no-id");
    expect([body.error.code, body.error.field]).toEqual(["invalid_request", "id"]);
  });
});

describe("PUT /intents/{id}/options", () => {
  const put = async (id: string, body: unknown) => await call("PUT /intents/{id}/options", { path: { id }, body });

  statusCase(
    "PUT /intents/{id}/options",
    200,
    "stores options in their normal form, and all of them anew",
    async () => {
      const stored = (await store(newIntent())).body;
      const options = newOptions();
      const first = await put(stored.id, { ...options, links: { x: "https://X.com:443/a/../crane" }, creator: null });
      expect(first.body).toEqual({
        ...stored,
        options: {
          ...options,
          links: {
            ...{ x: "https://x.com/crane", telegram: null, discord: null },
            ...{ farcaster: null, github: null, website2: null },
          },
          creator: null,
        },
      });
      expect((await call("GET /intents/{id}", { path: { id: stored.id } })).body).toEqual(first.body);
      const { body } = await put(stored.id, {});
      expect([body.options.initial_buy, body.options.partner, body.options.banner_uri]).toEqual([null, null, null]);
      expect(Object.values(body.options.links)).toEqual(Array(6).fill(null));
    },
  );

  statusCase(
    "PUT /intents/{id}/options",
    422,
    "refuses options that must not go on chain, by their field",
    async () => {
      const { id } = (await store(newIntent())).body;
      const mistyped = "0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed";
      for (const [options, field, code] of [
        [{ initial_buy: { amount_in: "0", slippage_bps: 1 } }, "initial_buy.amount_in", "invalid_fields"],
        [{ initial_buy: { amount_in: "1", slippage_bps: 501 } }, "initial_buy.slippage_bps", "invalid_fields"],
        [{ initial_buy: { amount_in: 1, slippage_bps: 1 } }, "initial_buy.amount_in", "invalid_fields"],
        [{ links: { x: "https://x.com.evil.example/crane" } }, "links.x", "invalid_fields"],
        [{ links: { telegram: "javascript:alert(1)" } }, "links.telegram", "invalid_fields"],
        [{ links: { myspace: "https://myspace.com/crane" } }, "links.myspace", "invalid_fields"],
        [{ banner_uri: "data:image/png;base64,AA==" }, "banner_uri", "invalid_fields"],
        [{ partner: mistyped }, "partner", "address_checksum"],
        [{ creator: mistyped }, "creator", "address_checksum"],
        [
          { initial_buy: { amount_in: "1", slippage_bps: 1, recipient: mistyped } },
          "initial_buy.recipient",
          "address_checksum",
        ],
        [{ salt: "0x" }, "salt", "invalid_fields"],
      ] as const) {
        const { status, body } = await put(id, options);
        expect([status, body.error.field, body.error.code]).toEqual([422, field, code]);
      }
      expect((await call("GET /intents/{id}", { path: { id } })).body.options).toBeNull();
    },
  );

  statusCase("PUT /intents/{id}/options", [404, 400], "knows no draft of another id", async () => {
    expect((await put(randomUUID(), {})).body.error.code).toBe("not_found");
    const { body } = await put("no-id", {});
    expect([body.error.code, body.error.field]).toEqual(["invalid_request", "id"]);
  });
});

describe("DELETE /intents/{id}", () => {
  statusCase("DELETE /intents/{id}", [200, 404], "deletes a draft once", async () => {
    const { id } = (await store(newIntent())).body;
    const remove = async () => await call("DELETE /intents/{id}", { path: { id } });
    expect((await remove()).body).toEqual({ removed: true });
    expect((await remove()).body.error.code).toBe("not_found");
    const { body } = await call("GET /intents");
    expect(body.items.map((item: { id: string }) => item.id)).not.toContain(id);
  });

  statusCase("DELETE /intents/{id}", 400, "refuses what is no id", async () => {
    const { body } = await call("DELETE /intents/{id}", { path: { id: "no-id" } });
    expect([body.error.code, body.error.field]).toEqual(["invalid_request", "id"]);
  });
});
