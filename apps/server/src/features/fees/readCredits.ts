import { feeLockerAbi } from "@slipway/protocol/contracts/feeLocker";
import { type Hex, zeroAddress } from "viem";
import { readContracts } from "../../chain/readContracts.ts";
import type { Head } from "../../chain/readHead.ts";
import type { IndexedLaunch } from "../../db/findLaunch.ts";
import type { Deps } from "../../deps.ts";
import type { FeeAmount } from "./claimStage.ts";

/**
 * What settling would pay to whom: the credits of a launch at the locker. One round trip.
 *
 * @throws SlipwayError `chain_unavailable`.
 */
export async function readCredits(
  chain: Deps["chain"],
  launch: IndexedLaunch,
  assets: readonly Hex[],
  head: Head,
): Promise<FeeAmount[]> {
  const locker = { address: launch.feeLocker, abi: feeLockerAbi } as const;
  const [[treasury, position], ledgers] = await Promise.all([
    readContracts(chain, head.number, [
      { ...locker, functionName: "treasury" },
      { ...locker, functionName: "positionOf", args: [launch.token] },
    ]),
    readContracts(
      chain,
      head.number,
      assets.map((asset) => ({ ...locker, functionName: "ledgerOf", args: [launch.token, asset] }) as const),
    ),
  ]);
  return assets.flatMap((asset, i) => {
    const ledger = ledgers[i]!;
    return [
      { asset, to: position.splitter, amount: ledger.collaboratorsCredit },
      { asset, to: treasury, amount: ledger.protocolCredit },
      ...(position.partner === zeroAddress ? [] : [{ asset, to: position.partner, amount: ledger.partnerCredit }]),
    ];
  });
}
