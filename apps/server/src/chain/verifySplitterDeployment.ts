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

/** Blocks that are searched first: a splitter is usually deployed shortly before it is used. */
const recentBlocks = 50_000n;
/** Where a node refuses one query over all older blocks: blocks a query, and queries a round trip. */
const blocksPerQuery = 50_000n;
const queriesPerRoundTrip = 20;

const hex = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value));
const word = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value));
const logs = z.array(z.object({ address: hex, transactionHash: hex }));
const transactionParts = z.object({ to: hex.nullish(), input: hex });
const receiptParts = z.object({ contractAddress: hex.nullish(), status: hex });
const creationAnswers = z.tuple([transactionParts, receiptParts, hex]);

/** What proves a splitter, at the newest block. */
export type SplitterCreation = {
  code: Hex;
  /** The deployment's splitter factory has recorded that it made the splitter. */
  isFactoryMade: boolean;
  /** Transactions in which the address emitted SplitterCreated; not searched for where the code or the record decides. */
  transactionHashes: Hex[];
};

/**
 * Finds a splitter's code and what created it, up to the newest block. One round trip for a recently deployed splitter,
 * which can be that of the head, or a factory's.
 *
 * @param knownBlock - A block of the last minutes: what counts as recent follows from it.
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

/** Remembers a creation in place of the one that was remembered first. */
function noteCreation(creations: Map<Hex, Hex> | undefined, splitter: Hex, transaction: Hex): void {
  if (creations === undefined) return;
  creations.set(splitter, transaction);
  if (creations.size > maxRememberedCreations) creations.delete(creations.keys().next().value!);
}

/**
 * Finds the transaction in which a splitter factory made a splitter. One round trip, more where the node refuses one query
 * over all blocks.
 *
 * @throws SlipwayError `chain_unavailable` when it is not found: the factory has emitted it for what it has recorded.
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

/** Reads the code at an address, at a block. */
export async function readCode(chain: Pick<Chain, "request">, address: Hex, block: Block): Promise<Hex> {
  return hex.parse(await chain.request({ method: "eth_getCode", params: [address, toTag(block)] }));
}

/** Reads whether a splitter factory has recorded that it made a splitter, at a block. */
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
 * Verifies what created a splitter (contracts/README.md): the deployment's factory, by its record, or a transaction
 * without target whose input is exactly the pinned creation code with the allocations. Its code at the head is in both
 * cases that of the allocations. One round trip.
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
  head: HeadBlock,
): Promise<Allocation[]> {
  if (creation.code === "0x") throw createNotDeployed(splitter);
  if (readAllocations(creation.code, deployment) === null) {
    throw createMismatch("its runtime code is not the pinned one");
  }
  if (creation.isFactoryMade) return await verifyFactoryMade(chain, splitter, deployment, head);
  const [hash, ...others] = creation.transactionHashes;
  // The pinned creation code emits SplitterCreated once.
  if (hash === undefined || others.length > 0) throw createMismatch("its birth is not on the chain");
  return checkCreation(splitter, await readCreation(chain, splitter, hash, head), deployment);
}

/**
 * As `verifySplitterDeployment`, for a splitter whose creation was found before: it is found again and verified in one
 * round trip; where a reorganisation has removed or replaced it, in two.
 *
 * @param remembered - The transaction that was found before.
 * @throws SlipwayError as `verifySplitterDeployment`.
 */
export async function verifyRememberedSplitter(
  chain: Pick<Chain, "request" | "splitterCreations">,
  splitter: Hex,
  remembered: Hex,
  deployment: LaunchDeployment,
  knownBlock: bigint,
  head: HeadBlock,
): Promise<Allocation[]> {
  // Found or not, it is remembered anew.
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

/** Checks what `readCreation` has read. @throws SlipwayError as `verifySplitterDeployment`. */
function checkCreation(splitter: Hex, answers: readonly unknown[], deployment: LaunchDeployment): Allocation[] {
  const parsed = creationAnswers.safeParse(answers);
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The node does not have the splitter's birth.");
  const [{ to, input }, { contractAddress, status }, code] = parsed.data;
  // Deployed after the head.
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
 * Verifies that the deployment's factory has made a splitter, by its record and the code at the head. One round trip.
 *
 * @returns its allocations in the order of the deployment.
 * @throws SlipwayError as `verifySplitterDeployment`.
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

/** An event by its emitter and its topics. */
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

/** Searches all older blocks with one query, or backwards in ranges where the node refuses that query. */
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
