import type { account } from "@slipway/protocol/accounts";
import type { z } from "zod";
import type { AccountRow } from "../../accounts/accounts.ts";
import type { ConnectionRow, WalletRow } from "../../accounts/identities.ts";
import type { ActivePlan } from "../../accounts/plans.ts";

type Account = z.output<typeof account>;

/** Converts wallets, then identities at providers, to connections. */
export function toConnections(wallets: readonly WalletRow[], links: readonly ConnectionRow[]): Account["connections"] {
  return [
    ...wallets.map(({ address, created_at }) => ({
      provider: "wallet" as const,
      id: address,
      handle: null,
      linked_at: created_at.toISOString(),
    })),
    ...links.map(({ linked_at, ...link }) => ({ ...link, linked_at: linked_at.toISOString() })),
  ];
}

/** Converts an account to its wire form for its owner. */
export function toAccount(
  row: Pick<AccountRow, "id" | "name" | "created_at">,
  wallets: readonly WalletRow[],
  links: readonly ConnectionRow[],
  plan: ActivePlan | null,
  credits: number,
): Account {
  return {
    id: row.id,
    name: row.name,
    created_at: row.created_at.toISOString(),
    wallets: wallets.map(({ address, created_at }) => ({ address, linked_at: created_at.toISOString() })),
    connections: toConnections([], links),
    plan: plan && {
      plan: plan.plan,
      active_from: plan.activeFrom.toISOString(),
      active_until: plan.activeUntil?.toISOString() ?? null,
    },
    credits,
    payout_wallet: wallets.find(({ is_payout }) => is_payout)?.address ?? null,
  };
}
