import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createRandom } from "../support/security/random.ts";
import { getVolume } from "../support/volume.ts";
import { tradedToken, writeLaunch, writeRetraction, writeTrade } from "../support/webhooks/outboxRows.ts";
import { type Behaviour, faults, startFaultyReceiver } from "../support/webhooks/startFaultyReceiver.ts";
import { type Received, sign, useWebhooks, webhookSettings } from "../support/webhooks/useWebhooks.ts";

const workerProgram = fileURLToPath(new URL("../support/webhooks/webhookWorker.ts", import.meta.url));

/** A third of the messages are launches, the others trades; every tenth trade is retracted and included again. */
const messageCount = getVolume(10_000, "WEBHOOK_MESSAGES", 60);
const killCount = getVolume(36, "WEBHOOK_KILLS");

/** A life of a worker has at most so many steps (queries and requests) until it is killed. */
const maxSteps = 90;

/** How much faster the time of the workers runs, so that deadlines, delays and leases are short. */
const speed = 40;

const hooks = useWebhooks();
const getName = ({ message: { type, data } }: Received): string =>
  type === "launch" ? data.symbol : type === "trade" ? data.trade.id : `${type} of ${JSON.stringify(data)}`;

/** Groups the ids of messages by the name of what they announce, in the order of their arrival. */
function groupIds(messages: readonly Received[]): Map<string, string[]> {
  const ids = new Map<string, string[]>();
  for (const message of messages) {
    const known = ids.get(getName(message)) ?? [];
    if (!known.includes(message.id)) ids.set(getName(message), [...known, message.id]);
  }
  return ids;
}

test("C6-37 C6-39 each message arrives at least once, in order and never under another id, although the worker is killed between any two steps and the receiver fails in every way", async () => {
  const random = createRandom(Number(process.env.WEBHOOK_SEED ?? 1));
  // Each fault occurs; later ones become rarer, so that the run ends.
  const pending: Behaviour[] = [...faults, ...faults, "closes midway", "endless body"];
  const receiver = await startFaultyReceiver(() => {
    if (random.below(3) === 0 && pending.length > 0) return pending.splice(random.below(pending.length), 1)[0]!;
    return random.below(100) === 0 ? random.pick(faults) : "accepts";
  });
  const { key } = await hooks.newOwner();
  const launches = await hooks.subscribe(key, { kind: "launches" });
  const trades = await hooks.subscribe(key, { kind: "trades", token: tradedToken });
  for (const [{ id }, path] of [
    [launches, "/launches"],
    [trades, "/trades"],
  ] as const) {
    await hooks.query("update app.webhooks set url = $2 where id = $1", [id, receiver.url(path)]);
  }
  const startMs = Date.now();
  const startWorker = (killAt: number | null): ChildProcess =>
    fork(workerProgram, [], {
      stdio: "inherit",
      env: {
        PATH: process.env.PATH,
        TEST_LOG: process.env.TEST_LOG,
        DATABASE_URL: hooks.database.url,
        AUTH_SECRET: webhookSettings.AUTH_SECRET,
        OUTSIDE_CA: receiver.ca,
        OUTSIDE_PORT: String(receiver.port),
        SPEED: String(speed),
        START_MS: String(startMs),
        ...(killAt !== null && { KILL_AT: String(killAt) }),
      },
    });
  /** Enables the webhooks that an answer of 410 has disabled. */
  const enableAll = async () => {
    for (const { id, status } of await hooks.list(key)) {
      if (status === "disabled") await hooks.send("PATCH", `/api/webhooks/${id}`, { key, body: { status: "enabled" } });
    }
  };

  const { db } = hooks.database;
  const retracted: string[] = [];
  let written = 0;
  const writeSome = async (count: number) => {
    for (const end = Math.min(written + count, messageCount); written < end; ) {
      const n = ++written;
      if (n % 3 === 0) await writeLaunch(db, n);
      else await writeTrade(db, n);
      if (n % 3 === 0 || n % 10 !== 1) continue;
      await writeRetraction(db, { trades: [n] });
      await writeTrade(db, n);
      retracted.push(`0x${n.toString(16).padStart(64, "0")}:1`);
    }
  };
  for (let kill = 0; kill < killCount; kill++) {
    await writeSome(Math.ceil(messageCount / killCount));
    const worker = startWorker(1 + random.below(maxSteps));
    const [, signal] = await once(worker, "exit");
    expect(signal).toBe("SIGKILL");
    await enableAll();
  }
  await writeSome(messageCount);
  const last = startWorker(null);
  const countQueued = async () => {
    await enableAll();
    const [row] = await hooks.query(
      `select (select count(*)::int from app.webhook_deliveries where state = 'queued') as queued,
         (select max(id) from chain.outbox)::float8 - position::float8 as behind from app.webhook_cursor`,
    );
    return [row.queued, row.behind];
  };
  await expect.poll(countQueued, { timeout: 600_000, interval: 200 }).toEqual([0, 0]);
  last.kill("SIGKILL");
  await once(last, "exit");

  const names = Array.from({ length: messageCount }, (_, index) => index + 1);
  const launched = names.filter((n) => n % 3 === 0).map((n) => `T${n}`);
  const traded = names.filter((n) => n % 3 !== 0).map((n) => `0x${n.toString(16).padStart(64, "0")}:1`);
  const accepted = groupIds(receiver.accepted);
  const seen = groupIds(receiver.received);
  // At least once, and in order. A retracted trade arrives at least as its second inclusion.
  const orderOf = (type: string) => [
    ...groupIds(receiver.accepted.filter(({ message }) => message.type === type)).keys(),
  ];
  expect(orderOf("launch")).toEqual(launched);
  expect(new Set(orderOf("trade"))).toEqual(new Set(traded));
  // Never under another id, unless a retraction took the first one back.
  const taken = receiver.accepted.flatMap(({ message }) => (message.type === "retracted" ? message.data.messages : []));
  for (const [name, ids] of seen) {
    const valid = ids.filter((id) => !taken.includes(id));
    expect([name, valid.length]).toEqual([name, 1]);
    if (ids.length > 1) expect(retracted).toContain(name);
    expect(accepted.get(name)).toContain(valid[0]);
  }
  for (const message of receiver.received) {
    const { secret } = message.path === "/launches" ? launches : trades;
    expect(message.headers["webhook-signature"]).toBe(sign(secret, message));
  }
  expect(receiver.trapped()).toBe(0);
  expect(pending).toEqual([]);
  await receiver.close();
}, 900_000);
