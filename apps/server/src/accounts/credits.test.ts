import { randomUUID } from "node:crypto";
import { sessionScopes } from "@slipway/protocol/accounts";
import { SlipwayError } from "@slipway/protocol/errors";
import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ReadDatabase, startReadDatabase } from "../../../../tests/support/server/readDatabase.ts";
import { authorize } from "../http/guard.ts";
import type { GuardedRoute } from "../route.ts";
import { systemClock } from "../systemClock.ts";
import { bookCredits, chargeCredits, getCreditBalance, listLedger, refundCredits } from "./credits.ts";
import { endPlans, startPlan } from "./plans.ts";
import type { Principal } from "./principal.ts";
import { type PaidWork, withCredits } from "./withCredits.ts";

/** Counts as numbers, as the server reads them. */
const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as "text"),
};

let database: ReadDatabase;
/** Without a connection timeout, because the test is about the booking and not about the server's pool. */
let db: pg.Pool;
beforeAll(async () => {
  database = await startReadDatabase();
  db = new pg.Pool({ connectionString: database.url, max: 10, types });
  // A connection that is being closed still reports that the database stops.
  db.on("error", () => undefined);
});
afterAll(async () => {
  await db?.end();
  await database?.stop();
});

async function createAccountWith(credits: number): Promise<string> {
  const accountId = randomUUID();
  await db.query("insert into app.accounts (id, name) values ($1, 'Ada')", [accountId]);
  if (credits > 0) await grant(accountId, credits);
  return accountId;
}
const grant = async (accountId: string, amount: number) =>
  await bookCredits(db, { accountId, kind: "grant", amount, reason: "grant", requestId: randomUUID() });
const charge = async (accountId: string, credits: number, requestId: string = randomUUID()) =>
  await chargeCredits(db, { accountId, credits, reason: "forecast", requestId });
const balance = async (accountId: string) => await getCreditBalance(db, accountId);

describe("the credit ledger", () => {
  it("C9-01 fifty concurrent charges take as many credits as the balance has, which never falls below zero", async () => {
    const accountId = await createAccountWith(7);
    const taken = await Promise.all(Array.from({ length: 50 }, () => charge(accountId, 1)));
    expect(taken.filter(Boolean)).toHaveLength(7);
    expect(await balance(accountId)).toBe(0);
    const rows = await listLedger(db, accountId, { limit: 100 });
    expect(rows).toHaveLength(8);
    expect(rows.reduce((sum, { amount }) => sum + amount, 0)).toBe(0);
    expect(Math.min(...rows.map((row) => row.balance_after!))).toBe(0);
  });

  it("charges a repeated request once", async () => {
    const accountId = await createAccountWith(5);
    const requestId = randomUUID();
    const taken = await Promise.all(Array.from({ length: 10 }, () => charge(accountId, 2, requestId)));
    expect(taken).toEqual(Array.from({ length: 10 }, () => true));
    expect(await balance(accountId)).toBe(3);
  });

  it("refunds a charge once, to the account that was charged, and nothing else", async () => {
    const [accountId, other] = [await createAccountWith(5), await createAccountWith(5)];
    const requestId = randomUUID();
    await charge(accountId, 2, requestId);
    const refund = async (id: string) => await refundCredits(db, id, requestId);
    expect([await refund(other), await refund(accountId), await refund(accountId)]).toEqual([false, true, false]);
    expect([await balance(accountId), await balance(other)]).toEqual([5, 5]);
  });

  it("refunds a charge once when requested concurrently", async () => {
    const accountId = await createAccountWith(5);
    const requestId = randomUUID();
    await charge(accountId, 2, requestId);
    const given = await Promise.all(Array.from({ length: 20 }, () => refundCredits(db, accountId, requestId)));
    expect(given.filter(Boolean)).toHaveLength(1);
    expect(await balance(accountId)).toBe(5);
  });

  it("is append-only for every role", async () => {
    const accountId = await createAccountWith(5);
    for (const sql of [
      "update app.credit_ledger set amount = 100 where account_id = $1",
      "delete from app.credit_ledger where account_id = $1",
      "delete from app.accounts where id = $1",
    ]) {
      await expect(db.query(sql, [accountId])).rejects.toThrow(/append-only/);
    }
    await expect(db.query("truncate app.credit_ledger")).rejects.toThrow(/append-only/);
    expect(await balance(accountId)).toBe(5);
  });

  it("reports an unknown account and does not create one", async () => {
    expect(await grant(randomUUID(), 5)).toEqual({ outcome: "no_account" });
  });
});

