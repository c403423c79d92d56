import { SlipwayError } from "@slipway/protocol/errors";
import { toAllocations } from "@slipway/protocol/intent";
import type { LaunchProgress } from "@slipway/protocol/launchProgress";
import { checksummed } from "@slipway/protocol/primitives";
import { type Allocation, sameAllocations } from "@slipway/protocol/splitter";
import { getContractAddress, type Hex } from "viem";
import { z } from "zod";
import { getProvenManifest, type Head, type ProvenManifest, readCodes, readHead } from "../../chain/readChain.ts";
import { awaitChain } from "../../chain/rpcError.ts";
import {
  findFactoryTransaction,
  findSplitterCreation,
  verifySplitterDeployment,
} from "../../chain/verifySplitterDeployment.ts";
import type { Deps } from "../../deps.ts";
import { predictMadeSplitter } from "../../transactions/madeSplitter.ts";
import type { StoredDraft } from "../../transactions/queries.ts";
import { findDraftWallets, listDraftLaunches, listPreparedCreations, type PreparedCreation } from "./queries.ts";

/** Number of nonces to search from the prepared nonce, because a wallet may send other transactions first. */
const searchedNonces = 8;

/** Maximum number of verified splitters of a draft, because each verification needs several requests to the chain. */
const maxVerifiedSplitters = 10;

/** Maximum number of wallets that count as possible creators of a draft without recipients. */
const maxCreators = 8;

const hex = z.custom<Hex>((value) => typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value));
const sentTransaction = z.object({ hash: hex, from: hex, to: hex.nullish(), blockNumber: hex, blockHash: hex });

type Splitter = LaunchProgress["splitters"][number];

/**
 * Reads the launches of a draft from the index, and its splitters from the chain, each with the proof that a launch
 * needs. A splitter counts if its allocations equal the draft's and its creator is a wallet that the account has linked
 * or has prepared this draft with, so that copies of other accounts are not shown.
 *
 * @throws SlipwayError `manifest_missing`, `manifest_unverified`, `chain_unavailable`, `index_unavailable`.
 */
export async function readProgress(
  deps: Pick<Deps, "chain" | "db" | "readModel">,
  accountId: string,
  draft: Pick<StoredDraft, "id" | "intent" | "options">,
): Promise<LaunchProgress> {
  const proven = getProvenManifest(deps.chain);
  await deps.readModel.getFreshIndex();
  const [rows, wallets, creations] = await Promise.all([
    listDraftLaunches(deps.db.api, draft.id),
    findDraftWallets(deps.db.api, accountId, draft.id),
    listPreparedCreations(deps.db.api, draft.id),
  ]);
  const launches = rows.map((row) => ({
    token: checksummed(row.token),
    tx_hash: row.tx_hash,
    wallet: checksummed(row.creator),
    splitter: checksummed(row.splitter),
    salt: row.salt,
    block_number: row.block_number,
  }));
  const variants = listAllocations(draft, wallets);
  if (draft.intent.chain_id !== proven.manifest.chain_id || variants.length === 0) return { splitters: [], launches };
  const named = launches.map(({ splitter }) => splitter).slice(-maxVerifiedSplitters);
  const splitters = await findSplitters(deps, proven, { draftId: draft.id, variants, creations, named, wallets });
  return { splitters, launches };
}

/**
 * Lists the allocations that a launch of the draft can have: the draft's recipients, or, for a draft that needs none, each
 * wallet that can be the creator.
 */
function listAllocations({ intent, options }: Pick<StoredDraft, "intent" | "options">, wallets: ReadonlySet<string>) {
  const hasRecipients = (intent.recipients ?? []).length > 0;
  const creators = options?.creator ? [options.creator] : [...wallets].slice(0, hasRecipients ? 1 : maxCreators);
  return creators.map((creator) => toAllocations(intent, creator)).filter((allocations) => allocations.length > 0);
}

