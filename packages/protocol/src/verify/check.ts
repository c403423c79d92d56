/** One comparison of a prepared result with its request. */
export type Check = {
  /** The compared part, e.g. `swap`. */
  name: string;
  ok: boolean;
  /** The value of the result, as a text for people. */
  seen: string;
  /** The value that the request allows. */
  expected: string;
};

/** A call of a result: of its batch, or its transaction. Without `to` it creates a contract. */
export type AskedCall = { to?: string | undefined; data: string; value: string };

/** Lists everything that a result can send: the calls of its batch, and its transaction. */
export const listCalls = (result: { calls?: readonly AskedCall[]; transaction: AskedCall | null }): AskedCall[] => [
  ...(result.calls ?? []),
  ...(result.transaction === null ? [] : [result.transaction]),
];

/** The contracts of the deployment, by the names of `GET /config`. */
export type Contracts = Readonly<Record<string, string>>;

/** Whether two addresses are equal in any case; an absent address equals none. */
export const isSame = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && a.toLowerCase() === b?.toLowerCase();

/** Creates the check of two values that must have equal texts. */
export function checkEqual(name: string, seen: unknown, expected: unknown): Check {
  const toText = (value: unknown) => (typeof value === "string" ? value : String(value));
  return { name, ok: toText(seen) === toText(expected), seen: toText(seen), expected: toText(expected) };
}

/** Creates the check of two addresses, in any case. */
export function checkAddress(name: string, seen: string | undefined, expected: string | undefined): Check {
  return { name, ok: isSame(seen, expected), seen: seen ?? "none", expected: expected ?? "none" };
}
