import { maxClockLeadSeconds } from "@slipway/protocol/signedTypes";
import type { Order, PreparedForOrder } from "@slipway/sdk/verifyPrepared";

type Json = string | number | boolean | null | undefined | Json[] | { [name: string]: Json };
/** A tampered result, with the path of its changed field. */
export type Tampered = { path: string; result: PreparedForOrder };

const stranger = "0x6666666666666666666666666666666666666666";

/**
 * Fields that the service measures, names or describes: nothing that is signed depends on them. The gas, the expiry and
 * the transfers of the simulation have tampered values of their own below.
 */
const informational =
  /^(step|next|warnings|request_id|block_number|issues|fees|simulation\.(block_number|gas_used|method|asset_changes)|expected\.(amounts|account_nonce)|quote\.(block_number|price_|effective_price|fee_amount|wrapped_amount)|transaction\.gas|expires_at|permit_typed_data\.(message\.nonce|domain\.(name|version)))/;
/** An amount that the service estimates for an exact output; the request bounds it. */
const estimated = /^quote\.amount_in$|^quote\.slippage_bps$/;

/** Returns a different value of the same kind. */
function change(value: Json): Json {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number") return value + 1;
  if (typeof value !== "string") return "tampered";
  if (/^0x[0-9a-fA-F]{40}$/.test(value)) return stranger;
  if (/^0x[0-9a-fA-F]+$/.test(value)) return `0x${(BigInt(value) ^ 1n).toString(16).padStart(value.length - 2, "0")}`;
  return /^[0-9]+$/.test(value) ? (BigInt(value) * 2n + 1n).toString() : `${value}x`;
}

/** Lists the paths of all values in a result. */
function listLeaves(value: Json, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return value === undefined ? [] : [path];
  return Object.entries(value).flatMap(([name, each]) => listLeaves(each, [...path, name]));
}

/** Returns a copy with another value at a path. */
function replace(result: PreparedForOrder, path: readonly string[], getValue: (value: Json) => Json): PreparedForOrder {
  const copy = structuredClone(result);
  let parent = copy as unknown as Record<string, Json>;
  for (const name of path.slice(0, -1)) parent = parent[name] as Record<string, Json>;
  const name = path.at(-1)!;
  parent[name] = getValue(parent[name]);
  return copy;
}

/** Returns copies in which one byte of calldata that is not zero is zero: of every seventh such byte. */
function zeroBytes(result: PreparedForOrder, path: readonly string[], data: string): Tampered[] {
  const bytes = Array.from({ length: (data.length - 2) / 2 }, (_, index) => index);
  const places = bytes
    .filter((index) => data.slice(2 + index * 2, 4 + index * 2) !== "00")
    .filter((_, i) => i % 7 === 0);
  return places.map((index) => ({
    path: `${path.join(".")}[${index}]`,
    result: replace(result, path, () => `${data.slice(0, 2 + index * 2)}00${data.slice(4 + index * 2)}`),
  }));
}

/** Returns copies in which a deadline of a swap, a word of calldata, is ten minutes later. */
function delayDeadlines(result: PreparedForOrder, path: readonly string[], data: string): Tampered[] {
  const words = [...data.matchAll(/0{56}[0-9a-f]{8}/g)].filter(([word]) => {
    const lead = Number(BigInt(`0x${word}`)) - result.expires_at;
    return lead >= 0 && lead <= Number(maxClockLeadSeconds);
  });
  return words.map(({ 0: word, index }) => {
    const later = (BigInt(`0x${word}`) + 600n).toString(16).padStart(64, "0");
    const changed = `${data.slice(0, index)}${later}${data.slice(index + 64)}`;
    return { path: `${path.join(".")} deadline`, result: replace(result, path, () => changed) };
  });
}

/** Lists results that differ from a prepared one in one field, each of which a caller must refuse. */
export function tamper({ operation, request }: Order, result: PreparedForOrder): Tampered[] {
  const isFixedInput = operation !== "prepareTradeCalls" || request.amount_in !== undefined;
  const leaves = listLeaves(result as unknown as Json)
    .map((path) => ({ path, name: path.join(".") }))
    .filter(({ name }) => !informational.test(name))
    .filter(({ name }) => isFixedInput || !estimated.test(name));
  const changed = leaves.map(({ path, name }) => ({ path: name, result: replace(result, path, change) }));
  const data = leaves.filter(({ name }) => name.endsWith("data"));
  const bytes = data.flatMap(({ path }) => {
    const value = path.reduce<Json>((at, name) => (at as Record<string, Json>)[name], result as unknown as Json);
    return typeof value === "string" ? [...zeroBytes(result, path, value), ...delayDeadlines(result, path, value)] : [];
  });
  const longer = data.map(({ path, name }) => ({
    path: `${name} with a byte more`,
    result: replace(result, path, (value) => `${value as string}00`),
  }));
  const withChange = (path: string, changes: Partial<PreparedForOrder>) => ({
    path,
    result: { ...result, ...changes },
  });
  const { simulation, transaction, calls } = result;
  const stolen = { asset: stranger, from: request.wallet, to: stranger, amount: "1" };
  const extra = { to: stranger, data: "0xa9059cbb", value: "0x0" };
  return [
    ...changed,
    ...bytes,
    ...longer,
    withChange("expires_at in the past", { expires_at: 1 }),
    withChange("expires_at in a week", { expires_at: result.expires_at + 604_800 }),
    withChange("asset_changes with another transfer", {
      simulation: { ...simulation, asset_changes: [...simulation.asset_changes, stolen] },
    }),
    ...(transaction === null
      ? []
      : [
          withChange("gas above the maximum", { transaction: { ...transaction, gas: "0xffffffffff" } }),
          withChange("gas below the minimum", { transaction: { ...transaction, gas: "0x1" } }),
          withChange("no transaction", { transaction: null, calls: [] }),
        ]),
    ...(calls === undefined || calls.length === 0
      ? []
      : [
          withChange("calls with one more", { calls: [...calls, extra] }),
          withChange("calls with one before", { calls: [extra, ...calls] }),
        ]),
  ];
}
