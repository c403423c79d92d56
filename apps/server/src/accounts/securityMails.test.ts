import { randomBytes, randomUUID } from "node:crypto";
import type { AccountEventKind } from "@slipway/protocol/accounts";
import { describe, expect, test } from "vitest";
import { useAlerts } from "../../../../tests/support/mail/useAlerts.ts";
import { recordAccountEvent } from "./accountEvents.ts";
import { insertApiKey, revokeApiKey } from "./apiKeys.ts";
import { deleteAccount } from "./deleteAccount.ts";
import { linkWallet, recordAddress, unlinkConnection } from "./identities.ts";
import { endSessions } from "./sessions.ts";

const alerts = useAlerts();

/** An account with a wallet and an identity whose provider has verified an address. */
async function openAccount(address: string | null = "ada@example.com") {
  const { id, key } = await alerts.newOwner();
  const { api } = alerts.database.db;
  const wallet = { id: randomUUID(), identityId: randomUUID(), accountId: id, chainId: 1 };
  const hex = randomUUID().replaceAll("-", "");
  await linkWallet(api, { ...wallet, address: `0x${hex}${hex.slice(0, 8)}` });
  await api.query(
    "insert into app.identities (id, user_id, provider_id, account_id) values ($1, $2, 'code_host', $3)",
    [randomUUID(), id, `id-${id}`],
  );
  await recordAddress(api, { provider: "code_host", id: `id-${id}`, address });
  return { id, key };
}
const readMails = async () =>
  (await alerts.query(
    "select content ->> 'event' as event, address, state, account_id from app.mail order by created_at, id",
  )) as any[];
const readEvents = async () => (await readMails()).map(({ event }) => event as string);
const pool = () => alerts.database.db.api;

describe("mails about the security of an account", () => {
  test("are queued with each event that changes who can use the account, and with no other", async () => {
    const { id } = await openAccount();
    const keyId = randomUUID();
    await insertApiKey(pool(), {
      keyId,
      accountId: id,
      name: "<b>bot</b>",
      hash: randomBytes(32),
      prefix: "sk_1",
      createdBy: null,
    });
    await revokeApiKey(pool(), keyId, id);
    await endSessions(pool(), id);
    for (const kind of ["plan_changed", "draft_deleted"] as AccountEventKind[])
      await recordAccountEvent(pool(), id, kind);
    await unlinkConnection(pool(), id, "code_host");
    expect((await readEvents()).toSorted((a, b) => a.localeCompare(b))).toEqual([
      "connection_unlinked",
      "key_created",
      "key_revoked",
      "signed_out_everywhere",
    ]);
    // The address was deleted with the link.
    await endSessions(pool(), id);
    expect(await readEvents()).toHaveLength(4);
  });

  test("contain the event, its time and the page to visit, and no details", async () => {
    const { id } = await openAccount();
    await recordAccountEvent(pool(), id, "key_created", { name: "<b>bot</b>", key_id: "secret-detail" });
    alerts.startSending();
    await alerts.untilReceived(1);
    const { to, subject, raw } = alerts.smtp.received[0]!;
    expect([to, subject]).toEqual(["ada@example.com", "Your account was changed"]);
    expect(raw).toMatch(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ: An API key was created\./);
    expect(raw).toContain("https://slipway.example");
    expect(raw).not.toMatch(/bot|secret-detail|unsubscribe/i);
  });

  test("are not queued for an account without a verified address, whose event stays the same", async () => {
    const { id } = await openAccount(null);
    await endSessions(pool(), id);
    expect(await readMails()).toEqual([]);
    expect(await alerts.query("select from app.account_events where kind = 'signed_out_everywhere'")).toHaveLength(1);
  });

  test("go to an address once, even if two providers have verified it", async () => {
    const { id } = await openAccount();
    await pool().query(
      "insert into app.identities (id, user_id, provider_id, account_id) values ($1, $2, 'social', 's')",
      [randomUUID(), id],
    );
    await recordAddress(pool(), { provider: "social", id: "s", address: "Ada@example.com" });
    await endSessions(pool(), id);
    expect(await readEvents()).toEqual(["signed_out_everywhere"]);
  });

  test("C9-43 do not fill a mailbox: an address gets fifty a day, and further events are still recorded", async () => {
    const { id } = await openAccount();
    for (let n = 0; n < 60; n++) await endSessions(pool(), id);
    expect(await readEvents()).toHaveLength(50);
    expect(await alerts.query("select from app.account_events where kind = 'signed_out_everywhere'")).toHaveLength(60);
  });

  test("report the deletion of the account, after which no mail names it", async () => {
    const { id, key } = await openAccount();
    await alerts.set(key, { email: "bob@example.com" });
    await endSessions(pool(), id);
    expect(await deleteAccount(pool(), id)).toBe(true);
    expect(
      (await readMails()).map(({ event, address, state, account_id }) => [event, address, state, account_id]),
    ).toEqual(
      expect.arrayContaining([
        [null, null, "cancelled", null],
        [null, null, "cancelled", null],
        ["account_deleted", "ada@example.com", "queued", null],
      ]),
    );
    alerts.startSending();
    await alerts.untilReceived(1);
    expect(alerts.smtp.received[0]!.raw).toContain("The account was deleted.");
    expect(await alerts.query("select from app.mail where strpos(row_to_json(mail)::text, $1) > 0", [id])).toEqual([]);
  });

  test("C9-43 an event is recorded even if the mail server does not respond", async () => {
    await alerts.smtp.away();
    const { id } = await openAccount();
    alerts.startSending();
    await endSessions(pool(), id);
    expect(await alerts.query("select from app.account_events where kind = 'signed_out_everywhere'")).toHaveLength(1);
  });
});
