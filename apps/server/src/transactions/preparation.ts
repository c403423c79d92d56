import { SlipwayError } from "@slipway/protocol/errors";
import type { Manifest } from "@slipway/protocol/manifest";
import type { Action, UnsignedResult, WalletCall } from "@slipway/protocol/transaction";
import { type ContractFunctionParameters, type Hex, stringify } from "viem";
import type { ReadModel } from "../cache/createReadModel.ts";
import type { ReadResult } from "../chain/aggregate.ts";
import type { Chain } from "../chain/chain.ts";
import { readAtHead } from "../chain/readAtHead.ts";
import {
  getMulticall3,
  type Head,
  type HeadBlock,
  type ProvenManifest,
  readBalance,
  readHead,
} from "../chain/readChain.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { type SupportedLaunch, withLaunches } from "./launches.ts";
import { type BatchSimulation, type Call, type Simulation, simulate, simulateBatch } from "./simulate.ts";
import { type StateAtHead, workAtHead } from "./speculation.ts";
import {
  createNothingToDoResult,
  createReadyBatch,
  createReadyResult,
  type Issues,
  type ReadyParts,
  type ResultParts,
  readL1Gas,
} from "./unsignedResult.ts";
import { getUnixSeconds } from "./validity.ts";

export type { StateAtHead };

export type PreparationDeps = {
  chain: Chain;
  clock: Pick<Clock, "now">;
  config: Config;
  db: Database;
  readModel: Pick<ReadModel, "getEthUsd">;
};

export type TargetedCall = Call & { to: Hex };

/** The input of all steps of a preparation. */
export type Context<Order> = {
  chain: Chain;
  proven: ProvenManifest;
  manifest: Manifest;
  order: Order;
  /** The Unix seconds of the request. */
  now: bigint;
  /** The launches of the preparation's `tokens`, in the order of the tokens. */
  launches: readonly SupportedLaunch[];
};

/** Reads the head together with the state that the plan needs. */
export type StateRead<State> = () => Promise<StateAtHead<State>>;

/** Calls to simulate one after the other. `check` throws if the simulation is not acceptable. */
export type Candidate = { calls: readonly Call[]; check?: (simulation: BatchSimulation) => void };

/** The calls of a preparation, and the reads at their block in the round of the simulation. */
export type Plan = {
  /**
   * Any node can simulate a transaction; its result has no `calls`. A batch needs `eth_simulateV1`; its result has
   * `calls`, and `transaction` if it has one call.
   */
  shape: "transaction" | "batch";
  /**
   * All simulated in one round. The result is the first candidate, or, if the first reverts, the next candidate that
   * succeeds. Empty if there is nothing to do; `checkReads` then returns the outcome.
   */
  candidates: readonly Candidate[];
  /** Reads at the block, by name. Their errors, in this order, have precedence over the error of the simulation. */
  reads: Record<string, () => Promise<unknown>>;
  /** View calls on the state after a batch. The simulation returns their results in `readData`. */
  views?: readonly Call[];
  /** Overrides of native balances in wei, for the simulation of a batch. */
  balances?: Record<Hex, bigint>;
  /** The transaction whose bytes the parent chain charges for, instead of each call; null for no transaction. */
  joined?: Call | null;
  /** Adds the purpose of the call to the error of a failed simulation. */
  explain?: (error: SlipwayError) => SlipwayError;
};

/** The results of a plan's reads. */
export type ReadAnswers<P extends Plan> = { [Name in keyof P["reads"]]: Awaited<ReturnType<P["reads"][Name]>> };

/** A simulated candidate. `parentGas`: gas for the parent chain of each call; null without a parent chain. */
export type Simulated = { calls: readonly Call[]; simulation: BatchSimulation; parentGas: readonly (bigint | null)[] };

/** The parts of a result that a preparation determines. */
export type Outcome<Fields = unknown> = Pick<ResultParts, "step" | "next" | "warnings" | "expected" | "quote"> & {
  status: "ready" | "nothing_to_do";
  /** Overrides the preparation's action. */
  action?: Action;
  issues?: Partial<Pick<Issues, "allowance" | "balance">>;
  /** One transaction with the same effect as the calls of a batch. */
  transaction?: Pick<ReadyParts, "call" | "simulation" | "l1Gas">;
  /** The batch's simulation with corrected asset changes. */
  simulation?: BatchSimulation;
  /** Another call to prepare instead of the calls, at the same block. */
  instead?: Call;
  /** Fields of the answer that are added to the common fields, or replace them. */
  fields?: Fields;
};

