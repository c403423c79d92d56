import { defaultFeeBps, protocolFeeBps } from "@slipway/protocol/feeTiers";
import type { Intent } from "@slipway/protocol/intent";
import type { DraftWithOptions, LaunchOptionsRequest } from "@slipway/protocol/launchOptions";
import { type LinkName, linkNames } from "../../data/linkNames.ts";
import { parseAmount, toExactAmount } from "../../format/amount.ts";
import type { AccountStorage } from "../../session/accountStorage.ts";
import { normalizeLink } from "./normalizeLink.ts";
import { noOpening, type OpeningFields } from "./openingTerms.ts";
import { noVesting, toVesting, toVestingDays, type VestingDays } from "./vestingDays.ts";

export type RecipientRow = {
  /** Used only in this page. */
  id: string;
  wallet: string;
  /** The percentage as typed; two decimals are basis points. */
  percent: string;
  provider: "wallet" | "code_host" | "social";
  handle: string;
};

/** Form input of a launch. */
export type LaunchFields = VestingDays &
  OpeningFields & {
    name: string;
    symbol: string;
    /** The URI of the uploaded picture, or a typed URI. */
    imageUri: string;
    description: string;
    website: string;
    recipients: readonly RecipientRow[];
    /** The fee of the pool in basis points. */
    feeBps: number;
    /** The native amount as typed. */
    initialBuy: string;
    /** The creator, who signs the launch if another wallet sends it; empty: the sending wallet. */
    creator: string;
    /** The last hex digits that the token's address shall have; empty: any. Not a part of the draft. */
    vanity: string;
    links: Readonly<Record<LinkName, string>>;
  };

export const maxRecipients = 20;
/** 100% in basis points. */
export const wholeBps = 10_000;
const initialBuySlippageBps = 100;

export const createRow = (wallet: string, bps: number): RecipientRow => ({
  id: crypto.randomUUID(),
  wallet,
  percent: toPercent(bps),
  provider: "wallet",
  handle: "",
});

export const createFields = (wallet: string): LaunchFields => ({
  name: "",
  symbol: "",
  imageUri: "",
  description: "",
  website: "",
  initialBuy: "",
  ...noVesting,
  creator: "",
  vanity: "",
  ...noOpening,
  recipients: [createRow(wallet, wholeBps)],
  feeBps: defaultFeeBps,
  links: { x: "", telegram: "", discord: "", farcaster: "", github: "", website2: "" },
});

export const toPercent = (bps: number): string => String(Number((bps / 100).toFixed(2)));

/** Parses a percentage to basis points; null if it is invalid or has more than two decimals. */
export function parsePercent(text: string): number | null {
  const match = /^(\d{1,3})(?:[.,](\d{0,2}))?$/.exec(text.trim());
  if (match === null) return null;
  const bps = Number(match[1]) * 100 + Number((match[2] ?? "").padEnd(2, "0"));
  return bps <= wholeBps ? bps : null;
}

/** Divides 100% among the rows. The first rows get the remaining basis points. */
export function splitEvenly(rows: readonly RecipientRow[]): RecipientRow[] {
  const each = Math.floor(wholeBps / rows.length);
  const left = wholeBps - each * rows.length;
  return rows.map((row, index) => ({ ...row, percent: toPercent(each + (index < left ? 1 : 0)) }));
}

/** Returns the sum of the rows' shares in basis points; an invalid percentage counts as zero. */
export const sumShares = (rows: readonly RecipientRow[]): number =>
  rows.reduce((sum, { percent }) => sum + (parsePercent(percent) ?? 0), 0);

/** Converts the form to a draft, without empty texts, and without recipients at the tier that leaves them nothing. */
export function toIntent(fields: LaunchFields, chainId: number): Intent {
  const description = fields.description.trim();
  const website = normalizeLink("website", fields.website);
  return {
    name: fields.name.trim(),
    symbol: fields.symbol.trim(),
    image_uri: fields.imageUri.trim(),
    chain_id: chainId as Intent["chain_id"],
    ...(description === "" ? {} : { description }),
    ...(website === "" ? {} : { website }),
    ...(fields.feeBps === defaultFeeBps ? {} : { fee_bps: fields.feeBps as Intent["fee_bps"] }),
    recipients: getRows(fields).map(({ wallet, percent, provider, handle }) => ({
      provider,
      ...(provider === "wallet" ? {} : { handle: handle.trim() }),
      wallet: wallet.trim(),
      share_bps: parsePercent(percent) ?? 0,
    })),
  };
}

