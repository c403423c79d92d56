import { once } from "node:events";
import { expect, test } from "vitest";
import { paymentEnvironment } from "../support/payments/paymentEnvironment.ts";
import { usePayments } from "../support/payments/usePayments.ts";
import { createRandom } from "../support/security/random.ts";
import { startServerProcess } from "../support/security/serverProcess.ts";
import { rpc, tokenBalance } from "../support/security/startGasStack.ts";
import { getVolume } from "../support/volume.ts";

const lives = getVolume(24, "PAYMENT_KILLS", 8);
/** The most statements and requests of a life until it is killed: the jobs take some of them. */
const maxSteps = 200;

const payments = usePayments();
const { gas, offer, sign } = payments;

test("C11-11 kill -9 before any statement or request: each payment is booked exactly once, or its money is untouched", async () => {
  const random = createRandom(Number(process.env.PAYMENT_SEED ?? 1111));
  const made: { person: { address: string }; payment: object; id: string | null }[] = [];
  // Only the processes that are killed end payments.
  await payments.pauseJob(async () => {
    await gas.pauseJob(async () => {
      for (let life = 0; life < lives; life++) {
        const server = await startServerProcess(gas, paymentEnvironment, "killAtStep");
        const ended = once(server.child, "exit");
        const person = await gas.newWallet();
        const payment = await sign(person, await offer());
        server.child.send(1 + random.below(maxSteps));
        const made1: (typeof made)[number] = { person, payment, id: null };
        made.push(made1);
        const send = async () => {
          // The client repeats the request as long as it has no answer.
          while (server.child.signalCode === null) {
            const answer = await server.call("POST", "/api/account/payments", { payment }).catch(() => null);
            if (answer !== null && answer.status < 300) made1.id = answer.body.id;
            if (made1.id !== null) return;
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
        };
        await send();
        // The jobs go on, and the payments of earlier lives become final: the kill can also hit a booking.
        await payments.makeFinal();
        await ended;
        expect(server.child.signalCode).toBe("SIGKILL");
      }
    });
  });

  // Half of the clients that got no answer repeat their request; the others give up.
  const unanswered = made.filter(({ id }) => id === null);
  for (const [index, lost] of unanswered.entries()) {
    if (index % 2 === 1) continue;
    const { status, body } = await payments.pay({ payment: lost.payment });
    expect([200, 201]).toContain(status);
    lost.id = body.id;
  }
  const countPending = async () =>
    (await payments.query("select count(*) as n from app.payments where state = 'pending'"))[0].n;
  const untilNone = async () => {
    await rpc(gas.stack, "evm_mine");
    const open = await payments.query("select count(*) as n from app.relayer_transactions where state = 'sent'");
    if (open[0].n === 0) await payments.makeFinal();
    return await countPending();
  };
  await expect.poll(untilNone, { timeout: 90_000, interval: 250 }).toBe(0);

  const rows = await payments.query(
    `select lower(p.payer) as payer, p.id, p.state,
       (select count(*) from app.relayer_transactions t where t.payment_id = p.id) as transactions from app.payments p`,
  );
  for (const { person, id } of made) {
    const own = rows.filter(({ payer }) => payer === person.address.toLowerCase());
    const balance = await tokenBalance(gas.stack, person.address);
    const outcome = own.map(({ state, transactions }) => [state, transactions]);
    if (own.length === 0) expect([id, balance]).toEqual([null, 100_000_000n]);
    else expect([outcome, balance]).toEqual([[["booked", 1]], 99_000_000n]);
    if (id !== null) expect(own.map((row) => row.id)).toEqual([id]);
  }
  const { credits, bookings } = await payments.totals();
  expect([credits, bookings]).toEqual([rows.length * 100, rows.length]);
}, 400_000);
