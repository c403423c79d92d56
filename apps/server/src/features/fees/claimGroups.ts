import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { SlipwayError } from "@slipway/protocol/errors";
import type { ContractFunctionParameters, Hex } from "viem";
import { readAtHead } from "../../chain/readAtHead.ts";
import { type Head, readHead, tryReadContracts } from "../../chain/readChain.ts";
import { findRpcError } from "../../chain/rpcError.ts";
import type { Deps } from "../../deps.ts";
import type { SupportedLaunch } from "../../transactions/launches.ts";
import type { StateAtHead } from "../../transactions/preparation.ts";

type ClaimLaunch = SupportedLaunch["launch"] & Pick<SupportedLaunch, "deployment">;

/** The launches of a claim that pay one splitter. Their collections and releases do not depend on other groups. */
export type ClaimGroup = { splitter: Hex; launches: ClaimLaunch[] };

/** Groups launches by splitter, in the order of the request. */
export function groupBySplitter(supported: readonly SupportedLaunch[]): ClaimGroup[] {
  const groups = new Map<Hex, ClaimGroup>();
  for (const { launch, deployment } of supported) {
    const group = groups.get(launch.splitter) ?? { splitter: launch.splitter, launches: [] };
    group.launches.push({ ...launch, deployment });
    groups.set(launch.splitter, group);
  }
  return [...groups.values()];
}

/** The status of a tried call, and its result if the call returns one. */
type Tried<T> = { status: "success" | "failure"; result?: T };

type Ledger = { collaboratorsCredit: bigint };

/** The results of a launch's calls, each tried after the calls before it. */
type LaunchTrial = {
  token: Hex;
  locker: Hex;
  collect: Tried<readonly [bigint, bigint]>;
  /** The ledgers of the token and of the wrapped native after the collection. */
  ledgers: [Tried<Ledger>, Tried<Ledger>];
  settle: Tried<undefined>;
  /** The amounts of the token and of the wrapped native that the locker owes to the splitter. */
  payOwed: Tried<bigint>[];
  release: Tried<readonly bigint[]>;
};

/** The results of a group's calls. */
export type GroupTrial = {
  group: ClaimGroup;
  launches: LaunchTrial[];
  /** The release of the wrapped native. */
  release: Tried<readonly bigint[]>;
};

type ClaimStages = "all" | "release";

/** The chain on which a claim is tried, and its Multicall3 if the manifest names one. */
export type TrialPlace = { chain: Deps["chain"]; chainId: number; multicall3: Hex | null };

/** Maximum launches per `eth_call` without Multicall3: the response is then creation code, about 2 kB per launch. */
const maxLaunchesPerRead = 10;

/**
 * Tries the calls of a claim at the head, each after the calls before it. One round trip; one or two more if a call
 * fails. Each launch is then tried alone, because a contract that uses up all gas makes the calls after it fail.
 *
 * @throws SlipwayError `chain_unavailable`, `manifest_unverified`.
 */
export async function tryClaim(
  place: TrialPlace,
  groups: readonly ClaimGroup[],
  wallet: Hex,
  stages: ClaimStages,
): Promise<StateAtHead<GroupTrial[]>> {
  const { chain, chainId, multicall3 } = place;
  const chunks = multicall3 === null ? pack(groups) : [groups];
  const createCalls = (chunk: readonly ClaimGroup[]) =>
    chunk.flatMap((group) => createTrialCalls(group, wallet, stages));
  const tryAlone = async (group: ClaimGroup, head: Head): Promise<GroupTrial[]> => {
    const calls = createCalls([group]);
    const read = tryReadContracts(chain, head.number, calls, multicall3);
    const results = (await refusedAsNull(read)) ?? calls.map(() => failed);
    return parseTrials([group], results as Tried<unknown>[], stages);
  };
  const tryEachAlone = async (head: Head) => {
    const parts = groups.flatMap((group) => divideGroup(group, 1));
    const trials = (await Promise.all(parts.map((group) => tryAlone(group, head)))).flat();
    return { head, state: mergeTrials(trials), isOneRound: false };
  };

  const reads = await refusedAsNull(
    Promise.all(chunks.map((chunk) => readAtHead(chain, chainId, createCalls(chunk), multicall3))),
  );
  if (reads === null) return await tryEachAlone(await readHead(chain, chainId));
  const { head } = reads[0]!;
  const trials = await Promise.all(
    reads.map(async (read, i) => {
      const chunk = chunks[i]!;
      if (read.head.hash === head.hash) return parseTrials(chunk, read.results as Tried<unknown>[], stages);
      // A new block arrived between two reads.
      return (await Promise.all(chunk.map((group) => tryAlone(group, head)))).flat();
    }),
  );
  const merged = mergeTrials(trials.flat());
  const isAlone = groups.length === 1 && groups[0]!.launches.length === 1;
  const isOneRound = reads.every((read) => read.isOneRound && read.head.hash === head.hash);
  if (isAlone || !merged.some(hasFailure)) return { head, state: merged, isOneRound };
  return await tryEachAlone(head);
}

const failed: Tried<never> = { status: "failure" };

