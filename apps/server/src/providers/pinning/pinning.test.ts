import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type PinningFault,
  type PinningServer,
  startPinning,
} from "../../../../../tests/support/images/startPinning.ts";
import { computeCid } from "../../compute/computeCid.ts";
import { parseConfig } from "../../config.ts";
import { systemClock } from "../../systemClock.ts";
import { createPinning } from "./createPinning.ts";
import type { PinningErrorCode } from "./pinningService.ts";

let server: PinningServer;
beforeAll(async () => {
  server = await startPinning();
});
afterAll(() => server?.stop());
beforeEach(() => {
  Object.assign(server, { fault: null, pinned: [], seen: [], requests: [] });
  server.tokens.clear();
});

const minimum = { DATABASE_URL: "postgres://unused", RPC_URL: "http://127.0.0.1:1" };
const open = (provider: string, more: Record<string, string> = {}) =>
  createPinning({
    config: parseConfig({
      ...minimum,
      PINNING_PROVIDER: provider,
      PINNING_URL: `${server.url}/`,
      PINNING_TOKEN: "planted-token",
      ...more,
    }),
    clock: systemClock,
  })!;

const createPicture = async (length = 5_000) => {
  const bytes = randomBytes(length);
  return { cid: await computeCid(bytes), name: "picture.webp", bytes };
};
/** Pins a picture. Returns the error's code, or `pinned`. */
const pin = async (provider: string, picture: Awaited<ReturnType<typeof createPicture>>, timeoutMs = 20_000) =>
  await open(provider)
    .pin(picture, AbortSignal.timeout(timeoutMs))
    .then(
      () => "pinned" as const,
      (error: { code: PinningErrorCode }) => error.code,
    );

const chunk = 256 * 1024;
/** Files of up to this number of chunks have one node above their leaves; larger files have two levels. */
const maxLinks = 174;

describe("a CID", () => {
  const lengths = [0, 1, chunk - 1, chunk, chunk + 1, 4 * chunk - 1, 4 * chunk, 4 * chunk + 1, 9_000_000];
  it.each([...lengths, maxLinks * chunk, maxLinks * chunk + 1])(
    "of %s bytes equals the CID under which Helia stores and reads them",
    async (length) => {
      const bytes = randomBytes(length);
      const cid = await computeCid(bytes);
      expect(await server.node.add(bytes)).toBe(cid);
      const read = await server.node.read(cid);
      expect(read !== null && bytes.equals(read)).toBe(true);
    },
  );

  it("of one chunk is its SHA-256 as a raw block", async () => {
    const bytes = randomBytes(2_000);
    const multihash = Buffer.concat([Buffer.from([1, 0x55, 0x12, 0x20]), createHash("sha256").update(bytes).digest()]);
    let bits = "";
    for (const byte of multihash) bits += byte.toString(2).padStart(8, "0");
    const digits = bits
      .match(/.{1,5}/g)!
      .map((five) => "abcdefghijklmnopqrstuvwxyz234567"[parseInt(five.padEnd(5, "0"), 2)]);
    expect(await computeCid(bytes)).toBe(`b${digits.join("")}`);
  });
});

describe.each(["kubo", "psa", "pinata"])("%s", (provider) => {
  it("pins a picture of one chunk and of many under the CID of `computeCid`, with its token", async () => {
    for (const length of [5_000, 1_500_000]) {
      const picture = await createPicture(length);
      expect(await pin(provider, picture)).toBe("pinned");
      expect(server.pinned.at(-1)).toBe(picture.cid);
      const stored = await server.node.read(picture.cid);
      // A service of the Pinning Service API receives no picture: it fetches the CID from IPFS.
      expect(stored && picture.bytes.equals(stored)).toBe(provider === "psa" ? null : true);
    }
    expect([...server.tokens]).toEqual(["Bearer planted-token"]);
  });

  const faults: [PinningFault, PinningErrorCode][] = [
    [400, "pinning_refused"],
    [401, "pinning_refused"],
    [402, "pinning_refused"],
    [413, "pinning_refused"],
    [429, "pinning_unavailable"],
    [500, "pinning_unavailable"],
    [503, "pinning_unavailable"],
    ["reset", "pinning_unavailable"],
    ["redirect", "pinning_unavailable"],
    ["other cid", "pinning_mismatch"],
    ["HTML", "pinning_bad_answer"],
    ["no JSON", "pinning_bad_answer"],
    ["other JSON", "pinning_bad_answer"],
    ["endless", "pinning_bad_answer"],
  ];
  it.each(faults)("C5-09 fails with a code if the service responds %s", async (fault, code) => {
    server.fault = fault;
    expect(await pin(provider, await createPicture())).toBe(code);
    expect(server.seen).not.toContain("GET /elsewhere");
  });

  it("C5-09 fails at the deadline if the service does not respond", async () => {
    server.fault = "hang";
    expect(await pin(provider, await createPicture(), 300)).toBe("pinning_unavailable");
  });
});

describe("the IPFS Pinning Service API", () => {
  it("C5-09 is pending at the deadline, and the next attempt finds the same request", async () => {
    const picture = await createPicture();
    server.fault = "never pinned";
    expect(await pin("psa", picture, 1_500)).toBe("pinning_pending");
    await sleep(1);
    expect(server.requests).toEqual([{ cid: picture.cid, name: "picture.webp" }]);
    server.fault = null;
    expect(await pin("psa", picture)).toBe("pinned");
    expect(server.requests).toHaveLength(1);
  });

  it("C5-09 is refused if the service cannot fetch the picture", async () => {
    server.fault = "failed";
    expect(await pin("psa", await createPicture())).toBe("pinning_refused");
  });

  it("names the nodes that have the picture", async () => {
    const origin = "/dns4/node.example/tcp/4001/p2p/12D3KooWA";
    await open("psa", { PINNING_ORIGINS: origin }).pin(await createPicture(), AbortSignal.timeout(20_000));
    expect(server.requests[0]).toMatchObject({ origins: [origin] });
  });
});
