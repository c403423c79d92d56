import type { Runtime } from "../../runtime.ts";
import { createKuboPinning } from "./kubo.ts";
import { createPinataPinning } from "./pinata.ts";
import type { PinningService } from "./pinningService.ts";
import { createPsaPinning } from "./psa.ts";

const pinataUrl = "https://api.pinata.cloud";

/** Creates the configured pinning service; null without one. */
export function createPinning({ config, clock }: Pick<Runtime, "config" | "clock">): PinningService | null {
  const { PINNING_PROVIDER, PINNING_URL, PINNING_TOKEN: token, PINNING_ORIGINS: origins } = config;
  const url = (PINNING_URL ?? pinataUrl).replace(/\/+$/, "");
  if (PINNING_PROVIDER === "kubo") return createKuboPinning({ url, token });
  if (PINNING_PROVIDER === "psa") return createPsaPinning({ url, token, origins, clock });
  return PINNING_PROVIDER === "pinata" ? createPinataPinning({ url, token }) : null;
}