/** Returns null if the node refuses a read because of the contracts' behaviour, such as using up all gas. */
async function refusedAsNull<T>(read: Promise<T>): Promise<T | null> {
  return await read.catch((error: unknown) => {
    const rpc = findRpcError(error instanceof SlipwayError ? error.cause : error);
    // anvil returns -32603, "EVM error OutOfGas".
    if (rpc?.kind === "refused" || /out.?of.?gas/i.test(rpc?.message ?? "")) return null;
    throw error;
  });
}

/** Packs groups into reads of at most `maxLaunchesPerRead` launches; divides larger groups. */
function pack(groups: readonly ClaimGroup[]): ClaimGroup[][] {
  const chunks: ClaimGroup[][] = [];
  let free = 0;
  for (const part of groups.flatMap((group) => divideGroup(group, maxLaunchesPerRead))) {
    if (part.launches.length > free) {
      chunks.push([]);
      free = maxLaunchesPerRead;
    }
    chunks.at(-1)!.push(part);
    free -= part.launches.length;
  }
  return chunks;
}

function divideGroup(group: ClaimGroup, launches: number): ClaimGroup[] {
  const parts: ClaimGroup[] = [];
  for (let start = 0; start < group.launches.length; start += launches) {
    parts.push({ ...group, launches: group.launches.slice(start, start + launches) });
  }
  return parts;
}

/** Merges the parts of a group that were tried separately. The group's release is one that pays, if any. */
function mergeTrials(trials: readonly GroupTrial[]): GroupTrial[] {
  const merged = new Map<Hex, GroupTrial>();
  for (const trial of trials) {
    const { splitter } = trial.group;
    const before = merged.get(splitter);
    if (before === undefined) {
      merged.set(splitter, trial);
      continue;
    }
    const launches = [...before.launches, ...trial.launches];
    const [best, other] = paysSome(trial.release) ? [trial.release, before.release] : [before.release, trial.release];
    merged.set(splitter, { ...before, launches, release: best.status === "failure" ? other : best });
  }
  return [...merged.values()];
}

/** Whether a tried release pays something. */
export function paysSome({ result }: { result?: readonly bigint[] | undefined }): boolean {
  return (result?.[0] ?? 0n) > 0n;
}

/** Creates the calls of a trial, kind by kind, because a splitter divides the payments of all its launches. */
function createTrialCalls(
  { splitter, launches }: ClaimGroup,
  wallet: Hex,
  stages: ClaimStages,
): ContractFunctionParameters[] {
  const locker = (launch: ClaimLaunch) => ({ address: launch.feeLocker, abi: feeLockerAbi }) as const;
  const paid = { address: splitter, abi: feeSplitterAbi } as const;
  const wrapped = launches[0]!.quoteToken;
  const both = ({ token, quoteToken }: ClaimLaunch) => [token, quoteToken];
  const release = (asset: Hex) => ({ ...paid, functionName: "release", args: [[asset], wallet] });
  const settling = [
    ...launches.map((launch) => ({ ...locker(launch), functionName: "collect", args: [launch.token] })),
    ...launches.flatMap((launch) =>
      both(launch).map((asset) => ({ ...locker(launch), functionName: "ledgerOf", args: [launch.token, asset] })),
    ),
    ...launches.map((launch) => ({ ...locker(launch), functionName: "settle", args: [launch.token, both(launch)] })),
    ...launches.flatMap((launch) =>
      both(launch).map((asset) => ({
        ...locker(launch),
        functionName: "payOwed",
        args: [asset, splitter],
      })),
    ),
  ];
  return [
    ...(stages === "all" ? settling : []),
    ...launches.map(({ token }) => release(token)),
    release(wrapped),
  ] as ContractFunctionParameters[];
}

const skipped: Tried<never> = { status: "success" };

function parseTrials(
  groups: readonly ClaimGroup[],
  results: readonly Tried<unknown>[],
  stages: ClaimStages,
): GroupTrial[] {
  const rest = [...results];
  return groups.map((group) => {
    const { launches } = group;
    const take = <T>(count: number) => rest.splice(0, count) as Tried<T>[];
    const isAll = stages === "all";
    const takeAll = <T>(count: number) => (isAll ? take<T>(count) : []);
    const collects = takeAll<readonly [bigint, bigint]>(launches.length);
    const ledgers = takeAll<Ledger>(2 * launches.length);
    const settles = takeAll<undefined>(launches.length);
    const owed = launches.map(() => takeAll<bigint>(2));
    const releases = take<readonly bigint[]>(launches.length);
    const [release] = take<readonly bigint[]>(1);
    return {
      group,
      launches: launches.map(({ token, feeLocker }, i) => ({
        ...{ token, locker: feeLocker, collect: collects[i] ?? skipped, settle: settles[i] ?? skipped },
        ledgers: [ledgers[2 * i] ?? skipped, ledgers[2 * i + 1] ?? skipped],
        payOwed: owed[i]!,
        release: releases[i]!,
      })),
      release: release!,
    };
  });
}

function hasFailure({ launches, release }: GroupTrial): boolean {
  const tried = launches.flatMap((launch) => [
    ...[launch.collect, launch.settle, launch.release],
    ...[...launch.ledgers, ...launch.payOwed],
  ]);
  return [...tried, release].some(({ status }) => status === "failure");
}
