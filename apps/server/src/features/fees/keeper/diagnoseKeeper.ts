import { formatEther } from "viem";
import type { Chain } from "../../../chain/chain.ts";
import type { Config } from "../../../config.ts";
import type { Finding } from "../../../db/diagnoseDatabase.ts";
import { getKeeperSecret } from "../../../keeperSettings.ts";
import { createRelayerKey } from "../../../relayer/relayerKey.ts";

/** Checks the keeper of fees: role, Multicall3, and the balance of its key. Names only the key's address. */
export async function diagnoseKeeper(config: Config, chain: Chain): Promise<Finding[]> {
  const secret = getKeeperSecret(config);
  if (secret === null) return [];
  const { address } = createRelayerKey(secret);
  const find = (level: Finding["level"], text: string): Finding => ({ check: "keeper", level, text });
  if (!config.ROLES.includes("worker"))
    return [find("warning", "a key is set, but this process has no role worker; remove the key, or add the role")];
  const { manifest } = chain.manifestState();
  if (manifest !== null && manifest.multicall3 === null)
    return [find("problem", "the manifest names no multicall3, which the keeper needs; add it to the manifest")];
  const balance = await chain.client.getBalance({ address }).catch(() => null);
  if (balance === null) return [find("problem", `the balance of ${address} is unknown: no endpoint responds`)];
  const text = `${address} has ${formatEther(balance)} native`;
  if (balance >= config.KEEPER_FLOOR_WEI) return [find("ok", text)];
  return [find("problem", `${text}, less than KEEPER_FLOOR_WEI: it sends nothing; send native to it`)];
}
