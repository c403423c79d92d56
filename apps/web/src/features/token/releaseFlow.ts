import type { Client } from "@slipway/sdk/createLeanClient";
import { importFile } from "../../ui/importFile.ts";
import type { FlowDefinition } from "../../wallet/flowDefinition.ts";
import { WalletError } from "../../wallet/provider.ts";

/** The release of a token's vesting by the connected wallet. */
export type ReleaseOrder = { token: string; wallet: string; vesting: string };

export const getReleaseFlow = (token: string): string => `release:${token.toLowerCase()}`;

/** Creates the flow that releases the vested tokens to their beneficiary. Any wallet can send it. */
export function createReleaseFlow(api: Pick<Client, "prepareVestingRelease">, order: ReleaseOrder): FlowDefinition {
  return {
    flow: getReleaseFlow(order.token),
    request: order,
    lastSteps: ["release_vesting"],
    prepare: async (signal) => {
      const { token, wallet, vesting } = order;
      const { transaction } = await api.prepareVestingRelease({ token, wallet }, { signal });
      if (transaction === null) return { kind: "done" };
      const { encodeReleaseVesting } = await importFile(() => import("@slipway/protocol/vesting"));
      const { to, data, value } = transaction;
      // The function has no other receiver than the vesting's beneficiary.
      const isRelease = to?.toLowerCase() === vesting.toLowerCase() && data === encodeReleaseVesting(token);
      if (!isRelease || BigInt(value) !== 0n) throw new WalletError("not_as_asked");
      return { kind: "transaction", name: "release_vesting", transaction };
    },
  };
}