/** Returns the rows of recipients who receive fees. */
export const getRows = ({ recipients, feeBps }: LaunchFields): readonly RecipientRow[] =>
  feeBps === protocolFeeBps ? [] : recipients;

/** Converts the form to the launch options; null if there are none. */
export function toOptions(fields: LaunchFields): LaunchOptionsRequest | null {
  const amount = parseAmount(fields.initialBuy, 18);
  const links = Object.fromEntries(
    linkNames.flatMap((name) =>
      fields.links[name].trim() === "" ? [] : [[name, normalizeLink(name, fields.links[name])]],
    ),
  );
  const hasBuy = amount !== null && amount > 0n;
  const creator = fields.creator.trim();
  const vesting = toVesting(fields, Date.now());
  if (!hasBuy && creator === "" && Object.keys(links).length === 0) return null;
  return {
    ...(creator === "" ? {} : { creator }),
    ...(hasBuy
      ? {
          initial_buy: {
            amount_in: amount.toString(),
            slippage_bps: initialBuySlippageBps,
            ...(vesting && { vesting }),
          },
        }
      : {}),
    ...(Object.keys(links).length > 0 ? { links } : {}),
  };
}

/** Form fields whose names differ from the service's. */
const ownNames: Readonly<Record<string, string>> = {
  image_uri: "imageUri",
  initial_buy: "initialBuy",
  fee_bps: "feeBps",
};

/** Returns the faults of fields that have not changed since the check. */
export function dropChanged(
  faults: ReadonlyMap<string, string>,
  old: LaunchFields,
  next: LaunchFields,
): ReadonlyMap<string, string> {
  const kept = [...faults].filter(([path]) => {
    // A recipient is one row: a change of any of its fields drops its faults.
    const keys = path.split(".").slice(0, 2);
    const read = (fields: LaunchFields) =>
      keys.reduce<unknown>((value, key) => (value as Record<string, unknown>)?.[ownNames[key] ?? key], fields);
    return Object.is(read(old), read(next));
  });
  return kept.length === faults.size ? faults : new Map(kept);
}

/**
 * Converts a stored draft to a form for a new draft.
 *
 * @param vanity - The wanted end of the token's address, which this browser stores.
 */
export function toForm({ intent, options }: DraftWithOptions, vanity: string): SavedForm {
  const amount = options?.initial_buy?.amount_in;
  const links = linkNames.map((name) => [name, options?.links[name] ?? ""]);
  return {
    key: crypto.randomUUID(),
    submitted: null,
    fields: {
      name: intent.name,
      symbol: intent.symbol,
      imageUri: intent.image_uri,
      description: intent.description ?? "",
      website: intent.website ?? "",
      feeBps: intent.fee_bps ?? defaultFeeBps,
      recipients: (intent.recipients ?? []).map(({ wallet, share_bps, provider, handle }) => ({
        ...createRow(wallet, share_bps),
        provider,
        handle: handle ?? "",
      })),
      initialBuy: amount === undefined ? "" : toExactAmount(BigInt(amount), 18),
      ...toVestingDays(options?.initial_buy?.vesting, Date.now()),
      creator: options?.creator ?? "",
      vanity,
      ...noOpening,
      links: Object.fromEntries(links) as LaunchFields["links"],
    },
  };
}

/** A stored launch form. `key` makes its draft only once. */
export type SavedForm = { fields: LaunchFields; key: string; submitted: string | null };

const storageName = "launch_form";

export function loadForm(storage: Pick<AccountStorage, "getItem">, wallet: string): SavedForm {
  const empty = { fields: createFields(wallet), key: crypto.randomUUID(), submitted: null };
  try {
    const saved = JSON.parse(storage.getItem(storageName) ?? "null") as Partial<SavedForm> | null;
    const isForm =
      typeof saved?.key === "string" &&
      typeof saved.fields?.name === "string" &&
      Array.isArray(saved.fields.recipients);
    return isForm ? { ...empty, ...saved, fields: { ...empty.fields, ...saved.fields } as LaunchFields } : empty;
  } catch {
    return empty;
  }
}

/** Whether the storage contains this form. */
export const isKept = (storage: Pick<AccountStorage, "getItem">, { key }: SavedForm): boolean =>
  loadForm(storage, "").key === key;

export function saveForm(storage: Pick<AccountStorage, "setItem" | "removeItem">, form: SavedForm | null): void {
  if (form === null) storage.removeItem(storageName);
  else storage.setItem(storageName, JSON.stringify(form));
}
