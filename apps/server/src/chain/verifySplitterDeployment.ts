import { feeSplitterAbi } from "@slipway/protocol/contracts/feeSplitter";
import { splitterFactoryAbi } from "@slipway/protocol/contracts/splitterFactory";
import { encodeCall } from "@slipway/protocol/encodeCall";
import { SlipwayError } from "@slipway/protocol/errors";
import type { LaunchDeployment } from "@slipway/protocol/manifest";
import { type Allocation, checkSplitterDeployment, readSplitterClone } from "@slipway/protocol/splitter";
import { encodeEventTopics, type Hex, numberToHex, pad } from "viem";
import { z } from "zod";
import type { Chain } from "./chain.ts";
import type { HeadBlock } from "./readChain.ts";
import { awaitChain, findRpcError, toChainUnavailable } from "./rpcError.ts";

const [createdTopic] = encodeEventTopics({ abi: feeSplitterAbi, eventName: "SplitterCreated" });
const [madeTopic] = encodeEventTopics({ abi: splitterFactoryAbi, eventName: "SplitterCreated" });

/** Number of blocks that are searched first: a splitter is usually deployed shortly before its first use. */
const recentBlocks = 50_000n;
/** If a node rejects one query over all older blocks: blocks per query, and queries per round trip. */
const blocksPerQuery = 50_000n;
const queriesPerRoundTrip = 20;

const hex = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value));
const word = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value));
const logs = z.array(z.object({ address: hex, transactionHash: hex }));
const transactionParts = z.object({ to: hex.nullish(), input: hex });
const receiptParts = z.object({ contractAddress: hex.nullish(), status: hex });
const creationAnswers = z.tuple([transactionParts, receiptParts, hex]);

/** The facts that prove a splitter, at the newest block. */
export type SplitterCreation = {
  code: Hex;
  /** Whether the deployment's splitter factory has a record of the splitter. */
  isFactoryMade: boolean;
  /** Transactions in which the address emitted SplitterCreated. Not searched for if the code or the record decides. */
  transactionHashes: Hex[];
};

/**
 * Finds a splitter's code and its creation, up to the newest block. Takes one round trip, which can also read the head,
 * for a recently deployed splitter or a splitter of the factory.
 *
 * @param knownBlock - A block of the last minutes, which determines the recent blocks.
 */
export async function findSplitterCreation(
  chain: Pick<Chain, "request"> & Partial<Pick<Chain, "splitterCreations">>,
  splitter: Hex,
  deployment: LaunchDeployment,
  knownBlock: bigint,
): Promise<SplitterCreation> {
  const earliest = BigInt(deployment.deployment_block);
  const recent = knownBlock > recentBlocks + earliest ? knownBlock - recentBlocks : earliest;
  const [code, isFactoryMade, transactionHashes] = await awaitChain(
    Promise.all([
      readCode(chain, splitter, "latest"),
      readIsFactoryMade(chain, deployment.splitter_factory.address as Hex, splitter, "latest"),
      findTransactions(chain, toCreatedEvent(splitter), recent, "latest"),
    ]),
  );
  const isClone = readAllocations(code, deployment) !== null;
  const isDecided = code === "0x" || !isClone || isFactoryMade || transactionHashes.length > 0;
  const isRecent = isDecided || recent === earliest;
  const hashes = isRecent
    ? transactionHashes
    : await awaitChain(searchBack(chain, toCreatedEvent(splitter), earliest, recent - 1n));
  if (!isFactoryMade && hashes.length === 1) noteCreation(chain.splitterCreations, splitter, hashes[0]!);
  return { code, isFactoryMade, transactionHashes: hashes };
}

const maxRememberedCreations = 1_000;

/** Stores a creation. Removes the oldest creation if the map is full. */
function noteCreation(creations: Map<Hex, Hex> | undefined, splitter: Hex, transaction: Hex): void {
  if (creations === undefined) return;
  creations.set(splitter, transaction);
  if (creations.size > maxRememberedCreations) creations.delete(creations.keys().next().value!);
}

/**
 * Finds the transaction in which a splitter factory created a splitter. Takes one round trip, or more if the node
 * rejects one query over all blocks.
 *
 * @throws SlipwayError `chain_unavailable` if no transaction is found: the factory emitted an event for each record.
 */