describe("the guard of a route", () => {
  const route: GuardedRoute = {
    auth: "bearer",
    schemas: {},
    method: "POST",
    path: "/forecast",
    name: "forecast",
    tag: "Forecast",
    summary: "Forecast",
    plan: "subscriber",
    answers: {},
    errors: [],
    handle: async () => "a forecast",
  };
  const createPrincipal = (accountId: string): Principal => ({
    accountId,
    keyId: "k",
    sessionId: null,
    signedInAt: null,
    expiresAt: null,
    scopes: sessionScopes,
  });
  const deps = () => ({ db: { ...database.db, api: db }, clock: systemClock, log: pino({ level: "silent" }) });
  const getErrorCode = async (work: Promise<unknown>) =>
    await work.then(
      () => null,
      (error: unknown) => (error instanceof SlipwayError ? error.code : String(error)),
    );

  it("refuses an account without the plan that the route declares, and after the plan's end", async () => {
    const accountId = await createAccountWith(0);
    const ask = async () => await getErrorCode(authorize(deps(), route, createPrincipal(accountId)));
    expect(await ask()).toBe("plan_required");
    await startPlan(db, accountId, "another");
    expect(await ask()).toBe("plan_required");
    await startPlan(db, accountId, "subscriber", 30);
    expect(await ask()).toBeNull();
    await endPlans(db, accountId);
    expect(await ask()).toBe("plan_required");
  });

  it("refuses a credential without the scope", async () => {
    const principal = { ...createPrincipal(await createAccountWith(0)), scopes: ["read"] as const };
    expect(await getErrorCode(authorize(deps(), route, principal))).toBe("scope_required");
  });

  it("charges the credits before the work and refunds them when the work fails", async () => {
    const accountId = await createAccountWith(4);
    const record = { begin: async () => undefined, fail: async () => true };
    const run = async (work: () => Promise<unknown>) => {
      const charge = { accountId, credits: 3, reason: "forecast", requestId: randomUUID() };
      return await getErrorCode(withCredits({ api: db, log: deps().log }, charge, record, work));
    };
    expect(await run(async () => expect(await balance(accountId)).toBe(1))).toBeNull();
    expect(await balance(accountId)).toBe(1);
    expect(await run(async () => "unreached")).toBe("insufficient_credits");
    await grant(accountId, 5);
    const failing = async () => {
      throw new SlipwayError("provider_unavailable");
    };
    expect(await run(failing)).toBe("provider_unavailable");
    expect(await balance(accountId)).toBe(6);
    const kinds = (await listLedger(db, accountId, { limit: 2 })).map(({ kind }) => kind);
    expect(kinds).toEqual(["refund", "charge"]);
  });

  it("charges nothing when the work cannot be recorded, and refunds nothing when the failure is already recorded", async () => {
    const accountId = await createAccountWith(4);
    const run = async (record: PaidWork) => {
      const charge = { accountId, credits: 3, reason: "forecast", requestId: randomUUID() };
      return await withCredits({ api: db, log: deps().log }, charge, record, async () => {
        throw new Error("failed");
      });
    };
    const fail = async () => false;
    const begin = async () => {
      throw new Error("taken");
    };
    await expect(run({ begin, fail })).rejects.toThrow("taken");
    expect(await balance(accountId)).toBe(4);
    await expect(run({ begin: async () => undefined, fail })).rejects.toThrow("failed");
    expect(await balance(accountId)).toBe(1);
  });
});
