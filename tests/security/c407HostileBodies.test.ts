import { parseConfig } from "@slipway/server/config";
import { type RunningServer, startServer } from "@slipway/server/startServer";
import { systemClock } from "@slipway/server/systemClock";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unlimited } from "../support/conformance/unlimited.ts";
import { calibrateCpuMs, measureCpuMs } from "../support/cpuCalibration.ts";
import { type ApiServers, openApiServers } from "../support/security/openApiServers.ts";
import { openSocket, readAnswers, untilClosed } from "../support/security/rawHttp.ts";

let servers: ApiServers;
let server: RunningServer;
let keys = 0;

beforeAll(async () => {
  servers = await openApiServers();
  // Runs in this process, so that its event loop can be watched.
  server = await startServer({
    config: parseConfig({
      DATABASE_URL: servers.databaseUrl,
      RPC_URL: "http://127.0.0.1:9",
      ROLES: "api",
      PORT: "0",
      ...unlimited,
    }),
    log: pino({ level: "silent" }),
    clock: systemClock,
  });
});
afterAll(async () => {
  await server?.stop();
  await servers?.close();
});

const headers = () => ({
  authorization: `Bearer ${servers.apiKey}`,
  "content-type": "application/json",
  "idempotency-key": `hostile-body-${++keys}`,
});

async function post(body: string | Buffer, path = "/intents"): Promise<{ status: number; code: string | undefined }> {
  const bytes = typeof body === "string" ? body : new Uint8Array(body);
  const url = `${server.url}/api/v1/launchpad${path}`;
  const response = await fetch(url, { method: "POST", headers: headers(), body: bytes });
  const answer = (await response.json()) as { error?: { code: string } };
  return { status: response.status, code: answer.error?.code };
}

const valid = {
  name: "Kite",
  symbol: "KITE",
  description: "A kite.",
  image_uri: "https://example.com/kite.png",
  chain_id: 46630,
  recipients: [{ provider: "wallet", wallet: `0x${"ab".repeat(20)}`, share_bps: 10_000 }],
};
const text = JSON.stringify(valid);
/** The valid body with more members before its end. */
const withMore = (members: string) => `${text.slice(0, -1)},${members}}`;
/** The valid body with another description, as JSON. */
const described = (json: string) => text.replace('"A kite."', json);
const nested = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);

const noJson: Record<string, string | Buffer> = {
  "a name twice": withMore('"name":"Other"'),
  "a name twice, once escaped": withMore('"n\\u0061me":"Other"'),
  "a name twice, further in": text.replace('"share_bps":10000', '"share_bps":10000,"share_bps":10000'),
  "a name twice with one value": withMore('"chain_id":46630'),
  __proto__: withMore('"__proto__":{"isAdmin":true}'),
  "__proto__, escaped": withMore('"__\\u0070roto__":{"isAdmin":true}'),
  "a constructor": withMore('"constructor":{"prototype":{"isAdmin":true}}'),
  "__proto__ further in": text.replace('"provider"', '"__proto__":{},"provider"'),
  "a number out of range": withMore('"fee_bps":1e400'),
  "a negative number out of range": text.replace("46630", "-1e400"),
  "a byte order mark": `\ufeff${text}`,
  "UTF-16": Buffer.from(text, "utf16le"),
  "bytes that are no UTF-8": Buffer.concat([
    Buffer.from(text.slice(0, 10)),
    Buffer.from([0xff, 0xc0, 0x80]),
    Buffer.from(text.slice(10)),
  ]),
  "a surrogate as UTF-8": Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
  "10,000 arrays in each other": withMore(`"deep":${nested(10_000, "[", "]")}`),
  "10,000 objects in each other": nested(10_000, '{"a":', "}").replace(":}", ":1}"),
  "30,000 arrays that never end": "[".repeat(30_000),
  "two values": `${text}${text}`,
  "a comment": `/* */${text}`,
  NaN: withMore('"fee_bps":NaN'),
  "a trailing comma": `${text.slice(0, -1)},}`,
};

describe("C4-07 a body that two readers would understand differently", () => {
  it.each(Object.entries(noJson))("is refused with 400: %s", async (_, body) => {
    expect(await post(body)).toEqual({ status: 400, code: "invalid_json" });
  });

  it("is not every unusual one: escapes, pairs, colons in texts and deep enough are read", async () => {
    for (const json of ['"\\ud83d\\ude80 \\u0041"', '"a: \\"b\\": c\\\\"', '"\\\\\\":"']) {
      expect(await post(described(json)), json).toEqual({ status: 201, code: undefined });
    }
  });
});

