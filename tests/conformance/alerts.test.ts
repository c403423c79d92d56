import { randomUUID } from "node:crypto";
import { findTicket } from "@slipway/dev/mail/readMails";
import { describe, expect } from "vitest";
import { signIn } from "../support/conformance/browser.ts";
import { call, statusCase } from "../support/conformance/statusCase.ts";
import { target } from "../support/conformance/target.ts";
import { newAlert, newKey } from "../support/conformance/validCalls.ts";

const unsubscribe = "POST /api/alerts/unsubscribe/{ticket}";
const open = "GET /api/alerts/unsubscribe/{ticket}";

statusCase("POST /api/alerts/confirm", 422, "refuses a ticket that was made up", async () => {
  const { status, body } = await call("POST /api/alerts/confirm", { body: { ticket: "A".repeat(72) } });
  expect([status, body.error.code, body.error.field]).toEqual([422, "signature_invalid", "ticket"]);
});

for (const operation of [unsubscribe, open]) {
  statusCase(operation, 404, "does not find a ticket that was made up", async () => {
    expect((await call(operation, { path: { ticket: "A".repeat(72) } })).body.error.code).toBe("not_found");
  });
}

describe.skipIf(target.adminKey === null)("an account's alerts", () => {
  /** A new account with the plan, in a browser. */
  const newSubscriber = async () => {
    const { accountId, headers } = await signIn(target.siteUrl);
    const grant = { account_id: accountId, plan: "subscriber" };
    await call("POST /api/admin/plans", { body: grant });
    return headers;
  };
  const create = (headers: Record<string, string>, body = newAlert(), key = newKey()) =>
    call("POST /api/alerts", { key: null, headers: { ...headers, ...key }, body, wants429: true });

  statusCase("POST /api/alerts", [201, 200, 409], "are stored once for each key, twenty at most", async () => {
    const headers = await newSubscriber();
    const [alert, key] = [newAlert(), newKey()];
    const [first, again] = [await create(headers, alert, key), await create(headers, alert, key)];
    expect([first.status, again.status, again.body]).toEqual([201, 200, first.body]);
    const other = await create(headers, newAlert(), key);
    expect([other.status, other.body.error.code]).toEqual([409, "idempotency_key_reused"]);
    for (let n = 1; n < 10; n++) expect((await create(headers, alert)).status).toBe(201);
    const limited = await create(headers, alert);
    expect([limited.status, limited.body.error.code]).toEqual([429, "rate_limited"]);
  });

  statusCase("POST /api/alerts", 403, "need the plan", async () => {
    const { headers } = await signIn(target.siteUrl);
    const { status, body } = await create(headers);
    expect([status, body.error.code]).toEqual([403, "plan_required"]);
  });

  statusCase("GET /api/alerts", 200, "are listed for it alone", async () => {
    const headers = await newSubscriber();
    const { body: created } = await create(headers);
    const { status, body } = await call("GET /api/alerts", { key: null, headers });
    expect([status, body.items.map(({ id }: { id: string }) => id)]).toEqual([200, [created.id]]);
    const others = await call("GET /api/alerts", { key: null, headers: (await signIn(target.siteUrl)).headers });
    expect(others.body.items).toEqual([]);
  });

  statusCase("DELETE /api/alerts/{id}", [200, 404], "are deleted once", async () => {
    const headers = await newSubscriber();
    const { body } = await create(headers);
    const remove = () => call("DELETE /api/alerts/{id}", { key: null, headers, path: { id: body.id } });
    expect((await remove()).body).toEqual({ removed: true });
    expect((await remove()).status).toBe(404);
  });

  statusCase("DELETE /api/alerts/{id}", 400, "are named by a UUID", async () => {
    expect((await call("DELETE /api/alerts/{id}", { path: { id: "x" } })).status).toBe(400);
  });

  describe.skipIf(target.inside === null)("with the mails that the stack takes", () => {
    const untilTicket = async (email: string, page: "confirm" | "unsubscribe") => {
      const find = () => findTicket(target.inside!.mails, email, page);
      await expect.poll(find).not.toBeNull();
      return find()!;
    };

    statusCase("POST /api/alerts/confirm", 200, "are confirmed by the ticket of the mail, also again", async () => {
      const headers = await newSubscriber();
      const email = `confirm-${randomUUID()}@example.com`;
      await create(headers, { ...newAlert(), email });
      const ticket = await untilTicket(email, "confirm");
      for (let n = 0; n < 2; n++) {
        expect((await call("POST /api/alerts/confirm", { body: { ticket } })).body).toEqual({ confirmed: true });
      }
      const listed = await call("GET /api/alerts", { key: null, headers });
      expect(listed.body.items).toMatchObject([{ email, status: "pending" }]);
    });

    const end = async (operation: typeof unsubscribe | typeof open) => {
      const headers = await newSubscriber();
      const email = `end-${randomUUID()}@example.com`;
      await create(headers, { ...newAlert(), email });
      const ticket = await untilTicket(email, "unsubscribe");
      const answer = await call(operation, { path: { ticket } });
      const { body } = await call("GET /api/alerts", { key: null, headers });
      return { answer, ticket, left: body.items.length };
    };

    statusCase(unsubscribe, 200, "end with the ticket of the mail", async () => {
      const { answer, left } = await end(unsubscribe);
      expect([answer.body, left]).toEqual([{ unsubscribed: true }, 0]);
    });

    statusCase(open, 303, "do not end when the link is opened", async () => {
      const { answer, ticket, left } = await end(open);
      expect([answer.headers.get("location"), left]).toEqual([`/alerts/unsubscribe#${ticket}`, 1]);
    });
  });
});
