import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import { Secret } from "../../secret.ts";
import { createClickHouse } from "./createClickHouse.ts";
import { sql } from "./sql.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A server that answers the request for its version, and every other request with `answer`. */
async function start(answer: RequestListener, { version = 24, timeoutMs = 60_000 } = {}) {
  const statements: { statement: string; url: string; headers: Record<string, unknown> }[] = [];
  server = createServer((request, response) => {
    void readText(request).then((body) => {
      statements.push({ statement: body, url: request.url!, headers: request.headers });
      if (body.includes("version()")) response.end(Buffer.from([version, 0, 0, 0]));
      else answer(request, response);
    });
  });
  await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
  const time = { now: 1_000 };
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const password = Secret.fromText("hunter2");
  const clickHouse = createClickHouse({
    server: { origin, database: "slipway", user: "reader", password },
    cluster: undefined,
    timeoutMs,
    clock: { now: () => time.now },
  });
  return { clickHouse, statements, time, origin };
}

const statement = sql`select 1`;
const message = (work: Promise<unknown>) =>
  work.then(
    () => "",
    (error: Error) => `${error.name}: ${error.message}`,
  );

describe("createClickHouse", () => {
  test("sends credentials in headers only, and settings that old servers know", async () => {
    const { clickHouse, statements } = await start((_, response) => response.end("ab"), { version: 18 });
    expect(await clickHouse.query(statement)).toEqual(Buffer.from("ab"));
    const last = statements.at(-1)!;
    expect(last.headers).toMatchObject({ "x-clickhouse-user": "reader", "x-clickhouse-key": "hunter2" });
    expect(last.url).not.toMatch(/hunter2|reader|optimize_skip_unused_shards/);
    expect(last.url).toContain("wait_end_of_query=1");
  });

  test("asks a current server to use only the shard of a token", async () => {
    const { clickHouse, statements } = await start((_, response) => response.end());
    await clickHouse.query(statement);
    expect(statements.at(-1)!.url).toContain("optimize_skip_unused_shards=1");
  });

  test.each<[string, RequestListener, RegExp]>([
    [
      "an error that repeats the statement and a secret",
      (_, response) => {
        response.writeHead(500).end("Code: 60. DB::Exception: hunter2 select 1 http://reader:hunter2@host");
      },
      /HTTP 500, code 60$/,
    ],
    ["no answer", () => undefined, /did not answer in time$/],
    [
      "an answer without end",
      (_, response) => {
        response.write("x");
      },
      /did not answer in time$/,
    ],
    [
      "a redirect to another host",
      (_, response) => {
        response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
      },
      /cannot be reached/,
    ],
    [
      "a closed connection",
      (request) => {
        request.socket.destroy();
      },
      /cannot be reached/,
    ],
    [
      "more bytes than any page has",
      (_, response) => {
        response.writeHead(200);
        const chunk = Buffer.alloc(2 ** 22);
        const write = () => {
          while (!response.destroyed && response.write(chunk));
          response.once("drain", write);
        };
        write();
      },
      /too many bytes|did not answer in time/,
    ],
  ])("C2-96 fails in time, and names no credential, after %s", async (_, answer, expected) => {
    const { clickHouse, origin } = await start(answer, { timeoutMs: 500 });
    const text = await message(clickHouse.query(statement));
    expect(text).toMatch(/^ClickHouseError: /);
    expect(text).toMatch(expected);
    expect(text).not.toMatch(new RegExp(`hunter2|reader|${origin}`));
    expect(clickHouse.isUp()).toBe(false);
  });

  test("C2-96 does not ask a server again that has just failed to answer", async () => {
    const { clickHouse, statements, time } = await start((request) => {
      request.socket.destroy();
    });
    await message(clickHouse.query(statement));
    const asked = statements.length;
    expect(await message(clickHouse.query(statement))).toMatch(/a moment ago/);
    expect(statements.length).toBe(asked);
    time.now += 1_000;
    await message(clickHouse.query(statement));
    expect(statements.length).toBe(asked + 1);
  });

  test("C2-96 sends a bounded number of requests at the same time", async () => {
    const open: (() => void)[] = [];
    const { clickHouse } = await start((_, response) => {
      open.push(() => response.end());
    });
    await clickHouse.isModern();
    const results = Array.from({ length: 40 }, () => message(clickHouse.query(statement)));
    await expect.poll(() => open.length).toBe(32);
    const refused = (await Promise.all(results.slice(32))).filter((text) => /too many requests/.test(text));
    expect(refused).toHaveLength(8);
    for (const end of open) end();
    expect(await Promise.all(results.slice(0, 32))).toEqual(Array(32).fill(""));
  });
});
