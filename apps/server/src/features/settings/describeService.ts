import { getChainFacts } from "@slipway/protocol/chains";
import { defaultFeeBps, feeTiersBps, protocolFeeBps } from "@slipway/protocol/feeTiers";
import type { LaunchDeployment, Manifest } from "@slipway/protocol/manifest";
import { checksummed } from "@slipway/protocol/primitives";
import type { Settings } from "@slipway/protocol/settings";
import { listContracts } from "@slipway/protocol/verify/listContracts";
import type { ManifestState } from "../../chain/chain.ts";
import type { Config } from "../../config.ts";
import type { SignInSettings } from "../../providers/identity/signInSettings.ts";
import type { StationSummary } from "../../relayer/stationStatus.ts";
import { listTradeAssets } from "../../transactions/tradeAssets.ts";

/**
 * The fee policy without a manifest: 10 bp for the protocol at every tier; only 100 is launchable. Source: the spec.
 */
const proposedPolicy: Settings["fee_policy"] = {
  protocol_bps: protocolFeeBps,
  tiers: feeTiersBps.map((fee_bps) => ({
    fee_bps,
    protocol_bps: protocolFeeBps,
    collaborators_bps: fee_bps - protocolFeeBps,
    launchable: fee_bps === defaultFeeBps,
  })),
};

/** The fee policy of a deployment, without the tick spacings of its pools. */
const toPolicy = ({ fee_policy: { protocol_bps, tiers } }: LaunchDeployment): Settings["fee_policy"] => ({
  protocol_bps,
  tiers: tiers.map(({ tick_spacing: _, ...tier }) => tier),
});

const on = { configured: true, reason: null };
const off = (reason: string) => ({ configured: false, reason });

/** The status of the gas station, and its markup in basis points. */
export type GasStationState = {
  status: StationSummary;
  markupBps: number;
};

/** Describes the manifest, the capabilities and the gas station for GET /config. */
export function describeService(
  state: ManifestState,
  gas: GasStationState,
  signIn: SignInSettings,
  images: Pick<Config, "MEDIA_PUBLIC_URL" | "SITE_URL" | "PINNING_PROVIDER">,
): Pick<
  Settings,
  "fee_policy" | "providers" | "capabilities" | "gas_station" | "trade_assets" | "contracts" | "manifest"
> {
  const { manifest } = state;
  const transactions = manifest === null ? off("No manifest is configured.") : on;
  const hasMediaUrl = images.MEDIA_PUBLIC_URL !== undefined || images.SITE_URL !== undefined;
  return {
    fee_policy: manifest === null ? proposedPolicy : toPolicy(manifest.current),
    providers: {
      wallet: { available: true },
      code_host: { available: signIn.linkable.includes("code_host") },
      social: { available: signIn.linkable.includes("social") },
    },
    capabilities: {
      index: transactions,
      usd_prices: manifest?.eth_usd ? on : off("The manifest names no ETH/USD pool."),
      splits: transactions,
      launch: transactions,
      trade: transactions,
      fee_claims: transactions,
      gas_station: { configured: gas.status.configured, reason: gas.status.reason },
      image_uploads: hasMediaUrl ? on : off("SITE_URL and MEDIA_PUBLIC_URL are not set."),
      image_pinning: images.PINNING_PROVIDER === undefined ? off("Not configured by the operator.") : on,
      sign_in: signIn.reason === null ? on : off(signIn.reason),
    },
    gas_station: {
      available: gas.status.available,
      station: manifest?.gas_station ? checksummed(manifest.gas_station.address) : null,
      markup_bps: gas.markupBps,
      tokens: listGasTokens(state),
    },
    trade_assets: listTradeAssets(state).map(({ token, symbol, decimals, permitDomain }) => ({
      address: token,
      symbol,
      decimals,
      permit: permitDomain !== null,
    })),
    contracts: manifest === null ? {} : getContracts(manifest),
    manifest: {
      sha256: state.sha256,
      pinned: manifest !== null,
      verified: state.verified,
      verified_at_block: state.verifiedAtBlock === null ? null : Number(state.verifiedAtBlock),
    },
  };
}

/** Describes the chain for a wallet that adds it. */
export function describeChain(
  chainId: number,
  manifest: Manifest | null,
  { CHAIN_NAME, PUBLIC_RPC_URLS }: Pick<Config, "CHAIN_NAME" | "PUBLIC_RPC_URLS">,
): Settings["chain"] {
  return {
    name: CHAIN_NAME ?? `Chain ${chainId}`,
    native_currency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpc_urls: PUBLIC_RPC_URLS,
    explorer_url: manifest?.explorer_url ?? null,
    testnet: getChainFacts(chainId).testnet,
  };
}

/** Lists the accepted tokens without those whose own checks failed. */
function listGasTokens(state: ManifestState): Settings["gas_station"]["tokens"] {
  return (state.manifest?.gas_station_tokens ?? [])
    .filter((token) => !state.disabledGasTokens.has(token.address.toLowerCase()))
    .map(({ address, symbol, decimals, permit }) => ({ address: checksummed(address), symbol, decimals, permit }));
}

function getContracts(manifest: Manifest): Settings["contracts"] {
  return Object.fromEntries(
    Object.entries(listContracts(manifest)).map(([name, address]) => [name, checksummed(address)]),
  );
}
