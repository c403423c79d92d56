import { randomUUID } from "node:crypto";
import { bookCredits } from "@slipway/server/accounts/credits";
import { afterAll, beforeAll } from "vitest";
import { unlimited } from "../conformance/unlimited.ts";
import { type ApiServer, type ApiServers, openApiServers } from "../security/openApiServers.ts";

export type ForecastAnswer = { status: number; text: string; body: any; headers: Headers };
export type Owner = { accountId: string; apiKey: string };

export type Forecasts = {
  servers: ApiServers;
  server: ApiServer;
  /** Creates an account with an amount of credits. */
  newOwner(credits: number): Promise<Owner>;
  /** Requests a forecast; a text is sent unchanged. */
  ask(
    owner: Owner,
    body: unknown,
    options?: { key?: string; server?: ApiServer; path?: "line" | "lines" },
  ): Promise<ForecastAnswer>;
  getBalance(owner: Owner): Promise<number>;
  /** The kinds of an account's credit transactions, and the states of its runs, in order. */
  getBookings(owner: Owner): Promise<{ kinds: string[]; states: string[] }>;
  open(): Promise<ApiServer>;
};

/** Hours with a daily season. */
export const createSeries = (length: number, more = 0) =>
  Array.from({ length }, (_, hour) => 100 + 30 * Math.sin((2 * Math.PI * hour) / 24) + (hour % 7) + more);

/** A request that succeeds. */
export const createRequest = (more = 0) => ({
  series: createSeries(200, more),
  prediction_length: 24,
  interval: "HOUR_1",
});

/** A real server that forecasts, for all tests of a file. */
export function useForecasts(): Forecasts {
  const forecasts = {} as Forecasts;
  beforeAll(async () => {
    forecasts.servers = await openApiServers();
    forecasts.server = await forecasts.open();
  });
  afterAll(() => forecasts.servers?.close());
  forecasts.open = () => forecasts.servers.open({ ROLES: "api,worker", ...unlimited });
  forecasts.newOwner = async (credits) => {
    const owner = await forecasts.servers.newKey();
    const grant = { kind: "grant", amount: credits, reason: "test", requestId: randomUUID() } as const;
    if (credits > 0) await bookCredits(forecasts.servers.pool, { accountId: owner.accountId, ...grant });
    return owner;
  };
  forecasts.ask = async (owner, body, { key, server = forecasts.server, path = "line" } = {}) => {
    const response = await fetch(`${server.site}/api/forecast/${path}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${owner.apiKey}`,
        "content-type": "application/json",
        ...(key !== undefined && { "idempotency-key": key }),
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, text, body: JSON.parse(text), headers: response.headers };
  };
  forecasts.getBalance = async ({ accountId }) => {
    const sql = "select balance::float8 as balance from app.credit_balances where account_id = $1";
    return (await forecasts.servers.pool.query(sql, [accountId])).rows[0]?.balance ?? 0;
  };
  forecasts.getBookings = async ({ accountId }) => {
    const { pool } = forecasts.servers;
    const list = async (sql: string) =>
      (await pool.query<{ name: string }>(sql, [accountId])).rows.map(({ name }) => name);
    return {
      kinds: await list("select kind as name from app.credit_ledger where account_id = $1 order by id"),
      states: await list("select state as name from app.forecast_runs where account_id = $1 order by created_at"),
    };
  };
  return forecasts;
}