export async function findFactoryTransaction(
  chain: Pick<Chain, "request">,
  splitter: Hex,
  deployment: LaunchDeployment,
  head: HeadBlock,
): Promise<Hex> {
  const event = {
    address: deployment.splitter_factory.address as Hex,
    topics: [madeTopic, pad(splitter, { size: 32 })],
  };
  const [hash] = await awaitChain(searchBack(chain, event, BigInt(deployment.deployment_block), head.number));
  if (hash === undefined)
    throw new SlipwayError("chain_unavailable", "The node does not have the splitter's creation.");
  return hash;
}

/** Reads the code of an address at a block. */
export async function readCode(chain: Pick<Chain, "request">, address: Hex, block: Block): Promise<Hex> {
  return hex.parse(await chain.request({ method: "eth_getCode", params: [address, toTag(block)] }));
}

/** Reads whether a splitter factory has a record of a splitter at a block. */
export async function readIsFactoryMade(
  chain: Pick<Chain, "request">,
  splitterFactory: Hex,
  splitter: Hex,
  block: Block,
): Promise<boolean> {
  const data = encodeCall({ abi: splitterFactoryAbi, functionName: "isSplitter", args: [splitter] });
  const params = [{ to: splitterFactory, input: data }, toTag(block)];
  return BigInt(word.parse(await chain.request({ method: "eth_call", params }))) === 1n;
}

type Block = bigint | "latest";

const toTag = (block: Block) => (block === "latest" ? block : numberToHex(block));

/**
 * Verifies the creation of a splitter (contracts/README.md): by the record of the deployment's factory, or by a
 * transaction without target whose input is exactly the pinned creation code with the allocations. In both cases the
 * code at the head must match the allocations. Takes one round trip.
 *
 * @returns The splitter's allocations in the order of the deployment.
 * @throws SlipwayError `splitter_not_deployed` if the address has no code, `splitter_mismatch` for another contract,
 * `chain_unavailable`.
 */
export async function verifySplitterDeployment(
  chain: Pick<Chain, "request">,
  splitter: Hex,
  creation: SplitterCreation,
  deployment: LaunchDeployment,
  head: HeadBlock,
): Promise<Allocation[]> {
  if (creation.code === "0x") throw createNotDeployed(splitter);
  if (readAllocations(creation.code, deployment) === null) {
    throw createMismatch("its runtime code is not the pinned one");
  }
  if (creation.isFactoryMade) return await verifyFactoryMade(chain, splitter, deployment, head);
  const [hash, ...others] = creation.transactionHashes;
  // The pinned creation code emits SplitterCreated once.
  if (hash === undefined || others.length > 0) throw createMismatch("its creation is not on the chain");
  return checkCreation(splitter, await readCreation(chain, splitter, hash, head), deployment);
}

/**
 * Works like `verifySplitterDeployment`, for a splitter whose creation was found earlier. Finds and verifies the
 * creation in one round trip, or in two if a reorganisation has removed or replaced the creation.
 *
 * @param remembered - The transaction that was found earlier.
 * @throws SlipwayError as in `verifySplitterDeployment`.
 */
export async function verifyRememberedSplitter(
  chain: Pick<Chain, "request" | "splitterCreations">,
  splitter: Hex,
  remembered: Hex,
  deployment: LaunchDeployment,
  knownBlock: bigint,
  head: HeadBlock,
): Promise<Allocation[]> {
  // The search below stores the creation again if it finds it.
  chain.splitterCreations.delete(splitter);
  const [creation, answers] = await Promise.all([
    findSplitterCreation(chain, splitter, deployment, knownBlock),
    readCreation(chain, splitter, remembered, head),
  ]);
  const { code, isFactoryMade, transactionHashes } = creation;
  const isSame = !isFactoryMade && transactionHashes.length === 1 && transactionHashes[0] === remembered;
  if (isSame && readAllocations(code, deployment) !== null) return checkCreation(splitter, answers, deployment);
  return await verifySplitterDeployment(chain, splitter, creation, deployment, head);
}

/** Reads a creation transaction, its receipt, and the code at the head. */
async function readCreation(chain: Pick<Chain, "request">, splitter: Hex, hash: Hex, head: HeadBlock) {
  return await awaitChain(
    Promise.all([
      chain.request({ method: "eth_getTransactionByHash", params: [hash] }),
      chain.request({ method: "eth_getTransactionReceipt", params: [hash] }),
      readCode(chain, splitter, head.number),
    ]),
  );
}

