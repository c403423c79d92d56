import type { Deps } from "../../deps.ts";
import { createRelayerKey, type RelayerKey } from "./relayerKey.ts";

const keys = new WeakMap<Deps["config"], RelayerKey>();

/** The relayer of a process, or null when its operator gave it no key. */
export function relayerOf({ config }: Pick<Deps, "config">): RelayerKey | null {
  if (config.RELAYER_PRIVATE_KEY === undefined) return null;
  let key = keys.get(config);
  if (key === undefined) {
    key = createRelayerKey(config.RELAYER_PRIVATE_KEY);
    keys.set(config, key);
  }
  return key;
}
