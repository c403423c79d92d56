import { openingAbi } from "@slipway/protocol/contracts/opening";
import { openingFactoryAbi } from "@slipway/protocol/contracts/openingFactory";
import type { Manifest } from "@slipway/protocol/manifest";
import type { Tables } from "./tables.ts";

type OpeningLog = { address: string; txHash: string; logIndex: number };
type Decoded = { name: string; args: any } | null;

/** Computes the tables of openings from the events of the chain, in their order. */
export function createReferenceOpenings(
  tables: Tables,
  { current, history }: Pick<Manifest, "current" | "history">,
  decode: (abi: any, log: any) => Decoded,
) {
  const factories = new Set([current, ...history].map((one) => one.opening_factory.address.toLowerCase()));
  const isStorable = (text: string) => !/[\ufffd]/.test(text) && !text.includes("\u0000");

  const create = (log: OpeningLog, blockNumber: number) => {
    const event = decode(openingFactoryAbi, log);
    if (event?.name !== "OpeningCreated") return;
    const { opening, creator, paramsHash, params, minimum, cap, deadline } = event.args;
    const address = opening.toLowerCase();
    if (tables.openings.has(address)) return;
    const texts = [params.name, params.symbol, params.contractURI];
    if (!texts.every(isStorable) || Buffer.byteLength(texts.join("")) > 24_575) return;
    const accounts = [params.splitter.toLowerCase(), params.partner.toLowerCase()];
    const terms = [params.feeBps, paramsHash.toLowerCase(), minimum, cap, Number(deadline)];
    const place = [blockNumber, log.logIndex, log.txHash];
    tables.openings.set(address, [log.address, creator.toLowerCase(), ...texts, ...accounts, ...terms, ...place]);
  };

  const change = (log: OpeningLog, blockNumber: number) => {
    const event = decode(openingAbi, log);
    const at = `${blockNumber}:${log.logIndex}`;
    const a = event?.args ?? {};
    if (event?.name === "Deposited") {
      tables.opening_deposits.set(at, [log.address, a.account.toLowerCase(), a.amount, a.total]);
    } else if (event?.name === "Opened" && !tables.opening_ends.has(log.address)) {
      tables.opening_ends.set(log.address, [at, "opened", a.token.toLowerCase(), a.spent, a.bought]);
    } else if (event?.name === "Closed" && !tables.opening_ends.has(log.address)) {
      tables.opening_ends.set(log.address, [at, "closed", a.token.toLowerCase(), 0n, a.received]);
    } else if (event?.name === "Claimed") {
      const receiver = [a.account.toLowerCase(), a.to.toLowerCase()];
      tables.opening_claims.set(at, [log.address, ...receiver, a.tokens, a.refund]);
    }
  };

  return {
    apply: (log: OpeningLog, blockNumber: number) => {
      if (factories.has(log.address)) create(log, blockNumber);
      if (tables.openings.has(log.address)) change(log, blockNumber);
    },
    sum: () => sumOpenings(tables),
  };
}

/** Sums deposits and claims by account and by opening; leaves out accounts and openings with neither. */
function sumOpenings(tables: Tables): void {
  const sums = new Map<string, { deposit: bigint; claims: number; tokens: bigint; refund: bigint }>();
  const get = (opening: unknown, account: unknown) => {
    const key = `${opening}:${account}`;
    const found = sums.get(key) ?? { deposit: 0n, claims: 0, tokens: 0n, refund: 0n };
    sums.set(key, found);
    return found;
  };
  for (const [opening, account, amount] of tables.opening_deposits.values()) {
    get(opening, account).deposit += amount as bigint;
  }
  for (const [opening, account, , tokens, refund] of tables.opening_claims.values()) {
    const sum = get(opening, account);
    sum.claims++;
    sum.tokens += tokens as bigint;
    sum.refund += refund as bigint;
  }
  for (const [key, { deposit, claims, tokens, refund }] of sums) {
    if (deposit !== 0n || claims !== 0) tables.opening_accounts.set(key, [deposit, claims, tokens, refund]);
  }
  for (const opening of tables.openings.keys()) {
    const own = [...sums].filter(([key]) => key.startsWith(`${opening}:`)).map(([, sum]) => sum);
    const depositors = own.filter(({ deposit }) => deposit > 0n).length;
    const claimants = own.filter(({ claims }) => claims > 0).length;
    const add = (name: "deposit" | "tokens" | "refund") => own.reduce((total, sum) => total + sum[name], 0n);
    if (depositors === 0 && claimants === 0) continue;
    tables.opening_sums.set(opening, [add("deposit"), depositors, claimants, add("tokens"), add("refund")]);
  }
}
