import { reorganise } from "@slipway/dev/chain/reorganise";
import { processTopUps } from "@slipway/server/features/gas/processTopUps";
import { type Hex, hexToNumber } from "viem";
import { beforeEach, describe, expect, test } from "vitest";
import { createRandom } from "../support/security/random.ts";
import { startServerProcess } from "../support/security/serverProcess.ts";
import {
  askQuote,
  gasSettings,
  nativeBalance,
  relayerNonce,
  rpc,
  signedTopUp,
  topUp,
  untilSettled,
} from "../support/security/startGasStack.ts";
import type { Server } from "../support/security/startTestStack.ts";
import { useGasStack } from "../support/security/useGasStack.ts";
import { getVolume } from "../support/volume.ts";

const gas = useGasStack();
const killCount = getVolume(6, "RELAYER_KILLS", 2);

type AttemptRow = { nonce: number; hash: Hex; raw: Hex; max_fee: string; priority_fee: string; cancels: boolean };

async function getAttempts(quoteId: string): Promise<AttemptRow[]> {
  const { rows } = await gas.stack.deps.db.read.query<AttemptRow>(
    `select t.nonce, a.hash, a.raw, a.max_fee::text, a.priority_fee::text, a.cancels
     from app.relayer_attempts a join app.relayer_transactions t on t.id = a.transaction_id
     where t.quote_id = $1 order by a.number`,
    [quoteId],
  );
  return rows;
}

/** Checks every used nonce, in order: none twice, none skipped, all mined. */
async function expectContiguousNonces(): Promise<void> {
  const { rows } = await gas.stack.deps.db.read.query<{ nonce: number; state: string }>(
    "select nonce, state from app.relayer_transactions order by nonce",
  );
  expect(rows.map(({ nonce }) => nonce)).toEqual(rows.map((_, index) => rows[0]!.nonce + index));
  expect(rows.filter(({ state }) => state === "sent")).toEqual([]);
  expect(await relayerNonce(gas.stack)).toBe(rows.at(-1)!.nonce + 1);
}

/** Waits until the node has a transaction: a stored transaction is sent slightly later. */
async function untilKnown(hash: Hex): Promise<void> {
  await expect.poll(async () => await rpc(gas.stack, "eth_getTransactionByHash", [hash])).not.toBeNull();
}

async function signedFor(server: Server, gasLimit = 100_000) {
  const person = await gas.newWallet();
  const { body: quote } = await askQuote(server, person, gasLimit);
  return { person, quote, body: await signedTopUp(person, quote) };
}

/** Loses the transactions that a server sends: the process dies before or after the node has them. */
function cutBroadcast(server: Server, when: "before" | "after"): void {
  const { chain } = server.deps;
  const { request } = chain;
  chain.request = async (call) => {
    if (call.method !== "eth_sendRawTransaction") return await request(call);
    if (when === "after") await request(call);
    // The call does not return to the server, because the process is gone.
    throw new Error("the process died here");
  };
}