/** The steps that prepare one kind of transaction. `definePreparation` creates the endpoint's function from them. */
export type Preparation<Order, State, P extends Plan, Loaded, Fields> = {
  action: Action;
  /** Tokens whose launches the steps need. */
  tokens?: (order: Order) => readonly Hex[];
  /** Returns the location of a token in the request, for `pool_not_supported`. Default: the field `token`. */
  locateToken?: (order: Order, index: number) => { field: string; details?: Record<string, unknown> };
  /** Loads rows that only `check` needs, in parallel with the requests to the chain. */
  load?: (deps: PreparationDeps, order: Order) => Promise<Loaded>;
  /** Reads the state that the plan needs (`readContractsAtHead`, `readBesideHead`); null if it needs only the block. */
  read: (context: Context<Order>) => StateRead<State> | null;
  /** Determines the calls. Pure, as it may run twice. @throws SlipwayError if the state does not permit the request. */
  plan: (context: Context<Order>, state: State, block: HeadBlock) => P | Promise<P>;
  /**
   * Checks the plan's reads. Its errors have precedence over the error of the simulation. If it returns an outcome, no
   * simulation is needed.
   */
  checkReads?: (read: PlannedReads<Order, P>) => Outcome<Fields> | undefined;
  /** Checks the effects of the simulation, and returns the outcome. Pure. */
  check: (prepared: Prepared<Order, State, P, Loaded>) => Outcome<Fields>;
};

type PlannedReads<Order, P extends Plan> = {
  context: Context<Order>;
  plan: P;
  answers: ReadAnswers<P>;
  nativeBalance: bigint;
};

/** A simulated plan. */
export type Prepared<Order, State, P extends Plan, Loaded> = PlannedReads<Order, P> &
  Simulated & { head: Head; state: State; loaded: Loaded; ethUsd: number | null };

/** The result of a preparation; a batch has `calls`. */
export type PreparedResult = UnsignedResult & { calls?: WalletCall[] };

/**
 * Creates the function that prepares a transaction or a batch. All steps use one block: the state is read with the
 * head, the plan is simulated at that block, and the block's hash is read again at the end.
 *
 * Precedence of errors: first the read of the native balance (which also detects a replaced block), then the plan's
 * reads, `checkReads`, and the simulation.
 *
 * @throws SlipwayError Errors of the steps; `pool_not_supported`, `simulation_reverted` or the code of the contract's
 * error, `manifest_unverified`, `chain_unavailable`.
 */
export function definePreparation<Order extends { wallet: Hex }, State, P extends Plan, Loaded, Fields>(
  preparation: Preparation<Order, State, P, Loaded, Fields>,
): (
  deps: PreparationDeps,
  proven: ProvenManifest,
  order: Order,
  requestId: string,
) => Promise<PreparedResult & Fields> {
  return async (deps, proven, order, requestId) => {
    const { early, prepared } = await prepare(deps, preparation, proven, order);
    const outcome = early ?? preparation.check(prepared);
    const { context, head } = prepared;
    const parts = { action: preparation.action, ...outcome, proven, head, now: context.now, requestId };
    const result =
      outcome.status === "nothing_to_do"
        ? createNothing(parts, early === null ? prepared.simulation : undefined, prepared.plan)
        : await createReady(deps.chain, parts, prepared);
    return { ...result, ...outcome.fields } as PreparedResult & Fields;
  };
}

