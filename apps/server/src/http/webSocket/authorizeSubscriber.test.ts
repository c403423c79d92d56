import type { IncomingMessage } from "node:http";
import { SlipwayError } from "@slipway/protocol/errors";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";
import { createAuthorizeSubscriber } from "./authorizeSubscriber.ts";

let database: ReadDatabase;
let read: ReadApp;
beforeAll(async () => {
  database = await startReadDatabase();
  read = await createReadApp(database.db, { WRITE_LIMIT_PER_SECOND: "1", WRITE_LIMIT_BURST: "100" });
});
afterAll(async () => {
  await read?.app.close();
  await database?.stop();
});

const from = (remoteAddress: string) => ({ headers: {}, socket: { remoteAddress } }) as unknown as IncomingMessage;
const getCode = async (work: Promise<unknown>) =>
  await work.then(
    () => "authorized",
    (error: SlipwayError) => error.code,
  );

test("C4-13 credentials refused at a handshake count against the same limit as credentials of requests, and are no longer verified beyond it", async () => {
  let verifications = 0;
  const refused = createAuthorizeSubscriber(read.deps, read.limits, async () => {
    verifications++;
    throw new SlipwayError("unauthorized");
  });
  // A hundred at once, and one more for each second of the test.
  const codes: string[] = [];
  for (let i = 0; i < 400; i++) codes.push(await getCode(refused(from("192.0.2.1"))));
  expect(new Set(codes)).toEqual(new Set(["unauthorized", "rate_limited"]));
  expect(verifications).toBeLessThan(400);

  const good = createAuthorizeSubscriber(read.deps, read.limits, async () => ({
    accountId: "a",
    keyId: "k",
    sessionId: null,
    signedInAt: null,
    expiresAt: null,
    scopes: ["read"] as const,
  }));
  expect(await getCode(good(from("192.0.2.2")))).toBe("authorized");
  const tryGuessedKey = async () => {
    const { statusCode } = await read.app.inject({
      method: "GET",
      url: "/api/v1/launchpad/intents",
      headers: { authorization: "Bearer slip_guessed" },
      remoteAddress: "192.0.2.1",
    });
    return statusCode;
  };
  await expect.poll(tryGuessedKey, { interval: 1 }).toBe(429);
});
