import { setImmediate } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { SlipwayError } from "@slipway/protocol/errors";
import { poolAddress } from "@slipway/protocol/launchAddress";
import type { LaunchDeployment, Manifest } from "@slipway/protocol/manifest";
import type { Chain } from "../chain/chain.ts";
import { listDeployments } from "../chain/readManifest.ts";
import { speculate } from "../chain/speculate.ts";
import type { Database } from "../db/database.ts";
import { findLaunches, type IndexedLaunch } from "./launchQueries.ts";

const isSameAddress = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** A launch and the deployment of the manifest that it belongs to. */
export type SupportedLaunch = { launch: IndexedLaunch; deployment: LaunchDeployment };

type LaunchDeps = { chain: Pick<Chain, "seenReads">; db: Pick<Database, "read"> };

/**
 * Loads launches of tokens from the index, in their order, and works with them. Where they were loaded a moment ago, the
 * work starts with these while the index is asked whether it still says the same.
 *
 * A launch is checked against the manifest, which lists its deployment (current or earlier) and whose Uniswap factory
 * derives its pool for the token. A wrong row of the index therefore never reaches a transaction.
 *
 * @param work - May run twice, and must change nothing.
 * @param locate - Where the request names a token, for the error.
 * @returns Also the latest indexed price of one ETH in USD; null when there is none.
 * @throws SlipwayError `pool_not_supported`, which names the first token without one; what `work` throws.
 */
export async function workWithLaunches<T>(
  { chain, db }: LaunchDeps,
  manifest: Manifest,
  tokens: readonly string[],
  work: (launches: SupportedLaunch[]) => Promise<T>,
  locate = (index: number): { field: string; details?: Record<string, unknown> } => ({
    field: `tokens[${index}]`,
    details: { token: tokens[index] },
  }),
): Promise<{ launches: SupportedLaunch[]; ethUsd: number | null; result: T }> {
  const key = `launches ${tokens.join(" ")}`;
  const load = async () => {
    const { launches: found, ethUsd } = await findLaunches(db.read, tokens);
    const launches = tokens.map((token, index) => {
      const supported = checkLaunch(
        found.find((launch) => isSameAddress(launch.token, token)),
        manifest,
      );
      if (supported !== null) return supported;
      throw new SlipwayError("pool_not_supported", undefined, locate(index));
    });
    chain.seenReads.note(key, launches, tokens.length);
    return { launches, ethUsd };
  };
  const seen = chain.seenReads.find(key) as SupportedLaunch[] | null;
  // The chain takes longer than the index, so its requests go first: they are sent in an immediate that the work, which
  // starts after this, asks for before this one.
  const loadAfterWork = async () => {
    await Promise.resolve();
    await setImmediate();
    return await load();
  };
  const { value, result } = await speculate<{ launches: SupportedLaunch[] }, Awaited<ReturnType<typeof load>>, T>({
    expected: seen === null ? null : { launches: seen },
    read: seen === null ? load : loadAfterWork,
    isExpected: ({ launches }, expected) => isDeepStrictEqual(launches, expected.launches),
    work: async ({ launches }) => await work(launches),
  });
  return { ...value, result };
}

/** As `workWithLaunches` with the launch of one token. */
export async function workWithLaunch<T>(
  deps: LaunchDeps,
  manifest: Manifest,
  token: string,
  work: (supported: SupportedLaunch) => Promise<T>,
): Promise<SupportedLaunch & { ethUsd: number | null; result: T }> {
  const workWithOne = async ([launch]: SupportedLaunch[]) => await work(launch!);
  const locate = () => ({ field: "token" });
  const { launches, ethUsd, result } = await workWithLaunches(deps, manifest, [token], workWithOne, locate);
  return { ...launches[0]!, ethUsd, result };
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