/** Checks the answers of `readCreation`. @throws SlipwayError as in `verifySplitterDeployment`. */
function checkCreation(splitter: Hex, answers: readonly unknown[], deployment: LaunchDeployment): Allocation[] {
  const parsed = creationAnswers.safeParse(answers);
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The node does not have the splitter's creation.");
  const [{ to, input }, { contractAddress, status }, code] = parsed.data;
  // The splitter was deployed after the head.
  if (code === "0x") throw createNotDeployed(splitter);
  const sent = { to: to ?? null, input, contractAddress: contractAddress ?? null, succeeded: Number(status) === 1 };
  const implementation = deployment.splitter_implementation.address as Hex;
  const result = checkSplitterDeployment(splitter, sent, code, implementation);
  if ("problem" in result) throw createMismatch(result.problem);
  return result.allocations;
}

function readAllocations(code: Hex, deployment: LaunchDeployment): Allocation[] | null {
  return readSplitterClone(code, deployment.splitter_implementation.address as Hex);
}

/**
 * Verifies that the deployment's factory created a splitter, by its record and the code at the head. One round trip.
 *
 * @returns The splitter's allocations in the order of the deployment.
 * @throws SlipwayError as in `verifySplitterDeployment`.
 */
export async function verifyFactoryMade(
  chain: Pick<Chain, "request">,
  splitter: Hex,
  deployment: LaunchDeployment,
  head: HeadBlock,
): Promise<Allocation[]> {
  const factory = deployment.splitter_factory.address as Hex;
  const [code, isFactoryMade] = await awaitChain(
    Promise.all([readCode(chain, splitter, head.number), readIsFactoryMade(chain, factory, splitter, head.number)]),
  );
  if (code === "0x" || !isFactoryMade) throw createNotDeployed(splitter);
  const allocations = readAllocations(code, deployment);
  if (allocations === null) throw createMismatch("its runtime code is not the pinned one");
  return allocations;
}

function createNotDeployed(splitter: Hex): SlipwayError {
  return new SlipwayError(
    "splitter_not_deployed",
    `There is no contract at ${splitter} yet. Wait for the receipt of the splitter's deployment and send its ` +
      "contractAddress: it differs from the expected address when the wallet sent another transaction before.",
    { field: "splitter", details: { splitter } },
  );
}

function createMismatch(problem: string): SlipwayError {
  return new SlipwayError("splitter_mismatch", `The contract is not a proven splitter: ${problem}.`, {
    field: "splitter",
  });
}

/** A filter of an event by its emitter and its topics. */
type EventFilter = { address: Hex; topics: readonly Hex[] };

const toCreatedEvent = (splitter: Hex): EventFilter => ({ address: splitter, topics: [createdTopic] });

/** Finds the transactions between two blocks, both included, in which the address emitted the event. */
async function findTransactions(
  chain: Pick<Chain, "request">,
  { address: emitter, topics }: EventFilter,
  from: bigint,
  to: Block,
): Promise<Hex[]> {
  const filter = { address: emitter, topics, fromBlock: numberToHex(from), toBlock: toTag(to) };
  const found = logs.parse(await chain.request({ method: "eth_getLogs", params: [filter] }));
  return found
    .filter(({ address }) => address.toLowerCase() === emitter.toLowerCase())
    .map(({ transactionHash }) => transactionHash);
}

/** Searches all older blocks with one query, or backwards in ranges if the node rejects that query. */
async function searchBack(
  chain: Pick<Chain, "request">,
  event: EventFilter,
  earliest: bigint,
  last: bigint,
): Promise<Hex[]> {
  try {
    return await findTransactions(chain, event, earliest, last);
  } catch (error) {
    if (findRpcError(error)?.kind !== "range") throw toChainUnavailable(error);
  }
  let to = last;
  while (to >= earliest) {
    const queries: Promise<Hex[]>[] = [];
    for (let i = 0; i < queriesPerRoundTrip && to >= earliest; i++) {
      const from = to - blocksPerQuery + 1n > earliest ? to - blocksPerQuery + 1n : earliest;
      queries.push(findTransactions(chain, event, from, to));
      to = from - 1n;
    }
    const found = (await Promise.all(queries)).flat();
    if (found.length > 0) return found;
  }
  return [];
}
