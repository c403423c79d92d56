import type { IncomingMessage, ServerResponse } from "node:http";
import type { Database } from "@slipway/server/db/database";
import { readListingFeeds } from "@slipway/server/features/businesses/readListingFeeds";
import type { Job } from "@slipway/server/job";
import { isPublicTarget } from "@slipway/server/providers/untrustedFetch/addressPolicy";
import { createUntrustedFetch } from "@slipway/server/providers/untrustedFetch/untrustedFetch";
import { systemClock } from "@slipway/server/systemClock";
import { afterAll, afterEach, beforeAll } from "vitest";
import { startUntrustedServer, type UntrustedServer } from "../security/untrustedServer.ts";
import { createReadApp, type ReadApp } from "../server/readApp.ts";

/** 127.0.0.2 acts as the public internet. */
export const outside = "127.0.0.2";

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A real https server of a partner, and the job that reads its feed. */
export function usePartner() {
  const partner = {
    server: undefined as unknown as UntrustedServer,
    read: undefined as unknown as ReadApp,
    answer: ((_request, response) => response.writeHead(404).end()) as Answer,
    requests: 0,

    /** The fetcher with the real rules, except for the address that acts as the internet. */
    createFetch: (resolve: (name: string) => Promise<string[]> = async () => [outside]) =>
      createUntrustedFetch({
        clock: systemClock,
        ca: partner.server.ca,
        resolve,
        addressPolicy: (target) =>
          (target.address === outside && target.port === partner.server.port) || isPublicTarget(target),
      }),

    /** Starts the job with this partner as source A, and with its other feeds. */
    start: async (
      db: Database,
      settings: Record<string, string> = {},
      resolve?: (name: string) => Promise<string[]>,
      options?: Parameters<typeof readListingFeeds>[2],
    ) => {
      partner.read = await createReadApp(db, {
        PARTNER_A_URL: partner.server.url("/feed"),
        PARTNER_POLL_MS: "20",
        ...settings,
      });
      jobs.push(readListingFeeds(partner.read.deps, partner.createFetch(resolve), options));
    },

    sendJson: (body: unknown) => {
      partner.answer = (_request, response) =>
        void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
    },

    getDirectory: async (): Promise<any> => (await partner.read.get("/directory")).json,
  };
  const jobs: Job[] = [];
  beforeAll(async () => {
    partner.server = await startUntrustedServer((request, response) => {
      partner.requests++;
      partner.answer(request, response);
    }, outside);
  });
  afterEach(async () => {
    for (const job of jobs.splice(0)) await job.stop();
    await partner.read?.app.close();
  });
  afterAll(() => partner.server?.close());
  return partner;
}
