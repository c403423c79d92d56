import type { GasStationToken, Manifest } from "@slipway/protocol/manifest";
import {
  getProductName,
  type PaymentOffer,
  type PaymentRequirements,
  type Product,
  paymentTimeoutSeconds,
} from "@slipway/protocol/payments";
import { checksummed } from "@slipway/protocol/primitives";
import { type Hex, parseUnits } from "viem";
import type { Runtime } from "../runtime.ts";
import type { RelayerKey } from "./relayerKey.ts";

/** A product with its price in base units of the asset. */
export type PricedProduct = { product: Product; amount: bigint };

/** The terms of payments: the asset with its EIP-712 domain, the payee and the prices. */
export type PaymentTerms = {
  chainId: number;
  network: string;
  asset: Hex;
  symbol: string;
  domain: { name: string; version: string };
  payee: Hex;
  /** The lowest price first. */
  prices: readonly PricedProduct[];
};

/** The offers of payments. They need neither the chain nor the database. */
export type PaymentOffers = {
  /** The terms, or why the service takes no payments. */
  getTerms(): PaymentTerms | { reason: string };
  /**
   * Creates an offer of the products that a filter selects; null if the service takes no payments, or has no such product.
   *
   * @param error - Why a payment is required, for the caller.
   */
  createOffer(error: string, isOffered: (product: Product) => boolean): PaymentOffer | null;
};

const paymentsPath = "/api/account/payments";

/** The CAIP-2 id of a chain. */
export const toNetwork = (chainId: number): string => `eip155:${chainId}`;

/** Creates the offers of a process from its settings and the proven manifest. */
export function createPaymentOffers(
  { chain, config }: Pick<Runtime, "chain" | "config">,
  relayer: RelayerKey | null,
): PaymentOffers {
  const { PAYMENT_RECIPIENT: recipient, SITE_URL: siteUrl } = config;

  const getTerms = (): PaymentTerms | { reason: string } => {
    if (recipient === undefined || relayer === null) return { reason: "The operator has not configured payments." };
    const { manifest, verified, disabledGasTokens } = chain.manifestState();
    if (manifest === null || !verified) return { reason: "The chain is not proven against the pinned manifest." };
    const token = findPaymentAsset(manifest);
    if (token === null) return { reason: "The manifest names no stablecoin with an EIP-712 domain." };
    const { decimals, symbol } = token;
    if (disabledGasTokens.has(token.address.toLowerCase())) return { reason: `${symbol} has changed.` };
    if (config.PAYMENT_PRICES.some(({ price }) => (price.split(".")[1] ?? "").length > decimals))
      return { reason: `A price has more decimals than ${symbol}.` };
    const priced = config.PAYMENT_PRICES.map(({ product, price }) => ({
      product,
      amount: parseUnits(price, decimals),
    }));
    return {
      chainId: manifest.chain_id,
      network: toNetwork(manifest.chain_id),
      asset: checksummed(token.address),
      symbol,
      domain: token.permit_domain,
      payee: checksummed(recipient),
      prices: priced.sort((a, b) => (a.amount < b.amount ? -1 : 1)),
    };
  };

  return {
    getTerms,
    createOffer: (error, isOffered) => {
      const terms = getTerms();
      if ("reason" in terms) return null;
      const accepts = terms.prices
        .filter(({ product }) => isOffered(product))
        .map((priced) => toRequirements(terms, priced));
      if (accepts.length === 0) return null;
      const resource = {
        url: siteUrl === undefined ? paymentsPath : new URL(paymentsPath, siteUrl).href,
        description: "Takes a signed payment for credits or a plan",
        mimeType: "application/json",
      };
      return { x402Version: 2, error, resource, accepts };
    },
  };
}

const toRequirements = (terms: PaymentTerms, { product, amount }: PricedProduct): PaymentRequirements => ({
  scheme: "exact",
  network: terms.network,
  amount: amount.toString(),
  asset: terms.asset,
  payTo: terms.payee,
  maxTimeoutSeconds: paymentTimeoutSeconds,
  extra: { assetTransferMethod: "eip3009", ...terms.domain, product: getProductName(product) },
});

type PaymentAsset = GasStationToken & { permit_domain: NonNullable<GasStationToken["permit_domain"]> };

/** The manifest's stablecoin, if the manifest also has its EIP-712 domain; a payer signs for this domain. */
function findPaymentAsset({ eth_usd, gas_station_tokens }: Manifest): PaymentAsset | null {
  const address = eth_usd?.stablecoin.address.toLowerCase();
  const token = gas_station_tokens.find((one) => one.address.toLowerCase() === address);
  return token?.permit_domain ? (token as PaymentAsset) : null;
}
