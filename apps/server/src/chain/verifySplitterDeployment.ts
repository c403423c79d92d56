import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { SlipwayError } from "@slipway/protocol/errors";
import type { LaunchDeployment } from "@slipway/protocol/manifest";
import { type Allocation, checkSplitterDeployment } from "@slipway/protocol/splitter";
import { encodeEventTopics, type Hex, numberToHex } from "viem";
import { z } from "zod";
import type { Chain } from "./chain.ts";
import { toChainUnavailable, awaitChain, findRpcError } from "./rpcError.ts";
import type { Head } from "./readChain.ts";

const [createdTopic] = encodeEventTopics({ abi: feeSplitterAbi, eventName: "SplitterCreated" });

/** A splitter is usually deployed moments before it is used: this many blocks are searched first. */
const firstWindow = 50_000n;
/** Where a node refuses to search everything at once, so many blocks a query and so many queries a round trip. */
const window = 50_000n;
const windowsPerRoundTrip = 20;

const hex = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value));
const logs = z.array(z.object({ address: hex, transactionHash: hex }));
const transactionParts = z.object({ to: hex.nullish(), input: hex });
const receiptParts = z.object({ contractAddress: hex.nullish(), status: hex });

/** What the first round trip finds: the code at the address and the transactions that are said to have created it. */
type Traces = { code: Hex; births: Hex[] };

/** Finds the code at the address and the SplitterCreated events that it emitted. One round trip for a young splitter. */
export async function findSplitterTraces(
  chain: Pick<Chain, "request">,
  splitter: Hex,
  deployment: LaunchDeployment,
  head: Head,
): Promise<Traces> {
  const earliest = BigInt(deployment.deployment_block);
  const recent = head.number > firstWindow + earliest ? head.number - firstWindow : earliest;
  const [code, recentBirths] = await awaitChain(
    Promise.all([
      chain
        .request({ method: "eth_getCode", params: [splitter, numberToHex(head.number)] })
        .then((answer) => hex.parse(answer)),
      createdIn(chain, splitter, recent, head.number),
    ]),
  );
  if (code === "0x" || recentBirths.length > 0 || recent === earliest) return { code, births: recentBirths };
  return { code, births: await awaitChain(searchBack(chain, splitter, earliest, recent - 1n)) };
}

/**
 * Proof by birth (contracts/README.md): the contract at `splitter` was created by a transaction without target whose input is
 * the pinned creation code followed by its allocations, and runs the pinned code. One round trip.
 *
 * @returns its allocations in the order of its birth.
 * @throws SlipwayError `splitter_not_deployed` when nothing is at the address, `splitter_mismatch` when it is anything
 * else, `chain_unavailable`.
 */
export async function verifySplitterDeployment(
  chain: Pick<Chain, "request">,
  splitter: Hex,
  traces: Traces,
  deployment: LaunchDeployment,
): Promise<Allocation[]> {
  if (traces.code === "0x") throw new SlipwayError("splitter_not_deployed", undefined, { field: "splitter" });
  const [birth, ...others] = traces.births;
  // The pinned code emits SplitterCreated once, in its constructor.
  if (birth === undefined || others.length > 0) throw mismatch("its birth is not on the chain");
  const [transaction, receipt] = await awaitChain(
    Promise.all([
      chain.request({ method: "eth_getTransactionByHash", params: [birth] }),
      chain.request({ method: "eth_getTransactionReceipt", params: [birth] }),
    ]),
  );
  const parsed = z.tuple([transactionParts, receiptParts]).safeParse([transaction, receipt]);
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The node does not have the splitter's birth.");
  const [{ to, input }, { contractAddress, status }] = parsed.data;
  const verdict = checkSplitterDeployment(
    splitter,
    { to: to ?? null, input, contractAddress: contractAddress ?? null, succeeded: Number(status) === 1 },
    traces.code,
    deployment.fee_splitter,
  );
  if ("problem" in verdict) throw mismatch(verdict.problem);
  return verdict.allocations;
}

function mismatch(problem: string): SlipwayError {
  return new SlipwayError("splitter_mismatch", `The contract is not a proven splitter: ${problem}.`, {
    field: "splitter",
  });
}

async function createdIn(chain: Pick<Chain, "request">, splitter: Hex, from: bigint, to: bigint): Promise<Hex[]> {
  const filter = {
    address: splitter,
    topics: [createdTopic],
    fromBlock: numberToHex(from),
    toBlock: numberToHex(to),
  };
  const found = logs.parse(await chain.request({ method: "eth_getLogs", params: [filter] }));
  return found
    .filter(({ address }) => address.toLowerCase() === splitter.toLowerCase())
    .map(({ transactionHash }) => transactionHash);
}

/** All older blocks at once, or in windows backwards where the node refuses that. */
async function searchBack(
  chain: Pick<Chain, "request">,
  splitter: Hex,
  earliest: bigint,
  last: bigint,
): Promise<Hex[]> {
  try {
    return await createdIn(chain, splitter, earliest, last);
  } catch (error) {
    if (findRpcError(error)?.kind !== "range") throw toChainUnavailable(error);
  }
  let to = last;
  while (to >= earliest) {
    const queries: Promise<Hex[]>[] = [];
    for (let i = 0; i < windowsPerRoundTrip && to >= earliest; i++) {
      const from = to - window + 1n > earliest ? to - window + 1n : earliest;
      queries.push(createdIn(chain, splitter, from, to));
      to = from - 1n;
    }
    const found = (await Promise.all(queries)).flat();
    if (found.length > 0) return found;
  }
  return [];
}
