import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import type { Deps } from "../deps.ts";
import { createHotPath } from "./hotPath.ts";
import { liveFeedOf } from "./liveFeedOf.ts";
import { readModelOf } from "./readModelOf.ts";

/**
 * Lets hot answers go past the framework (see `createHotPath`). Call it before routes are registered.
 *
 * @param admit - The rate limit, asked before each answer; see `createHotPath`.
 */
export function mountHotPath(
  app: FastifyInstance,
  deps: Deps,
  admit?: (request: IncomingMessage) => readonly string[] | false,
): void {
  const model = readModelOf(deps);
  const histograms = new Map<string, { observe(seconds: number): void }>();
  // A random id costs a third of a hot answer; one for all of them with a number tells them apart as well.
  const process = deps.ids.uuid();
  let requests = 0;
  const hot = createHotPath({
    peek: (key) => model.peek(key),
    requestId: () => `${process}-${String(++requests).padStart(10, "0")}`,
    now: () => deps.clock.now(),
    admit,
    answered: (route, status, seconds) => {
      const name = `${route} ${status}`;
      let histogram = histograms.get(name);
      if (histogram === undefined) {
        histogram = deps.metrics.httpDuration.labels({ method: "GET", route, status: String(status) });
        histograms.set(name, histogram);
      }
      histogram.observe(seconds);
    },
  });

  let closing = false;
  app.addHook("preClose", async () => {
    closing = true;
    hot.clear();
    // A stream that stays open would keep the server from closing.
    liveFeedOf(deps).end();
  });
  app.addHook("onSend", async (request, reply, payload) => {
    if (request.method !== "GET" || reply.statusCode !== 200 || closing || !Buffer.isBuffer(payload)) return payload;
    const key = model.keyOf(payload);
    if (key !== undefined) {
      const route = request.routeOptions.url ?? "none";
      hot.remember(request.raw.url!, { key, route, headers: reply.getHeaders() as Record<string, string> });
    }
    return payload;
  });

  const handlers = app.server.listeners("request") as ((request: IncomingMessage, response: ServerResponse) => void)[];
  app.server.removeAllListeners("request");
  app.server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!closing && hot.serve(request, response)) return;
    for (const handler of handlers) handler(request, response);
  });
}
