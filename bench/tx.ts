import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import { launchToken, randomSalt, sendWithViem, trade, wallets, wrap } from "../tests/support/security/actors.ts";
import { startTestStack, type TestStack } from "../tests/support/security/startTestStack.ts";
import { percentile } from "./percentile.ts";

/** `npm run bench:tx`: time to an unsigned transaction, beside the bare simulation of the same transaction. */

const warmUps = 20;
const rounds = 200;
const oneEther = 10n ** 18n;

type Probe = { name: string; method: "GET" | "POST"; path: string; body?: unknown };
type Answer = { status: number; body: { transaction?: { from: string; to?: string; data: string; value: string } } };

/** A stack with a launched token that was traded, so that each endpoint has something to prepare. */
async function prepareProbes(stack: TestStack): Promise<Probe[]> {
  const [creator, trader] = wallets;
  if (!creator || !trader) throw new Error("the local chain has too few wallets");
  const { intentId, splitter, token } = await launchToken(stack, creator);
  await wrap(stack, trader, 10n * oneEther);
  await trade(stack, trader, { token, side: "buy", amount_in: oneEther.toString() });
  const sell = { token, wallet: trader.address, side: "sell", amount_in: oneEther.toString(), slippage_bps: 100 };
  await sendWithViem(stack, await stack.call("POST", "/trade/transactions", sell), trader);
  const launch = { intent_id: intentId, wallet: creator.address, splitter, salt: randomSalt() };
  return [
    { name: "splitter", method: "POST", path: "/splits/transactions", body: pick(launch, "intent_id", "wallet") },
    { name: "launch", method: "POST", path: "/launch/transactions", body: launch },
    { name: "quote", method: "POST", path: "/trade/quote", body: sell },
    { name: "swap", method: "POST", path: "/trade/transactions", body: sell },
    {
      name: "collect",
      method: "POST",
      path: "/fees/claim-transactions",
      body: { token, wallet: trader.address, stage: "collect" },
    },
    { name: "positions", method: "GET", path: `/fees/positions?token=${token}&wallet=${creator.address}` },
  ];
}

function pick<T extends object, K extends keyof T>(value: T, ...keys: K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, value[key]])) as Pick<T, K>;
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

async function measure(stack: TestStack, probe: Probe): Promise<Record<string, string>> {
  const call = async () => (await stack.call(probe.method, probe.path, probe.body)) as Answer;
  let answer = await call();
  if (answer.status !== 200) throw new Error(`${probe.path} answers ${answer.status}`);
  for (let i = 0; i < warmUps; i++) answer = await call();

  const { transaction } = answer.body;
  const bare = transaction?.to
    ? { from: transaction.from, to: transaction.to, input: transaction.data, value: transaction.value }
    : null;
  const full: number[] = [];
  const simulated: number[] = [];
  // Turn by turn, so that a noisy moment hits both.
  for (let i = 0; i < rounds; i++) {
    full.push(await timed(call));
    if (!bare) continue;
    const blocks = { blockStateCalls: [{ calls: [bare] }], traceTransfers: true };
    simulated.push(await timed(() => rpcRequest(stack.chain.rpcUrl, "eth_simulateV1", [blocks, "latest"])));
  }
  const show = (values: number[], share: number) =>
    values.length === 0 ? "-" : `${percentile(values, share).toFixed(1)} ms`;
  return {
    endpoint: probe.name,
    p50: show(full, 0.5),
    p99: show(full, 0.99),
    "bare simulation p50": show(simulated, 0.5),
    "bare simulation p99": show(simulated, 0.99),
    "ratio p50": simulated.length ? (percentile(full, 0.5) / percentile(simulated, 0.5)).toFixed(1) : "-",
  };
}

const stack = await startTestStack();
try {
  const rows: Record<string, string>[] = [];
  for (const probe of await prepareProbes(stack)) rows.push(await measure(stack, probe));
  console.table(rows);
} finally {
  await stack.close();
}
