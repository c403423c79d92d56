import { parseArgs } from "node:util";
import { rpcRequest } from "@slipway/dev/chain/rpcRequest";
import {
  launchToken,
  prepareSignedLaunch,
  randomSalt,
  sendWithViem,
  trade,
  wallets,
  wrap,
} from "../tests/support/security/actors.ts";
import { type RpcProxy, startRpcProxy } from "../tests/support/security/rpcProxy.ts";
import { type Server, startTestStack, type TestStack } from "../tests/support/security/startTestStack.ts";
import { percentile } from "./percentile.ts";

/**
 * `npm run bench -- tx`: the time to an unsigned transaction, compared with the bare simulation of the same
 * transaction. A second pass through a proxy divides the time into the time of the RPC endpoint and the service's own
 * time. `-- --rpc-delay 50`: with an RPC endpoint that responds 50 ms later.
 */
const { values: options } = parseArgs({ options: { "rpc-delay": { type: "string" }, only: { type: "string" } } });
const rpcDelayMs = Number(options["rpc-delay"] ?? 0);

const warmUps = rpcDelayMs > 0 ? 3 : 20;
const repetitions = rpcDelayMs > 0 ? 30 : 200;
const oneEther = 10n ** 18n;

type Probe = { name: string; method: "GET" | "POST"; path: string; body?: unknown };
type Answer = { status: number; body: { transaction?: { from: string; to?: string; data: string; value: string } } };

/** Starts a stack with a launched token that was traded, so that each endpoint has data for a transaction. */
async function prepareProbes(stack: TestStack): Promise<Probe[]> {
  const [creator, trader] = wallets;
  if (!creator || !trader) throw new Error("the local chain has too few wallets");
  const { intentId, splitter, token } = await launchToken(stack, creator);
  await wrap(stack, trader, 10n * oneEther);
  await trade(stack, trader, { token, side: "buy", amount_in: oneEther.toString() });
  const sell = { token, wallet: trader.address, side: "sell", amount_in: oneEther.toString(), slippage_bps: 100 };
  await sendWithViem(stack, await stack.call("POST", "/trade/transactions", sell), trader);
  const signed = await prepareSignedLaunch(stack, creator, trader);
  const launch = { intent_id: intentId, wallet: creator.address, splitter, salt: randomSalt() };
  return [
    { name: "splitter", method: "POST", path: "/splits/transactions", body: pick(launch, "intent_id", "wallet") },
    { name: "launch", method: "POST", path: "/launch/transactions", body: launch },
    { name: "preview", method: "POST", path: "/launch/preview", body: pick(launch, "intent_id", "wallet") },
    { name: "launch batch", method: "POST", path: "/launch/calls", body: { ...launch, splitter: null } },
    { name: "launch to sign", method: "POST", path: "/launch/calls", body: signed.unsigned },
    { name: "signed launch", method: "POST", path: "/launch/calls", body: signed.signed },
    { name: "quote", method: "POST", path: "/trade/quote", body: sell },
    { name: "swap", method: "POST", path: "/trade/transactions", body: sell },
    { name: "native buy", method: "POST", path: "/trade/calls", body: { ...sell, side: "buy", pay: "native" } },
    { name: "batch", method: "POST", path: "/trade/calls", body: { ...sell, amount_in: (2n * oneEther).toString() } },
    {
      name: "collect",
      method: "POST",
      path: "/fees/claim-transactions",
      body: { token, wallet: trader.address, stage: "collect" },
    },
    { name: "claim", method: "POST", path: "/fees/claim-calls", body: { tokens: [token], wallet: creator.address } },
    {
      name: "payout",
      method: "POST",
      path: "/fees/payout-transactions",
      body: { token, wallet: creator.address, payout: trader.address },
    },
    { name: "pending", method: "GET", path: `/fees/pending?token=${token}` },
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

type Target = { server: Pick<Server, "call">; rpcUrl: string };
type Proxied = Target & { proxy: RpcProxy; close: () => Promise<void> };

async function measure({ server, rpcUrl }: Target, probe: Probe): Promise<Record<string, string | number>> {
  const call = async () => (await server.call(probe.method, probe.path, probe.body)) as Answer;
  let answer = await call();
  if (answer.status !== 200) throw new Error(`${probe.path} answers ${answer.status}`);
  for (let i = 0; i < warmUps; i++) answer = await call();

  const { transaction } = answer.body;
  const bare = transaction?.to
    ? { from: transaction.from, to: transaction.to, input: transaction.data, value: transaction.value }
    : null;
  const full: number[] = [];
  const simulated: number[] = [];
  // Alternates, so that other load affects both.
  for (let i = 0; i < repetitions; i++) {
    full.push(await timed(call));
    if (!bare) continue;
    const blocks = { blockStateCalls: [{ calls: [bare] }], traceTransfers: true };
    simulated.push(await timed(() => rpcRequest(rpcUrl, "eth_simulateV1", [blocks, "latest"])));
  }
  return {
    p50: show(full, 0.5),
    p99: show(full, 0.99),
    "bare simulation p50": show(simulated, 0.5),
    "bare simulation p99": show(simulated, 0.99),
    "ratio p50": simulated.length ? (percentile(full, 0.5) / percentile(simulated, 0.5)).toFixed(1) : "-",
  };
}

function show(values: number[], share: number): string {
  return values.length === 0 ? "-" : `${percentile(values, share).toFixed(1)} ms`;
}

/** Returns the rounds of a request, and its time with and without pending requests to the RPC endpoint. */
async function split({ server, proxy }: Proxied, probe: Probe): Promise<Record<string, string | number>> {
  const [rpc, own, rounds]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < warmUps + repetitions / 2; i++) {
    proxy.reset();
    const duration = await timed(() => server.call(probe.method, probe.path, probe.body));
    if (i < warmUps) continue;
    rpc.push(proxy.busyMs());
    own.push(duration - proxy.busyMs());
    rounds.push(proxy.rounds());
  }
  return { rounds: percentile(rounds, 0.5), "RPC p50": show(rpc, 0.5), "own p50": show(own, 0.5) };
}

async function openProxied(stack: TestStack): Promise<Proxied> {
  const proxy = await startRpcProxy(stack.chain.rpcUrl);
  const server = await stack.openServer({ RPC_URL: proxy.url });
  proxy.setDelay(rpcDelayMs);
  const close = async () => {
    await server.close();
    await proxy.close();
  };
  return { server, proxy, rpcUrl: proxy.url, close };
}

const stack = await startTestStack();
try {
  const probes = await prepareProbes(stack);
  const proxied = await openProxied(stack);
  const target = rpcDelayMs > 0 ? proxied : { server: stack, rpcUrl: stack.chain.rpcUrl };
  const rows: Record<string, string | number>[] = [];
  const chosen = options.only?.split(",");
  for (const probe of probes) {
    if (chosen && !chosen.includes(probe.name)) continue;
    const figures = await measure(target, probe);
    rows.push({ endpoint: probe.name, ...figures, ...(await split(proxied, probe)) });
  }
  console.table(rows);
  await proxied.close();
} finally {
  await stack.close();
}