/** Runs a preparation up to its check. `early` is the outcome of `checkReads`, which needs no simulation. */
export async function prepare<Order extends { wallet: Hex }, State, P extends Plan, Loaded, Fields>(
  deps: PreparationDeps,
  preparation: Omit<Preparation<Order, State, P, Loaded, Fields>, "check">,
  proven: ProvenManifest,
  order: Order,
): Promise<{ early: Outcome<Fields> | null; prepared: Prepared<Order, State, P, Loaded> }> {
  const { chain, readModel } = deps;
  const { manifest } = proven;
  const now = getUnixSeconds(deps.clock);
  const tokens = preparation.tokens?.(order) ?? [];

  const workWithContext = async (launches: readonly SupportedLaunch[]) => {
    const context: Context<Order> = { chain, proven, manifest, order, now, launches };
    const readState = preparation.read(context);
    const memory = {
      key: readState === null ? null : `${preparation.action} ${stringify(order)}`,
      weight: Math.max(1, launches.length),
    };
    // Does not remember the state of unverified splitters, because their answers can have any size.
    const isRememberable = launches.every(({ launch }) => launch.allocations !== null);
    const read = async (): Promise<StateAtHead<State>> => {
      if (readState === null) {
        return { head: await readHead(chain, manifest.chain_id), state: null as State, isOneRound: true };
      }
      const found = await readState();
      return { ...found, isOneRound: found.isOneRound && isRememberable };
    };
    const work = async (block: HeadBlock, state: State) => await simulatePlan(preparation, context, state, block);
    return { context, ...(await workAtHead(chain, memory, read, work)) };
  };

  const locate = (index: number) => preparation.locateToken?.(order, index) ?? { field: "token" };
  const [worked, loaded, { oracle }] = await Promise.all([
    tokens.length === 0
      ? workWithContext([])
      : withLaunches(deps, manifest, tokens, workWithContext, locate).then(({ result }) => result),
    preparation.load?.(deps, order) as Promise<Loaded>,
    readModel.getEthUsd(),
  ]);
  const { context, head, state, result } = worked;
  const { early, ...simulated } = result;
  return { early, prepared: { context, head, state, loaded, ethUsd: oracle.price, ...simulated } };
}

/** Plans at a block, and simulates the plan at that block together with its reads. Takes one round trip. */
async function simulatePlan<Order extends { wallet: Hex }, State, P extends Plan, Loaded, Fields>(
  preparation: Omit<Preparation<Order, State, P, Loaded, Fields>, "check">,
  context: Context<Order>,
  state: State,
  block: HeadBlock,
) {
  const { chain, manifest, order } = context;
  const plan = await preparation.plan(context, state, block);
  const names = Object.keys(plan.reads);
  // The balance is read last, because its read also checks the block's hash.
  const [answered, simulated, balance] = await Promise.allSettled([
    awaitInOrder(names.map((name) => plan.reads[name]!())),
    plan.candidates.length === 0 ? nothing : simulateCandidates(chain, manifest.chain_id, plan, block),
    readBalance(chain, order.wallet, block),
  ]);
  const nativeBalance = unwrapSettled(balance);
  const values = unwrapSettled(answered);
  const answers = Object.fromEntries(names.map((name, index) => [name, values[index]])) as ReadAnswers<P>;
  const early = preparation.checkReads?.({ context, plan, answers, nativeBalance }) ?? null;
  const { calls, simulation, parentGas } = early === null ? unwrapSettled(simulated) : nothing;
  return { plan, answers, nativeBalance, early, calls, simulation, parentGas };
}

/** Replaces the simulation if `checkReads` has returned an outcome. */
const nothing = { calls: [], parentGas: [] } as Omit<Simulated, "simulation"> as Simulated;

/** Simulates the candidates in one round trip. @throws The error of the first candidate, if no other applies. */
async function simulateCandidates(chain: Chain, chainId: number, plan: Plan, block: HeadBlock): Promise<Simulated> {
  const settled = await Promise.allSettled(
    plan.candidates.map((candidate) => simulateCandidate(chain, chainId, plan, candidate, block)),
  );
  const first = settled[0]!;
  if (first.status === "fulfilled") return first.value;
  const isReverted = first.reason instanceof SlipwayError && first.reason.code === "simulation_reverted";
  const other = settled.find((result) => result.status === "fulfilled");
  if (isReverted && other) return other.value;
  throw first.reason instanceof SlipwayError ? (plan.explain?.(first.reason) ?? first.reason) : first.reason;
}

async function simulateCandidate(
  chain: Chain,
  chainId: number,
  { shape, views = [], balances = {}, joined }: Plan,
  { calls, check }: Candidate,
  block: HeadBlock,
): Promise<Simulated> {
  const charged = joined === undefined ? calls : [joined];
  const [simulation, gas] = await awaitInOrder([
    shape === "batch" ? simulateBatch(chain, calls, views, block, balances) : simulateTransaction(chain, calls, block),
    awaitInOrder(charged.map(async (call) => (call === null ? null : await readL1Gas(chain, chainId, call, block)))),
  ]);
  check?.(simulation);
  // The first call includes the parent chain's gas of all joined calls.
  const parentGas = joined === undefined ? gas : calls.map((_, i) => (i === 0 || gas[0] === null ? gas[0]! : 0n));
  return { calls, simulation, parentGas };
}