describe("C4-07 a body with unknown or wrong parts", () => {
  it.each([
    ["an unknown property", withMore('"surprise":1')],
    ["an unknown property further in", text.replace('"share_bps"', '"surprise":1,"share_bps"')],
    ["a number as text", text.replace("46630", '"46630"')],
    ["a text as number", text.replace('"Kite"', "7")],
    ["a number with a fraction", text.replace("10000", "9999.5")],
    ["a number beyond what is exact", text.replace("46630", "9007199254740993")],
    ["a NUL in a text", described('"a\\u0000b"')],
    ["half a surrogate pair", described('"\\ud800"')],
    ["the other half", described('"x\\udfffx"')],
    ["a pair in the wrong order", described('"\\udc00\\ud800"')],
    ["half a pair in a URL", text.replace("kite.png", "\\ud800.png")],
    ["half a pair in a symbol", text.replace('"KITE"', '"\\ud800"')],
    ["half a pair in a handle", text.replace('"wallet",', '"social","handle":"\\ud800",')],
    ["half a pair as a name", withMore('"\\ud800":1')],
    ["a list in the place of an object", text.replace("[{", "[[{").replace("}]", "}]]")],
    ["30,000 recipients", text.replace(/\[.*\]/, `[${Array.from({ length: 30_000 }, () => 1).join(",")}]`)],
    ["5,000 unknown properties", withMore(Array.from({ length: 5_000 }, (_, n) => `"p${n}":${n}`).join(","))],
  ])("is refused with 422: %s", async (_, body) => {
    expect(await post(body)).toEqual({ status: 422, code: "invalid_fields" });
  });

  it("changes no prototype", () => {
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });
});

describe("C4-07 10 MB", () => {
  const megabytes = Buffer.alloc(10 * 1024 * 1024, "[");

  it("is refused with 413 by its length alone", async () => {
    const { port } = new URL(server.url!);
    const socket = await openSocket(Number(port));
    const answer = untilClosed(socket);
    const lines = Object.entries(headers()).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST /api/v1/launchpad/intents HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join("")}`;
    // No byte of the body is sent: the server does not wait for it.
    socket.write(`${head}Content-Length: ${megabytes.length}\r\n\r\n`);
    const [first] = readAnswers(await answer);
    expect([first?.status, JSON.parse(first!.body).error.code]).toEqual([413, "body_too_large"]);
  });

  it("and more, in chunks without a length, is cut off at the limit", async () => {
    const { port } = new URL(server.url!);
    const socket = await openSocket(Number(port));
    const answer = untilClosed(socket);
    const lines = Object.entries(headers()).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `POST /api/v1/launchpad/intents HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${lines.join("")}`;
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = Buffer.concat([Buffer.from("10000\r\n"), megabytes.subarray(0, 65_536), Buffer.from("\r\n")]);
    let sent = 0;
    // The two kernels buffer a few megabytes.
    for (; sent < 2_000 && socket.writable; sent++) {
      await new Promise<void>((resolve) => socket.write(chunk, () => resolve()));
    }
    expect(sent).toBeLessThan(2_000);
    // A reset may arrive before the answer; if an answer arrived, it must be the right one.
    expect(await answer).toMatch(/^(HTTP\/1\.1 413 .*)?$/s);
  });
});

describe("C4-07 the event loop", () => {
  it("is delayed by the most expensive of them by a bounded multiple of a calibration of this machine", async () => {
    // Bodies of the maximum size, each expensive in another way, one at a time. Every attempt includes the cost of the
    // server but not the pauses of a busy machine, so the best attempt counts.
    const largest = 65_000;
    const expensive = [
      `{"a":${nested((largest - 10) / 2, "[", "]")}}`,
      `{${Array.from({ length: 5_500 }, (_, n) => `"p${n}":${n}`).join(",")}}`,
      `{"a":[${"1,".repeat(largest / 2 - 10)}1]}`,
      `{"a":"${"\\u0041".repeat(largest / 6 - 5)}"}`,
      described(JSON.stringify("\\".repeat(30_000))),
      withMore(`"x":${"9".repeat(60_000)}`),
    ];
    for (const body of expensive) await post(body);
    const calibrationMs = await calibrateCpuMs();
    const ratios: number[] = [];
    for (const body of expensive) {
      const send = async () => {
        for (let n = 0; n < repetitions; n++) await post(body);
      };
      let best = Number.POSITIVE_INFINITY;
      for (let attempt = 0; attempt < 5 && best >= maxRatio; attempt++) {
        best = Math.min(best, (await measureCpuMs(send)) / repetitions / calibrationMs);
      }
      ratios.push(best);
    }
    const list = ratios.map((ratio) => ratio.toFixed(1)).join(", ");
    process.stdout.write(`C4-07: ${list} calibrations of ${calibrationMs.toFixed(2)} ms\n`);
    expect(Math.max(...ratios), list).toBeLessThan(maxRatio);
  });
});

const repetitions = 40;
/**
 * Returns the CPU time of the most expensive body, in calibrations; client and server share the thread. Measured: 6 to
 * 28. Work that grows with the square of a body's length costs a hundred times more.
 */
const maxRatio = 80;