type Search = {
  draftId: string;
  /** The allocations that the draft's splitter can have. */
  variants: readonly Allocation[][];
  creations: readonly PreparedCreation[];
  /** The splitters of the draft's launches. */
  named: readonly Hex[];
  /** In lower case. */
  wallets: ReadonlySet<string>;
};

async function findSplitters(
  { chain }: Pick<Deps, "chain">,
  proven: ProvenManifest,
  search: Search,
): Promise<Splitter[]> {
  const { manifest } = proven;
  const [head, created] = await Promise.all([
    readHead(chain, manifest.chain_id),
    listCreatedAddresses(chain, search.creations),
  ]);
  const made = search.variants.map((allocations) => predictMadeSplitter(manifest, search.draftId, allocations));
  const codesOfDraft = new Set(made.map(({ code }) => code));
  const addresses = [...new Set([...made.map(({ address }) => address), ...created, ...search.named])];
  const codes = await readCodes(chain, addresses, head.number);
  const candidates = addresses
    .filter((_, index) => codesOfDraft.has(codes[index]!.toLowerCase() as Hex))
    .slice(0, maxVerifiedSplitters);
  const found = await Promise.all(candidates.map((address) => readSplitter(chain, proven, address, search, head)));
  const splitters = found.filter((splitter) => splitter !== null);
  return splitters.sort((a, b) => a.block_number - b.block_number);
}

/** Lists the addresses at which wallets have created contracts since a creation was prepared. One round trip. */
async function listCreatedAddresses(
  chain: Pick<Deps["chain"], "request">,
  creations: readonly PreparedCreation[],
): Promise<Hex[]> {
  const wallets = [...new Set(creations.map(({ wallet }) => wallet))];
  const counts = await awaitChain(
    Promise.all(wallets.map((from) => chain.request({ method: "eth_getTransactionCount", params: [from, "latest"] }))),
  );
  const nonces = new Map(wallets.map((wallet, index) => [wallet, Number(hex.parse(counts[index]))]));
  return creations.flatMap(({ wallet, account_nonce: first }) => {
    const end = Math.min(nonces.get(wallet)!, first + searchedNonces);
    return Array.from({ length: Math.max(0, end - first) }, (_, index) =>
      getContractAddress({ from: wallet as Hex, nonce: BigInt(first + index) }),
    );
  });
}

/** Verifies a splitter and reads its creation; null if not proven or not created by a wallet of the account. */
async function readSplitter(
  chain: Deps["chain"],
  { manifest, verifiedAtBlock }: ProvenManifest,
  address: Hex,
  { variants, wallets }: Search,
  head: Head,
): Promise<Splitter | null> {
  const creation = await findSplitterCreation(chain, address, manifest.current, verifiedAtBlock);
  const verified = await verifySplitterDeployment(chain, address, creation, manifest.current, head).catch(
    (error: unknown) => {
      if (error instanceof SlipwayError && refusals.has(error.code)) return null;
      throw error;
    },
  );
  if (verified === null || !variants.some((allocations) => sameAllocations(verified, allocations))) return null;
  const hash = creation.isFactoryMade
    ? await findFactoryTransaction(chain, address, manifest.current, head)
    : creation.transactionHashes[0]!;
  const answer = await awaitChain(chain.request({ method: "eth_getTransactionByHash", params: [hash] }));
  const parsed = sentTransaction.safeParse(answer);
  if (!parsed.success) throw new SlipwayError("chain_unavailable", "The node does not have the splitter's creation.");
  const { from, to, blockNumber } = parsed.data;
  // The factory's event does not name the caller: the sender, or the contract wallet that the transaction calls.
  const wallet = [from, ...(creation.isFactoryMade && to ? [to] : [])].find((one) => wallets.has(one.toLowerCase()));
  if (wallet === undefined) return null;
  return {
    address,
    tx_hash: hash,
    wallet: checksummed(wallet),
    method: creation.isFactoryMade ? "factory" : "creation",
    block_number: Number(blockNumber),
  };
}

/** Error codes of the verification for a contract that is not a splitter of this draft. */
const refusals = new Set<string>(["splitter_not_deployed", "splitter_mismatch"]);
