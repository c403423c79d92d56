import { AsyncLocalStorage } from "node:async_hooks";
import type { Logger } from "pino";
import { removeValues } from "./removeValues.ts";

export type Attributes = Record<string, string | number>;

/** An operation of a trace. Attributes contain no secret, no key and no value of a request or statement. */
export type Operation = { kind: "server" | "client" | "internal"; name: string; attributes?: Attributes };

/** `failure`: a code, never a message, which could contain values; null after a success. */
export type Outcome = { name?: string; attributes?: Attributes; failure: string | null };

export type Span = { end(outcome: Outcome): void };

/** Writes spans. See openTelemetry.ts. */
export type Spans = { start(operation: Operation, parent: Span | null): Span; stop(): Promise<void> };

/** A request or job in progress. */
type Scope = { requestId: string | null; span: Span | null };

/** Ends a statement of the database; `rows` is null for an error. */
export type EndStatement = (rows: number | null, error: Error | null) => void;

export type Observer = ReturnType<typeof createObserver>;

const getFailure = (error: unknown) => {
  const { code, kind, name } = error as { code?: unknown; kind?: unknown; name?: unknown };
  return String(code ?? kind ?? name ?? "unknown");
};

/**
 * Creates the observer of a process: it measures requests, jobs, statements and RPC calls, and writes them as spans of
 * traces, and slow statements as log events. A trace starts with a request or a job; work outside of both has no span.
 *
 * @param options.spans - Null without traces.
 * @param options.slowQueryMs - 0 logs no statement.
 */
export function createObserver(options: {
  spans: Spans | null;
  slowQueryMs: number;
  log: Pick<Logger, "warn">;
  nowMs: () => number;
}) {
  const { spans, slowQueryMs, log, nowMs } = options;
  const scopes = new AsyncLocalStorage<Scope>();

  const run = async <T>(span: Span | null, work: () => Promise<T>): Promise<T> => {
    try {
      const result = await scopes.run({ requestId: scopes.getStore()?.requestId ?? null, span }, work);
      span?.end({ failure: null });
      return result;
    } catch (error) {
      span?.end({ failure: getFailure(error) });
      throw error;
    }
  };

  return {
    /** Starts a request. `run` runs `next`, and all that follows from it, as the request. */
    startRequest({ id, method }: { id: string; method: string }) {
      const attributes = { "http.request.method": method, "slipway.request_id": id };
      const span = spans?.start({ kind: "server", name: method, attributes }, null) ?? null;
      return {
        run: (next: () => void) => scopes.run({ requestId: id, span }, next),
        end: (route: string, status: number) =>
          span?.end({
            name: `${method} ${route}`,
            attributes: { "http.route": route, "http.response.status_code": status },
            failure: status >= 500 ? String(status) : null,
          }),
      };
    },

    /** Runs work as a trace of its own. */
    async trace<T>(operation: Operation, work: () => Promise<T>): Promise<T> {
      return await run(spans?.start(operation, null) ?? null, work);
    },

    /** Runs work as a part of the current request or job. */
    async measure<T>(operation: Operation, work: () => Promise<T>): Promise<T> {
      const parent = scopes.getStore()?.span ?? null;
      if (parent === null) return await work();
      return await run(spans!.start(operation, parent), work);
    },

    /** Starts a statement of the database. */
    startStatement(pool: string, text: string): EndStatement {
      const { span: parent = null, requestId = null } = scopes.getStore() ?? {};
      const startedAt = nowMs();
      const verb = /^\s*(\w+)/.exec(text)?.[1]?.toLowerCase() ?? "statement";
      const attributes = () => ({
        "db.system.name": "postgresql",
        "db.operation.name": verb,
        "db.query.text": removeValues(text),
        "slipway.pool": pool,
      });
      const span = parent && spans!.start({ kind: "client", name: `sql ${verb}`, attributes: attributes() }, parent);
      return (rows, error) => {
        const failure = error === null ? null : getFailure(error);
        span?.end({ failure, ...(rows !== null && { attributes: { "db.response.returned_rows": rows } }) });
        const durationMs = nowMs() - startedAt;
        if (slowQueryMs === 0 || durationMs < slowQueryMs) return;
        const fields = { pool, durationMs: Math.round(durationMs), rows, requestId, statement: removeValues(text) };
        log.warn(failure === null ? fields : { ...fields, code: failure }, "slow query");
      };
    },

    /** Writes the spans that are not yet sent. */
    stop: async () => await spans?.stop(),
  };
}
