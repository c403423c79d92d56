import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { SlipwayError } from "@slipway/protocol/errors";
import type { LaunchDeployment } from "@slipway/protocol/manifest";
import { type Allocation, checkSplitterDeployment } from "@slipway/protocol/splitter";
import { encodeEventTopics, type Hex, numberToHex } from "viem";
import { z } from "zod";
import type { Chain } from "./chain.ts";
import type { Head } from "./readChain.ts";
import { awaitChain, findRpcError, toChainUnavailable } from "./rpcError.ts";

const [createdTopic] = encodeEventTopics({ abi: feeSplitterAbi, eventName: "SplitterCreated" });

/** Blocks that are searched first: a splitter is usually deployed shortly before it is used. */
const recentBlocks = 50_000n;
/** Where a node refuses one query over all older blocks: blocks a query, and queries a round trip. */
const blocksPerQuery = 50_000n;
const queriesPerRoundTrip = 20;

const hex = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value));
const logs = z.array(z.object({ address: hex, transactionHash: hex }));
const transactionParts = z.object({ to: hex.nullish(), input: hex });
const receiptParts = z.object({ contractAddress: hex.nullish(), status: hex });

/** The code at a splitter's address, and the transactions in which that address emitted SplitterCreated. */
export type SplitterCreation = { code: Hex; transactionHashes: Hex[] };

/** Finds a splitter's code and its SplitterCreated events. One round trip for a recently deployed splitter. */
export async function findSplitterCreation(
  chain: Pick<Chain, "request">,
  splitter: Hex,
  deployment: LaunchDeployment,
  head: Head,
): Promise<SplitterCreation> {
  const earliest = BigInt(deployment.deployment_block);
  const recent = head.number > recentBlocks + earliest ? head.number - recentBlocks : earliest;
  const [code, transactionHashes] = await awaitChain(
    Promise.all([
      chain
        .request({ method: "eth_getCode", params: [splitter, numberToHex(head.number)] })
        .then((response) => hex.parse(response)),
      findCreatedEvents(chain, splitter, recent, head.number),
    ]),
  );
  if (code === "0x" || transactionHashes.length > 0 || recent === earliest) return { code, transactionHashes };
  return { code, transactionHashes: await awaitChain(searchBack(chain, splitter, earliest, recent - 1n)) };
}

/**
 * Verifies how a splitter was deployed (contracts/README.md): by a transaction without target whose input is the pinned
 * creation code followed by its allocations, with the pinned runtime code as the result. One round trip.
 *
 * @returns its allocations in the order of the deployment.
 * @throws SlipwayError `splitter_not_deployed` when there is no code at the address, `splitter_mismatch` when it is
 * another contract, `chain_unavailable`.
 */
export async function verifySplitterDeployment(
  chain: Pick<Chain, "request">,
  splitter: Hex,
  creation: SplitterCreation,
  deployment: LaunchDeployment,
): Promise<Allocation[]> {
  if (creation.code === "0x") throw new SlipwayError("splitter_not_deployed", undefined, { field: "splitter" });
  const [hash, ...others] = creation.transactionHashes;
  // The pinned code emits SplitterCreated once, in its constructor.
  if (hash === undefined || others.length > 0) throw createMismatch("its birth is not on the chain");
  const [transaction, receipt] = await awaitChain(
    Promise.all([
      chain.request({ method: "eth_getTransactionByHash", params: [hash] }),
      chain.request({ method: "eth_getTransactionReceipt", params: [hash] }),
    ]),
  );
  const parsed = z.tuple([transactionParts, receiptParts]).safeParse([transaction, receipt]);
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The node does not have the splitter's birth.");
  const [{ to, input }, { contractAddress, status }] = parsed.data;
  const result = checkSplitterDeployment(
    splitter,
    { to: to ?? null, input, contractAddress: contractAddress ?? null, succeeded: Number(status) === 1 },
    creation.code,
    deployment.fee_splitter,
  );
  if ("problem" in result) throw createMismatch(result.problem);
  return result.allocations;
}

function createMismatch(problem: string): SlipwayError {
  return new SlipwayError("splitter_mismatch", `The contract is not a proven splitter: ${problem}.`, {
    field: "splitter",
  });
}

/** Finds the transactions between two blocks, both included, in which the address emitted SplitterCreated. */
async function findCreatedEvents(
  chain: Pick<Chain, "request">,
  splitter: Hex,
  from: bigint,
  to: bigint,
): Promise<Hex[]> {
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

/** Searches all older blocks with one query, or backwards in ranges where the node refuses that query. */
async function searchBack(
  chain: Pick<Chain, "request">,
  splitter: Hex,
  earliest: bigint,
  last: bigint,
): Promise<Hex[]> {
  try {
    return await findCreatedEvents(chain, splitter, earliest, last);
  } catch (error) {
    if (findRpcError(error)?.kind !== "range") throw toChainUnavailable(error);
  }
  let to = last;
  while (to >= earliest) {
    const queries: Promise<Hex[]>[] = [];
    for (let i = 0; i < queriesPerRoundTrip && to >= earliest; i++) {
      const from = to - blocksPerQuery + 1n > earliest ? to - blocksPerQuery + 1n : earliest;
      queries.push(findCreatedEvents(chain, splitter, from, to));
      to = from - 1n;
    }
    const found = (await Promise.all(queries)).flat();
    if (found.length > 0) return found;
  }
  return [];
}
