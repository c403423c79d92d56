import type { Claim } from "@slipway/protocol/verify/orderedCalls";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { Answer } from "../../data/queries.ts";
import { readOptions } from "../../data/queries.ts";
import { formatUsd } from "../../format/figures.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { useServices } from "../../session/services.tsx";
import { Address } from "../../ui/address.tsx";
import { Amount } from "../../ui/amount.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";

type Prepared = Answer<"prepareClaimCalls">;
type Token = Answer<"listTokens">["items"][number];

const decimals = 18;
const native = /^0x0{40}$/;

/** Reads what a claim would pay now: the service simulates the claim. @param claim - Null without a token. */
export function useClaimPreview(claim: Claim | null): UseQueryResult<Prepared> {
  const { api } = useServices();
  return useQuery({
    queryKey: ["prepareClaimCalls", claim],
    queryFn: ({ signal }) => {
      const { wallet, tokens, unwrap, stages } = claim!;
      return api.prepareClaimCalls({ wallet, tokens: [...tokens], unwrap, stages }, { signal });
    },
    enabled: claim !== null,
    retry: false,
    // Another account of this browser must not see the amounts.
    gcTime: 0,
  });
}

/** The payments of a claim, one for each asset and receiver, with their value in USD and the sum. */
export function ClaimPreview({ claim, preview }: { claim: Claim; preview: UseQueryResult<Prepared> }) {
  const { fees: text } = useMessages();
  const { data: tokens } = useQuery(readOptions("listTokens", { addresses: claim.tokens.join() }));
  const { data } = preview;
  if (data === undefined) {
    // Without the amounts, the claim itself still works and shows its own error.
    return preview.isError ? null : <Skeleton className="h-12 w-full" />;
  }
  const payments = (data.expected?.amounts ?? []).filter(({ amount }) => amount !== "0");
  if (data.status === "nothing_to_do" || payments.length === 0) {
    return <p className="text-sm font-semibold">{text.nothingNow}</p>;
  }
  const shown = payments.map(({ asset, to, amount }) => ({
    asset,
    to,
    amount: BigInt(amount),
    ...describeAsset(asset, tokens?.items ?? []),
  }));
  const values = shown.map(({ amount, priceUsd }) => (priceUsd === null ? null : (Number(amount) / 1e18) * priceUsd));
  const total = values.includes(null) ? null : values.reduce<number>((sum, value) => sum + (value ?? 0), 0);
  return (
    <div className="rounded-md bg-sunken p-3" role="status">
      <p className="flex items-baseline justify-between gap-4">
        <span className="text-sm text-muted">{text.payable}</span>
        <span className="text-lg font-bold">{formatUsd(total)}</span>
      </p>
      <ul className="mt-1 flex flex-col gap-0.5 text-sm">
        {shown.map(({ asset, to, amount, symbol }, index) => (
          <li key={`${asset}${to}`} className="flex flex-wrap items-baseline justify-between gap-x-4">
            <span className="min-w-0 font-semibold break-all">
              <Amount value={amount} decimals={decimals} symbol={symbol} />
            </span>
            <span className="text-muted">{formatUsd(values[index]!)}</span>
            {to.toLowerCase() === claim.wallet.toLowerCase() ? null : (
              <span className="basis-full text-xs text-muted">
                {text.paidTo} <Address value={to} to={null} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Returns an asset's symbol and USD price, from the claimed tokens; null for an unknown price. */
function describeAsset(asset: string, tokens: readonly Token[]): { symbol: string; priceUsd: number | null } {
  const token = tokens.find(({ address }) => address.toLowerCase() === asset.toLowerCase());
  if (token !== undefined) return { symbol: token.symbol, priceUsd: token.price_usd };
  const priced = tokens.find(({ price_usd, price_eth }) => price_usd !== null && price_eth !== null && price_eth > 0);
  const priceUsd = priced === undefined ? null : priced.price_usd! / priced.price_eth!;
  return { symbol: native.test(asset) ? "ETH" : "WETH", priceUsd };
}