describe("C7-15", () => {
  beforeEach(async () => {
    await rpc(gas.stack, "evm_setAutomine", [true]);
    await rpc(gas.stack, "evm_mine");
  });

  for (const when of ["before", "after"] as const) {
    test(`C7-15 a relayer that dies ${when} the broadcast is taken over: the same bytes, once`, async () => {
      const { stack } = gas;
      const dying = await stack.openServer(gasSettings);
      const { person, quote, body } = await signedFor(dying);
      cutBroadcast(dying, when);
      const nonce = await relayerNonce(stack);
      const sent = await topUp(dying, body);
      expect(sent.status).toBe(200);
      await dying.close();
      const [stored] = await getAttempts(quote.quote_id);
      expect(stored!.nonce).toBe(nonce);
      const settled = await untilSettled(gas.server, sent.body.hash);
      expect(settled.body).toMatchObject({ status: "confirmed", hash: stored!.hash });
      expect(await relayerNonce(stack)).toBe(nonce + 1);
      expect(await nativeBalance(stack, person.address)).toBe(BigInt(quote.eth_amount));
      expect(await getAttempts(quote.quote_id)).toHaveLength(1);
    });
  }

  test("C7-15 a relayer that dies within the transaction has consumed nothing and taken no nonce", async () => {
    const { stack } = gas;
    const dying = await stack.openServer(gasSettings);
    const { quote, body } = await signedFor(dying);
    // The first id is the request's; the second is drawn after the nonce is taken and before the insert.
    const { uuid } = dying.deps.ids;
    let drawn = 0;
    dying.deps.ids.uuid = () => {
      if (++drawn > 1) throw new Error("the process died here");
      return uuid();
    };
    expect((await topUp(dying, body)).status).toBe(500);
    await dying.close();
    expect(await getAttempts(quote.quote_id)).toHaveLength(0);
    const sent = await topUp(gas.server, body);
    expect(sent.status).toBe(200);
    expect((await untilSettled(gas.server, sent.body.hash)).body.status).toBe("confirmed");
    await expect.poll(async () => await openCount()).toBe(0);
    await expectContiguousNonces();
  });

  test("C7-15 forty top-ups at two relayers at once take forty nonces, none twice, none skipped", async () => {
    const other = await gas.stack.openServer(gasSettings);
    const job = processTopUps(other.deps);
    try {
      const signed = await Promise.all(Array.from({ length: 40 }, () => signedFor(gas.server, 50_000)));
      const answers = [];
      for (let i = 0; i < signed.length; i += 8) {
        const some = signed.slice(i, i + 8);
        answers.push(...(await Promise.all(some.map(({ body }, j) => topUp(j % 2 ? other : gas.server, body)))));
      }
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
      for (const { body } of answers) expect((await untilSettled(gas.server, body.hash)).body.status).toBe("confirmed");
      await expect.poll(async () => await openCount()).toBe(0);
      await expectContiguousNonces();
    } finally {
      await job.stop();
      await other.close();
    }
  });

  test("C7-15 a stuck transaction is replaced a bounded number of times, with higher fees and the same nonce, by two jobs at once", async () => {
    const { stack } = gas;
    const server = await stack.openServer({ ...gasSettings, RELAYER_STUCK_MS: "200", RELAYER_MAX_REPLACEMENTS: "3" });
    const { person, quote, body } = await signedFor(gas.server);
    await rpc(stack, "evm_setAutomine", [false]);
    const sent = await topUp(gas.server, body);
    const jobs = [processTopUps(server.deps), processTopUps(server.deps)];
    try {
      await expect.poll(async () => (await getAttempts(quote.quote_id)).length).toBe(4);
      // Longer than two jobs would need for a fifth.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      const attempts = await getAttempts(quote.quote_id);
      expect(attempts).toHaveLength(4);
      await untilKnown(attempts.at(-1)!.hash);
      expect(new Set(attempts.map(({ nonce }) => nonce)).size).toBe(1);
      for (const [index, attempt] of attempts.entries()) {
        const before = attempts[index - 1];
        if (before === undefined) continue;
        expect(Number(attempt.max_fee) / Number(before.max_fee)).toBeGreaterThanOrEqual(1.1);
        expect(Number(attempt.priority_fee) / Number(before.priority_fee)).toBeGreaterThanOrEqual(1.1);
      }
      const first = attempts[0]!;
      const last = attempts.at(-1)!;
      const early = await server.call("GET", `/gas/topups/${first.hash}`);
      expect(early.body).toEqual({ status: "replaced", hash: last.hash, block_number: null });
      expect((await server.call("GET", `/gas/topups/${last.hash}`)).body.status).toBe("pending");
      await rpc(stack, "evm_mine");
      expect((await untilSettled(server, last.hash)).body.status).toBe("confirmed");
      const late = await server.call("GET", `/gas/topups/${sent.body.hash}`);
      expect(late.body).toMatchObject({ status: "replaced", hash: last.hash });
      expect(await nativeBalance(stack, person.address)).toBe(BigInt(quote.eth_amount));
    } finally {
      await Promise.all(jobs.map((job) => job.stop()));
      await server.close();
    }
  });

  test("C7-15 a transaction that the base fee has outgrown is replaced at the new price", async () => {
    const { stack } = gas;
    const server = await stack.openServer({ ...gasSettings, RELAYER_STUCK_MS: "300" });
    const { person, quote, body } = await signedFor(gas.server);
    await rpc(stack, "evm_setAutomine", [false]);
    const sent = await topUp(gas.server, body);
    expect(sent.status).toBe(200);
    const [first] = await getAttempts(quote.quote_id);
    const spike = BigInt(first!.max_fee) * 3n;
    await rpc(stack, "anvil_setNextBlockBaseFeePerGas", [`0x${spike.toString(16)}`]);
    await rpc(stack, "evm_mine");
    expect(await nativeBalance(stack, person.address)).toBe(0n);
    const job = processTopUps(server.deps);
    try {
      await expect.poll(async () => (await getAttempts(quote.quote_id)).length).toBeGreaterThan(1);
      const last = (await getAttempts(quote.quote_id)).at(-1)!;
      expect(BigInt(last.max_fee)).toBeGreaterThan(spike);
      await rpc(stack, "evm_setAutomine", [true]);
      await rpc(stack, "evm_mine");
      await expect.poll(async () => await openCount()).toBe(0);
      expect(await nativeBalance(stack, person.address)).toBe(BigInt(quote.eth_amount));
    } finally {
      await job.stop();
      await server.close();
      await rpc(stack, "anvil_setNextBlockBaseFeePerGas", ["0x1"]);
      await rpc(stack, "evm_mine");
    }
  });

  test("C7-15 a transaction that is stuck past its deadline is replaced by one that only takes the nonce", async () => {
    const { stack } = gas;
    const server = await stack.openServer({ ...gasSettings, RELAYER_STUCK_MS: "200" });
    const { person, quote, body } = await signedFor(gas.server);
    try {
      // The other job could send it again before the block for which it is too late.
      await gas.pauseJob(async () => {
        await rpc(stack, "evm_setAutomine", [false]);
        const sent = await topUp(gas.server, body);
        expect(sent.status).toBe(200);
        await rpc(stack, "anvil_dropTransaction", [sent.body.hash]);
        await rpc(stack, "evm_increaseTime", [200]);
        await rpc(stack, "evm_mine");
        const job = processTopUps(server.deps);
        try {
          await expect.poll(async () => (await getAttempts(quote.quote_id)).at(-1)?.cancels).toBe(true);
          const last = (await getAttempts(quote.quote_id)).at(-1)!;
          await rpc(stack, "evm_setAutomine", [true]);
          await rpc(stack, "evm_mine");
          await expect.poll(async () => await openCount()).toBe(0);
          const answer = await server.call("GET", `/gas/topups/${sent.body.hash}`);
          expect(answer.body.status).toBe("replaced");
          expect((await server.call("GET", `/gas/topups/${answer.body.hash}`)).body.status).toBe("failed");
          expect(last.nonce).toBe((await relayerNonce(stack)) - 1);
          expect(await nativeBalance(stack, person.address)).toBe(0n);
        } finally {
          await job.stop();
        }
      });
    } finally {
      await server.close();
    }
  });

  test("C7-15 a top-up that a reorganisation undid is sent again", async () => {
    const { stack } = gas;
    const { person, quote, body } = await signedFor(gas.server);
    const sent = await topUp(gas.server, body);
    await untilSettled(gas.server, sent.body.hash);
    await expect.poll(async () => await openCount()).toBe(0);
    // The job would send it again at once.
    await gas.pauseJob(async () => {
      await reorganise(stack.chain.rpcUrl);
      expect(await nativeBalance(stack, person.address)).toBe(0n);
    });
    await expect.poll(async () => await nativeBalance(stack, person.address)).toBe(BigInt(quote.eth_amount));
    expect((await untilSettled(gas.server, sent.body.hash)).body).toMatchObject({
      status: "confirmed",
      hash: sent.body.hash,
    });
    await expect.poll(async () => await openCount()).toBe(0);
    await expectContiguousNonces();
  });

  test("C7-15 kill -9 of the server at random moments: each quote is paid once at the most, and every stored one is", async () => {
    const random = createRandom(715);
    const work: Awaited<ReturnType<typeof signedFor>>[] = [];
    let server = await startServerProcess(gas);
    const outcomes = new Map<number, string>();
    const refusals: string[] = [];
    let kills = 0;
    const askUntilKnown = async (index: number) => {
      const deadline = Date.now() + 60_000;
      while (!outcomes.has(index) && Date.now() < deadline) {
        try {
          const { status, body } = await server.call("POST", "/gas/topup", work[index]!.body);
          if (status === 200) outcomes.set(index, body.hash);
          else if (body.error.code === "quote_consumed") outcomes.set(index, body.error.details.hash);
          else if (status !== 503 && status !== 429) throw new RangeError(`${status} ${JSON.stringify(body)}`);
          else {
            refusals.push(`${status} ${body.error.message}`);
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
        } catch (error) {
          if (error instanceof RangeError) throw error;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
    };
    try {
      for (let from = 0; from < killCount * 6; from += 6) {
        // Signed in waves, because a quote is valid for three minutes and each server takes time to start.
        work.push(...(await Promise.all(Array.from({ length: 6 }, () => signedFor(gas.server, 50_000)))));
        const asking = Array.from({ length: 6 }, (_, i) => askUntilKnown(from + i));
        await new Promise((resolve) => setTimeout(resolve, random.below(120)));
        await server.kill();
        kills++;
        server = await startServerProcess(gas);
        await Promise.all(asking);
      }
      expect(kills).toBe(killCount);
      expect([outcomes.size, outcomes.size === work.length ? [] : refusals.slice(-5)]).toEqual([work.length, []]);
      for (const [index, hash] of outcomes) {
        expect((await untilSettled(gas.server, hash)).body.status).toBe("confirmed");
        const { person, quote } = work[index]!;
        expect(await nativeBalance(gas.stack, person.address)).toBe(BigInt(quote.eth_amount));
        expect(await getAttempts(quote.quote_id)).toHaveLength(1);
      }
      await expect.poll(async () => await openCount()).toBe(0);
      await expectContiguousNonces();
    } finally {
      await server.stop();
    }
  }, 400_000);

  test("C7-15 the nonce that a stored transaction was signed with is the one it is stored under", async () => {
    const { rows } = await gas.stack.deps.db.read.query<{ nonce: number; mined_hash: Hex }>(
      "select nonce, mined_hash from app.relayer_transactions where mined_hash is not null",
    );
    for (const { nonce, mined_hash } of rows) {
      const found = await rpc<{ nonce: Hex } | null>(gas.stack, "eth_getTransactionByHash", [mined_hash]);
      expect(hexToNumber(found!.nonce)).toBe(nonce);
    }
  });
});

async function openCount(): Promise<number> {
  const { rows } = await gas.stack.deps.db.read.query<{ n: number }>(
    "select count(*) as n from app.relayer_transactions where state = 'sent'",
  );
  return rows[0]!.n;
}
