import type { IncomingMessage, ServerResponse } from "node:http";
import { startReadModel } from "@slipway/server/cache/startReadModel";
import type { Deps } from "@slipway/server/deps";
import { fetchTokenManifests } from "@slipway/server/features/tokens/fetchTokenManifests";
import { createUntrustedFetch } from "@slipway/server/providers/untrustedFetch/untrustedFetch";
import type { Hex } from "viem";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, vi } from "vitest";
import { buildTestApp } from "../buildTestApp.ts";
import { wallets } from "../security/actors.ts";
import { deploySplitter, launchedToken, sendLaunch } from "../security/launchDirectly.ts";
import { type Server, startTestStack, type TestStack } from "../security/startTestStack.ts";
import { startUntrustedServer, type UntrustedServer } from "../security/untrustedServer.ts";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The maximum time for a quick event on a busy machine. */
export const soon = { timeout: 60_000, interval: 20 };

/** Sends JSON; a text is sent unchanged. */
export const json = (value: unknown, headers: Record<string, string> = {}): Handler => {
  const body = typeof value === "string" ? value : JSON.stringify(value);
  return (_request, response) => response.writeHead(200, { "content-type": "application/json", ...headers }).end(body);
};

export const document = {
  name: "Somebody Else",
  symbol: "ELSE",
  description: "A boat of tin.",
  image: "https://images.example/boat.png",
  external_link: "https://boat.example/",
  collaborators: ["0x0000000000000000000000000000000000000001"],
};

/**
 * For a test file: a chain, an index, an API that follows the index, and a real external https server with the
 * documents of launches. Every test begins without a page on that server.
 */
export function useManifestService() {
  const creator = wallets[0]!;
  const pages = new Map<string, Handler>();
  const seen: IncomingMessage[] = [];
  let stack: TestStack;
  let splitter: Hex;
  let outside: UntrustedServer;
  let server: Server;
  let withoutGateway: Server;
  let app: Awaited<ReturnType<typeof buildTestApp>>["app"];
  let follower: { stop(): Promise<void> };

  beforeAll(async () => {
    stack = await startTestStack();
    outside = await startUntrustedServer((request, response) => {
      seen.push(request);
      const page = pages.get(request.url!);
      if (page) page(request, response);
      else response.writeHead(404).end();
    });
    splitter = await deploySplitter(stack, creator);
    withoutGateway = await stack.openServer({ TOKEN_MANIFEST_POLL_MS: "20" });
    server = await stack.openServer({ TOKEN_MANIFEST_POLL_MS: "20", IPFS_GATEWAY_URL: outside.url("/gateway/") });
    follower = startReadModel(server.deps);
    ({ app } = await buildTestApp(server.deps));
  });
  afterAll(async () => {
    await follower?.stop();
    await app?.close();
    await server?.close();
    await withoutGateway?.close();
    await outside?.close();
    await stack?.close();
  });
  beforeEach(() => {
    pages.clear();
    seen.length = 0;
  });

  const get = async (path: string) => {
    const answer = await app.inject({ method: "GET", url: `/api/v1/launchpad${path}` });
    return { status: answer.statusCode, etag: answer.headers.etag as string, body: answer.json() };
  };

  return {
    /** The outside server's answers by path, and the requests that it received. */
    pages,
    seen,
    requestsTo: (path: string) => seen.filter((request) => request.url === path).length,
    outsideUrl: (path: string) => outside.url(path),
    outsidePort: () => outside.port,
    /** The settings of the processes: with an ipfs gateway, and without. */
    deps: () => server.deps,
    depsWithoutGateway: () => withoutGateway.deps,
    /** Sends a request to the API. */
    get,

    /** Launches directly at the factory. @returns the token in lower case, once the API shows it. */
    launch: async (contractURI: string, name = "Direct Boat"): Promise<string> => {
      const token = launchedToken(await sendLaunch(stack, creator, splitter, { name, contractURI }));
      await vi.waitFor(async () => expect((await get(`/tokens/${token}`)).status).toBe(200), soon);
      return token.toLowerCase();
    },

    /** The worker's job with the real fetcher, which accepts only the outside server's address as public. */
    startJob: (deps: Deps = server.deps) => {
      const untrustedFetch = createUntrustedFetch({
        clock: deps.clock,
        ca: outside.ca,
        resolve: async () => ["127.0.0.2"],
        addressPolicy: ({ address, port }) => address === "127.0.0.2" && port === outside.port,
      });
      const job = fetchTokenManifests(deps, untrustedFetch);
      let stopped: Promise<void> | null = null;
      const stop = () => {
        stopped ??= job.stop();
        return stopped;
      };
      onTestFinished(stop);
      return { stop };
    },

    /** Returns a token's row of the cache; null if there is none. */
    row: async (token: string) => {
      const { rows } = await stack.deps.db.api.query("select * from app.token_manifests where token = $1", [token]);
      return rows[0] ?? null;
    },
    makeDue: (token: string) =>
      stack.deps.db.api.query("update app.token_manifests set next_at = now() where token = $1", [token]),
  };
}

export const getCodes = (body: any): string[] => body.warnings.map((warning: any) => warning.code);
