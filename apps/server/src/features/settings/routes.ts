import { businessCategories } from "@slipway/protocol/businessCategories";
import type { Settings } from "@slipway/protocol/settings";
import { getServedChainId } from "../../chain/chain.ts";
import type { Deps } from "../../deps.ts";
import { getSignInSettings } from "../../providers/identity/signInSettings.ts";
import { createRoute, type Route } from "../../route.ts";
import { describeChain, describeService } from "./describeService.ts";

const apiVersion = "0.1.0";

/** Creates the route that describes this deployment. */
export function settingsRoutes(deps: Deps): Route[] {
  const reads = deps.readModel;
  return [
    createRoute("getConfig", {
      cache: "public-10s",
      handle: async (): Promise<Settings> => {
        const chainId = getServedChainId(deps);
        const { oracle, quote } = await reads.getEthUsd();
        return {
          api_version: apiVersion,
          chain_id: chainId,
          eth_usd: oracle.price,
          eth_usd_source_pool: oracle.pool ?? "",
          eth_usd_as_of: oracle.observed_at,
          quote,
          oracle,
          chain: describeChain(chainId, deps.chain.manifestState().manifest, deps.config),
          paymaster_url: deps.config.PAYMASTER_URL ?? null,
          business_categories: [...businessCategories],
          ...describeService(
            deps.chain.manifestState(),
            { status: await deps.gasStation.summarize(), markupBps: deps.config.GAS_STATION_MARKUP_BPS },
            getSignInSettings(deps.config),
            deps.config,
          ),
        };
      },
    }),
  ];
}
