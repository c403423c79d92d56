import type { IncomingMessage } from "node:http";
import { SlipwayError } from "@slipway/protocol/errors";
import { createAdmitSubscriber } from "./authorizeSubscriber.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createReadApp, type ReadApp } from "../../../../../tests/support/server/readApp.ts";
import { type ReadDatabase, startReadDatabase } from "../../../../../tests/support/server/readDatabase.ts";

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
const codeOf = async (work: Promise<unknown>) =>
  await work.then(
    () => "admitted",
    (error: SlipwayError) => error.code,
  );

test("C4-13 credentials that are refused at a handshake count like those of requests, and are not looked at any more", async () => {
  let looks = 0;
  const refused = createAdmitSubscriber(read.deps, read.limits, async () => {
    looks++;
    throw new SlipwayError("unauthorized");
  });
  // A hundred at once, and one more for each second that it takes.
  const codes: string[] = [];
  for (let i = 0; i < 400; i++) codes.push(await codeOf(refused(from("192.0.2.1"))));
  expect(new Set(codes)).toEqual(new Set(["unauthorized", "rate_limited"]));
  expect(looks).toBeLessThan(400);

  const good = createAdmitSubscriber(read.deps, read.limits, async () => ({
    ...{ accountId: "a", keyId: "k", sessionId: null, scopes: ["read"] as const },
  }));
  expect(await codeOf(good(from("192.0.2.2")))).toBe("admitted");
  const guess = async () => {
    const { statusCode } = await read.app.inject({
      method: "GET",
      url: "/api/v1/launchpad/intents",
      headers: { authorization: "Bearer slip_guessed" },
      remoteAddress: "192.0.2.1",
    });
    return statusCode;
  };
  await expect.poll(guess, { interval: 1 }).toBe(429);
});