async function simulateTransaction(chain: Chain, [call]: readonly Call[], block: HeadBlock): Promise<BatchSimulation> {
  const simulation = await simulate(chain, call!, block);
  return {
    ...simulation,
    gasUsedByCall: [simulation.gasUsed],
    returnDataByCall: [simulation.returnData],
    readData: [],
  };
}

function createNothing(parts: ResultParts, simulation: Simulation | undefined, { shape }: Plan): PreparedResult {
  const result = createNothingToDoResult({ ...parts, ...(simulation === undefined ? {} : { simulation }) });
  return shape === "batch" ? { ...result, calls: [] } : result;
}

async function createReady(
  chain: Chain,
  outcome: ResultParts & Outcome,
  prepared: Pick<Prepared<unknown, unknown, Plan, unknown>, "plan" | "nativeBalance" | "ethUsd"> & Simulated,
): Promise<PreparedResult> {
  const { plan, nativeBalance, ethUsd, calls, simulation, parentGas } = prepared;
  const parts = { ...outcome, nativeBalance, ethUsd };
  if (outcome.instead !== undefined) {
    const { chain_id: chainId } = outcome.proven.manifest;
    const only = { ...plan, candidates: [{ calls: [outcome.instead] }] };
    const other = await simulateCandidates(chain, chainId, only, outcome.head);
    return createReadyResult({
      ...parts,
      call: outcome.instead,
      simulation: other.simulation,
      l1Gas: other.parentGas[0]!,
    });
  }
  if (plan.shape === "transaction") {
    return createReadyResult({ ...parts, call: calls[0]!, simulation, l1Gas: parentGas[0]! });
  }
  const batch = createReadyBatch({
    ...parts,
    calls: calls as TargetedCall[],
    simulation: outcome.simulation ?? simulation,
    l1Gas: parentGas,
  });
  if (outcome.transaction === undefined) return batch;
  return { ...createReadyResult({ ...parts, ...outcome.transaction }), calls: batch.calls };
}

type Besides = Record<string, Promise<unknown> | null>;
type BesideAnswers<B extends Besides> = { [Name in keyof B]: Awaited<B[Name]> };

/**
 * Reads state at the head, and additional data at the newest block in the same round.
 *
 * @param read - Reads the head and the state at the head.
 * @param createBeside - Creates the requests at the newest block, by name.
 */
export function readWithHead<State, B extends Besides>(
  read: StateRead<State>,
  createBeside: () => B,
): StateRead<{ state: State; beside: BesideAnswers<B> }> {
  return async () => {
    const [{ head, state, isOneRound }, beside] = await Promise.all([read(), awaitBesides(createBeside())]);
    return { head, state: { state, beside }, isOneRound };
  };
}

/** Reads contracts at the head, in the call that also returns its block. */
export function readContractsAtHead(
  { chain, manifest }: Pick<Context<unknown>, "chain" | "manifest">,
  contracts: readonly ContractFunctionParameters[],
): StateRead<readonly ReadResult[]> {
  return async () => {
    const { head, results, isOneRound } = await readAtHead(
      chain,
      manifest.chain_id,
      contracts,
      getMulticall3(manifest),
    );
    return { head, state: results as readonly ReadResult[], isOneRound };
  };
}

/**
 * Reads the head, and data at the newest block, in one round. A new block may arrive between the two, so the plan must
 * read critical data again at the head.
 */
export function readBesideHead<B extends Besides>(
  { chain, manifest }: Pick<Context<unknown>, "chain" | "manifest">,
  createBeside: () => B,
): StateRead<BesideAnswers<B>> {
  return async () => {
    const [head, state] = await Promise.all([readHead(chain, manifest.chain_id), awaitBesides(createBeside())]);
    return { head, state, isOneRound: false };
  };
}

async function awaitBesides<B extends Besides>(beside: B): Promise<BesideAnswers<B>> {
  const names = Object.keys(beside);
  const values = await Promise.all(names.map(async (name) => await beside[name]));
  return Object.fromEntries(names.map((name, index) => [name, values[index]])) as BesideAnswers<B>;
}

/** Awaits all promises. @throws The error of the first failed promise in the order of the list, not of time. */
async function awaitInOrder<T extends readonly unknown[]>(
  promises: readonly [...T],
): Promise<{ [Index in keyof T]: Awaited<T[Index]> }> {
  const settled = await Promise.allSettled(promises);
  return settled.map(unwrapSettled) as { [Index in keyof T]: Awaited<T[Index]> };
}

function unwrapSettled<T>(result: PromiseSettledResult<T>): T {
  if (result.status === "rejected") throw result.reason;
  return result.value;
}
