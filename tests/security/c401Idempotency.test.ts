import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startSeverableProxy } from "../support/conformance/startSeverableProxy.ts";
import { unlimited } from "../support/conformance/unlimited.ts";
import { type ApiServer, type ApiServers, openApiServers } from "../support/security/openApiServers.ts";

let servers: ApiServers;
let server: ApiServer;
let keys = 0;

beforeAll(async () => {
  servers = await openApiServers();
  server = await servers.open(unlimited);
});
afterAll(() => servers?.close());

const draft = {
  name: "Kite",
  symbol: "KITE",
  image_uri: "https://example.com/kite.png",
  chain_id: 46630,
  recipients: [{ provider: "wallet", wallet: `0x${"ab".repeat(20)}`, share_bps: 10_000 }],
};
const newKey = () => `idempotency-${++keys}`;

type Stored = { status: number; id: string | undefined; code: string | undefined };

/** Sends a draft; repeats a request that a busy database rejects, like a careful caller. */
async function store(
  body: object | string,
  idempotencyKey: string | null,
  { base = server.base, apiKey = servers.apiKey } = {},
): Promise<Stored> {
  for (let attempt = 0; ; attempt++) {
    const response = await fetch(`${base}/intents`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        ...(idempotencyKey === null ? {} : { "idempotency-key": idempotencyKey }),
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    const answer = (await response.json()) as { id?: string; error?: { code: string } };
    if (response.status !== 503 || attempt === 50) {
      return { status: response.status, id: answer.id, code: answer.error?.code };
    }
  }
}

async function getRows(idempotencyKey: string): Promise<string[]> {
  const { rows } = await servers.pool.query<{ id: string }>("select id from app.intents where idempotency_key = $1", [
    idempotencyKey,
  ]);
  return rows.map(({ id }) => id);
}

describe("C4-01 fifty identical requests at once, to two processes", () => {
  it("make one row: one answers 201, the others 200, all with the same id", async () => {
    const other = await servers.open(unlimited);
    const key = newKey();
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => store(draft, key, { base: (n % 2 ? other : server).base })),
    );
    const ids = await getRows(key);
    expect(ids).toHaveLength(1);
    expect(new Set(answers.map(({ id }) => id))).toEqual(new Set(ids));
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    expect([count(201), count(200)]).toEqual([1, 49]);
    await other.stop();
  });
});

describe("C4-02 an Idempotency-Key", () => {
  it("refuses other content with 409 and keeps what it stood for", async () => {
    const key = newKey();
    const first = await store(draft, key);
    expect(await store({ ...draft, name: "Other" }, key)).toMatchObject({
      status: 409,
      code: "idempotency_key_reused",
    });
    expect(await store(draft, key)).toEqual({ status: 200, id: first.id, code: undefined });
    expect(await getRows(key)).toEqual([first.id]);
  });

  it("belongs to its account: in another one it is free, and reveals nothing of the first", async () => {
    const key = newKey();
    const stranger = await servers.newKey();
    const first = await store(draft, key);
    const second = await store({ ...draft, name: "Other" }, key, stranger);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.id).not.toBe(first.id);
    expect(await store(draft, key, stranger)).toMatchObject({ status: 409, id: undefined });
  });

  it("takes order, whitespace and escapes of JSON for no difference", async () => {
    const key = newKey();
    const { id } = await store(draft, key);
    const reversed = Object.fromEntries(Object.entries(draft).toReversed());
    for (const body of [
      reversed,
      JSON.stringify(draft, null, 4),
      JSON.stringify(draft).replace("Kite", "\\u004bite"),
    ]) {
      expect(await store(body, key)).toEqual({ status: 200, id, code: undefined });
    }
  });

  it.each([
    ["none", null],
    ["an empty one", ""],
    ["7 characters", "k".repeat(7)],
    ["129 characters", "k".repeat(129)],
  ])("must have 8 to 128 characters: %s is 400", async (_, key) => {
    expect(await store(draft, key)).toMatchObject({ status: 400, code: "idempotency_key_missing" });
  });

  it("may have 8 and 128 characters", async () => {
    for (const key of [`k${newKey()}`.slice(-8).padStart(8, "k"), newKey().padEnd(128, "k")]) {
      expect((await store(draft, key)).status).toBe(201);
    }
  });
});

describe("C4-03 a request that was refused", () => {
  it("has not used its key up", async () => {
    const key = newKey();
    expect((await store({ ...draft, symbol: "not a symbol" }, key)).status).toBe(422);
    expect((await store("{", key)).status).toBe(400);
    expect((await store({ ...draft, recipients: [{ ...draft.recipients[0]!, share_bps: 1 }] }, key)).status).toBe(422);
    expect((await store(draft, key)).status).toBe(201);
  });
});

describe("C4-03 a server that is killed after the row is committed and before the answer", () => {
  it("has stored the draft once: the same request to another process answers 200 with its id", async () => {
    const proxy = await startSeverableProxy(servers.databaseUrl);
    const doomed = await servers.open({ ...unlimited, DATABASE_URL: proxy.url });
    const key = newKey();
    // The database commits, and the server never receives the answer.
    proxy.loseAnswersTo("insert into app.intents");
    const unanswered = fetch(`${doomed.base}/intents`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${servers.apiKey}`,
        "content-type": "application/json",
        "idempotency-key": key,
      },
      body: JSON.stringify(draft),
    }).then(
      ({ status }) => `answered ${status}`,
      () => "no answer",
    );
    await vi.waitFor(async () => expect(await getRows(key)).toHaveLength(1), 60_000);
    await doomed.kill();
    expect(await unanswered).toBe("no answer");
    await proxy.cut();

    const [id] = await getRows(key);
    expect(await store(draft, key)).toEqual({ status: 200, id, code: undefined });
    expect(await getRows(key)).toEqual([id]);
  });
});
