import type { LaunchParams } from "@slipway/protocol/launchAddress";
import { predictToken } from "@slipway/protocol/vanitySearch";
import type { AskedCall, Contracts } from "@slipway/protocol/verify/check";
import { readLaunchCall } from "@slipway/protocol/verify/preparedLaunch";
import { isLaunchCall } from "@slipway/protocol/verify/reviewedLaunch";
import { WalletError } from "../../wallet/provider.ts";

type ShownToken = { creator: string; contracts: Contracts; token: string };

/**
 * Asserts that each launch among the calls creates the token that the page has shown. Loaded with a searched address.
 *
 * @throws WalletError `not_as_asked`
 */
export function requireToken(calls: readonly AskedCall[], shown: ShownToken): void {
  for (const call of calls.filter((each) => isLaunchCall(each, shown.contracts.launch_factory!)))
    requireTokenOf(readLaunchCall(call, shown.creator), shown);
}

/** Asserts that a launch by its creator makes the token. @throws WalletError `not_as_asked` */
export function requireTokenOf(
  launch: { creator: string; params: object } | null,
  { contracts, token }: Pick<ShownToken, "contracts" | "token">,
): void {
  if (launch === null || predictToken(contracts, launch.creator, launch.params as LaunchParams) !== token)
    throw new WalletError("not_as_asked");
}
