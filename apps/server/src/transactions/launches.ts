import { SlipwayError } from "@slipway/protocol/errors";
import { poolAddress } from "@slipway/protocol/launchAddress";
import type { LaunchDeployment, Manifest } from "@slipway/protocol/manifest";
import type { Chain } from "../chain/chain.ts";
import { listDeployments } from "../chain/readManifest.ts";
import type { Database } from "../db/database.ts";
import { isSameAddress } from "./isSameAddress.ts";
import { findLaunches, type IndexedLaunch } from "./launchQueries.ts";
import { workWithRows } from "./speculation.ts";

/** A launch, and its deployment in the manifest. */
export type SupportedLaunch = { launch: IndexedLaunch; deployment: LaunchDeployment };

type LaunchDeps = { chain: Pick<Chain, "seenReads">; db: Pick<Database, "read"> };

/** The request field with a token's address, and details, for the error. */
type TokenLocation = { field: string; details?: Record<string, unknown> };

/**
 * Loads launches of tokens from the index, in the order of the tokens, and runs `work` with them.
 *
 * Checks each launch against the manifest: the manifest must list the launch's deployment (current or earlier), and the
 * launch's pool must be the address that the manifest's Uniswap factory derives for the token. So a wrong row of the
 * index never reaches a transaction.
 *
 * @param work - May run twice, and must have no side effects.
 * @param locate - Returns the location of a token in the request, for the error.
 * @returns The result and the launches.
 * @throws SlipwayError `pool_not_supported` for the first token without a launch; errors of `work`.
 */
export async function withLaunches<T>(
  { chain, db }: LaunchDeps,
  manifest: Manifest,
  tokens: readonly string[],
  work: (launches: SupportedLaunch[]) => Promise<T>,
  locate: (index: number) => TokenLocation,
): Promise<{ launches: SupportedLaunch[]; result: T }> {
  const load = async () => {
    const found = await findLaunches(db.read, tokens);
    return tokens.map((token, index) => {
      const row = found.find((launch) => isSameAddress(launch.token, token));
      const supported = checkLaunch(row, manifest);
      if (supported !== null) return supported;
      throw new SlipwayError("pool_not_supported", undefined, locate(index));
    });
  };
  const memory = { key: `launches ${tokens.join(" ")}`, weight: tokens.length };
  const { rows, result } = await workWithRows(chain, memory, load, work);
  return { launches: rows, result };
}

/** Works like `withLaunches`, with the launch of one token. */
export async function withLaunch<T>(
  deps: LaunchDeps,
  manifest: Manifest,
  token: string,
  work: (supported: SupportedLaunch) => Promise<T>,
): Promise<SupportedLaunch & { result: T }> {
  const workWithOne = async ([launch]: SupportedLaunch[]) => await work(launch!);
  const locate = () => ({ field: "token" });
  const { launches, result } = await withLaunches(deps, manifest, [token], workWithOne, locate);
  return { ...launches[0]!, result };
}

function checkLaunch(launch: IndexedLaunch | undefined, manifest: Manifest): SupportedLaunch | null {
  if (launch === undefined) return null;
  const deployment = listDeployments(manifest).find(
    (candidate) =>
      isSameAddress(candidate.launch_factory.address, launch.launchFactory) &&
      isSameAddress(candidate.fee_locker.address, launch.feeLocker),
  );
  if (deployment === undefined) return null;
  const pool = poolAddress(
    manifest.uniswap.factory.address as `0x${string}`,
    manifest.uniswap.pool_init_code_hash as `0x${string}`,
    launch.token,
    manifest.wrapped_native.address as `0x${string}`,
    launch.feeBps * 100,
  );
  const isGenuine =
    isSameAddress(pool, launch.pool) && isSameAddress(launch.quoteToken, manifest.wrapped_native.address);
  return isGenuine ? { launch, deployment } : null;
}
