import type { TokenDetail } from "@slipway/protocol/indexed";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { readOptions } from "../../data/queries.ts";
import { formatAmount } from "../../format/amount.ts";
import { toDisplayText } from "../../format/displayText.ts";
import { createNumberFormat } from "../../format/formats.ts";
import { useMessages } from "../../messages/useMessages.ts";
import { Address } from "../../ui/address.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Panel } from "../../ui/panel.tsx";

const percent = createNumberFormat({ maximumFractionDigits: 2 });

const Fact = ({ holds, children }: { holds: boolean; children: ReactNode }) => (
  <li className="flex gap-2">
    <Icon name={holds ? "check" : "warning"} className={`mt-0.5 ${holds ? "text-buy" : "text-warn"}`} />
    <span className="min-w-0">{children}</span>
  </li>
);

/** The permanent properties of a token, and the contracts that guarantee them. */
export function TrustPanel({ token }: { token: TokenDetail }) {
  const texts = useMessages().token;
  const manifest = useQuery({ ...readOptions("getConfig", undefined), staleTime: 60_000 }).data?.manifest;
  const { security, liquidity_lock: lock, symbol } = token;
  const isProven = !token.warnings.some(({ code }) => code === "splitter_unproven" || code === "splitter_unchecked");
  const supply = `${formatAmount(BigInt(token.total_supply), token.decimals)} ${toDisplayText(symbol)}`;
  const contracts: readonly (readonly [string, string | null])[] = [
    [texts.tokenContract, token.address],
    [texts.pool, token.pool],
    [texts.splitter, token.splitter],
    [texts.locker, lock.locker],
    [texts.creator, token.creator],
  ];
  return (
    <Panel title={texts.trustTitle}>
      <ul className="flex flex-col gap-2 text-sm">
        {security.mintable ? null : <Fact holds>{texts.supplyFixed(supply)}</Fact>}
        {security.pausable || security.owner !== null ? null : <Fact holds>{texts.noPause}</Fact>}
        <Fact holds={lock.percent_locked === 100}>{texts.liquidityLocked(`${percent(lock.percent_locked)}%`)}</Fact>
        {token.splitter === null ? null : (
          <Fact holds={isProven}>{isProven ? texts.splitFixed : texts.splitUnproven}</Fact>
        )}
        {manifest === undefined ? null : (
          <Fact holds={manifest.verified}>
            {manifest.verified && manifest.verified_at_block !== null
              ? texts.verified(String(manifest.verified_at_block))
              : texts.unverified}
          </Fact>
        )}
      </ul>
      <h3 className="mt-4 text-sm font-semibold text-muted">{texts.contracts}</h3>
      <dl className="mt-1 grid grid-cols-[1fr_auto] items-center gap-x-4 text-sm">
        {contracts.map(([label, address]) =>
          address === null ? null : (
            <div key={label} className="contents">
              <dt className="text-muted">{label}</dt>
              <dd className="text-end">
                <Address value={address} to={label === texts.creator ? "wallet" : null} copy />
              </dd>
            </div>
          ),
        )}
      </dl>
    </Panel>
  );
}
