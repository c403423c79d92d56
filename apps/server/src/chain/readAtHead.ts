import {
  type ContractFunctionParameters,
  type Hex,
  keccak256,
  type MulticallReturnType,
  parseAbi,
  stringToHex,
} from "viem";
import { aggregate } from "./aggregate.ts";
import type { Chain } from "./chain.ts";
import { type Head, readHead, tryReadContracts } from "./readChain.ts";

/** An address without code. A state override gives it `blockReaderCode` for one call. */
const blockReader: Hex = `0x${keccak256(stringToHex("slipway.block-reader")).slice(-40)}`;

/** NUMBER and TIMESTAMP as two words: number push1(0) mstore timestamp push1(32) mstore push1(64) push1(0) return. */
const blockReaderCode: Hex = "0x436000524260205260406000f3";

const blockReaderAbi = parseAbi(["function block() view returns (uint256 number, uint256 timestamp)"]);

/** Contract with an Arbitrum chain's block number; NUMBER is about its parent's. Other chains have no code here. */
const arbSys: Hex = "0x0000000000000000000000000000000000000064";
const arbSysAbi = parseAbi(["function arbBlockNumber() view returns (uint256)"]);

/** The results of contracts at the head. */
export type ReadAtHead<T extends readonly ContractFunctionParameters[]> = {
  head: Head;
  results: MulticallReturnType<T, true>;
  /** Whether head and contracts were read together, so that no other block can have replaced the head in between. */
  isOneRound: boolean;
};

/** Number of consecutive failures after which no state overrides are sent: the node does not support them. */
const maxFailedOverrides = 3;

/**
 * Reads the head and several contracts at the head in one round trip: one `eth_call` at the newest block, which also
 * returns the number and the time of its block. Needs a second round trip, at the head's number, if a new block arrived
 * between the head and that call, or if the node does not support state overrides.
 *
 * @param multicall3 - As in `tryReadContracts`.
 * @throws SlipwayError `chain_unavailable`, `manifest_unverified` when the endpoint serves another chain.
 */
export async function readAtHead<const T extends readonly ContractFunctionParameters[]>(
  chain: Pick<Chain, "request" | "client" | "simulationSupport">,
  chainId: number,
  contracts: T,
  multicall3: Hex | null = null,
): Promise<ReadAtHead<T>> {
  const support = chain.simulationSupport;
  const isTried = support.failedOverrides < maxFailedOverrides;
  const [head, latest] = await Promise.all([
    readHead(chain, chainId),
    isTried ? readLatest(chain, contracts, multicall3) : null,
  ]);
  if (latest !== null) support.failedOverrides = 0;
  if (latest !== null && latest.number === head.number && latest.timestamp === head.timestamp) {
    return { head, results: latest.results as MulticallReturnType<T, true>, isOneRound: true };
  }
  const results = await tryReadContracts(chain, head.number, contracts, multicall3);
  if (latest === null && isTried) support.failedOverrides++;
  return { head, results, isOneRound: false };
}

type LatestRead = { number: bigint; timestamp: bigint; results: unknown };

/** Reads at the newest block; null if the call fails or the node ignores the state override. */
async function readLatest(
  chain: Pick<Chain, "client">,
  contracts: readonly ContractFunctionParameters[],
  multicall3: Hex | null,
): Promise<LatestRead | null> {
  const reads = [
    { address: blockReader, abi: blockReaderAbi, functionName: "block" },
    { address: arbSys, abi: arbSysAbi, functionName: "arbBlockNumber" },
    ...contracts,
  ];
  const [block, arbitrumNumber, ...results] = (await (multicall3 === null
    ? chain.client.multicall({
        contracts: reads as never,
        blockTag: "latest",
        stateOverride: [{ address: blockReader, code: blockReaderCode }],
        deployless: true,
        allowFailure: true,
        batchSize: 0,
      })
    : aggregate(chain.client, multicall3, reads, {
        block: "latest",
        codes: { [blockReader]: { code: blockReaderCode } },
      }).catch(() => []))) as unknown as [{ result?: readonly [bigint, bigint] }, { result?: bigint }];
  if (block?.result === undefined) return null;
  return { number: arbitrumNumber?.result ?? block.result[0], timestamp: block.result[1], results };
}
