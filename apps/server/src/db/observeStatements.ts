import { AsyncLocalStorage } from "node:async_hooks";
import type pg from "pg";
import type { Observer } from "../observer/createObserver.ts";

type Answered = (error: Error | null, result?: { rowCount: number | null }) => void;
type AnyQuery = (...args: unknown[]) => unknown;

/** Reports every statement of a client to the observer, except COPY, which is a stream. */
export function observeStatements(client: pg.ClientBase, pool: string, observer: Observer): void {
  const query = client.query.bind(client) as AnyQuery;
  client.query = ((...args: unknown[]) => {
    const [first] = args;
    const text = typeof first === "string" ? first : (first as { text?: unknown } | null)?.text;
    const isStream = typeof (first as { submit?: unknown } | null)?.submit === "function";
    if (typeof text !== "string" || isStream) return query(...args);
    const end = observer.startStatement(pool, text);
    const callback = args.at(-1);
    if (typeof callback === "function") {
      const answered: Answered = AsyncLocalStorage.bind((error, result) => {
        end(error === null || error === undefined ? (result?.rowCount ?? 0) : null, error ?? null);
        (callback as Answered)(error, result);
      });
      return query(...args.slice(0, -1), answered);
    }
    const result = query(...args) as Promise<{ rowCount: number | null }>;
    return result.then(
      (answer) => {
        end(answer.rowCount ?? 0, null);
        return answer;
      },
      (error: Error) => {
        end(null, error);
        throw error;
      },
    );
  }) as pg.ClientBase["query"];
}

/** Lets the requests of a pool keep their scope: the pool calls back from the request that released the connection. */
export function keepScopes(pool: pg.Pool): void {
  const connect = pool.connect.bind(pool) as AnyQuery;
  pool.connect = ((connected?: (...all: unknown[]) => void) =>
    connected === undefined ? connect() : connect(AsyncLocalStorage.bind(connected))) as pg.Pool["connect"];
}
