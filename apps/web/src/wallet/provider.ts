export type Hex = `0x${string}`;

/** A wallet as a page sees it (EIP-1193). */
export type Provider = {
  request(request: { method: string; params?: readonly unknown[] }): Promise<unknown>;
  on?(event: string, listener: (value: never) => void): unknown;
  removeListener?(event: string, listener: (value: never) => void): unknown;
};

/** Why a wallet did not do what it was asked. */
export type WalletFault =
  /** The person declined (4001): nothing was sent. */
  | "declined"
  /** Another request waits in the wallet (-32002). */
  | "busy"
  /** The connected account is another one now, or none. */
  | "account_changed"
  /** The wallet is on a chain with another id. */
  | "wrong_chain"
  /** The right id, without this deployment: another network that has the same id. */
  | "other_network"
  /** What the service prepared is for another chain or account than the connected one. */
  | "not_this_wallet"
  /** What the service prepared takes more than the person has asked for. */
  | "not_as_asked"
  | "failed";

/** A wallet's refusal. `detail` is the wallet's own text, which is shown as text and never trusted. */
export class WalletError extends Error {
  override name = "WalletError";
  readonly fault: WalletFault;
  readonly code: number | null;
  readonly detail: string | null;

  constructor(fault: WalletFault, about: { code?: number | null; detail?: string | null; cause?: unknown } = {}) {
    super(`The wallet refused: ${fault}`, { cause: about.cause });
    this.fault = fault;
    this.code = about.code ?? null;
    this.detail = about.detail ?? null;
  }
}

type Described = { code?: unknown; message?: unknown; cause?: unknown; data?: { originalError?: unknown } };

/** The number that a wallet's error carries, also where the wallet wraps the original one; null without any. */
export function getErrorCode(error: unknown, depth = 0): number | null {
  if (typeof error !== "object" || error === null || depth > 4) return null;
  const { code, cause, data } = error as Described;
  // A wrapped refusal decides: wallets wrap 4001 and 4902 in -32603.
  const inner = getErrorCode(data?.originalError, depth + 1) ?? getErrorCode(cause, depth + 1);
  return inner ?? (typeof code === "number" ? code : null);
}

/** The longest text of a wallet that is shown. */
const maxDetail = 300;

/** The text of a wallet's error. */
export function getErrorText(error: unknown): string | null {
  const { message } = (typeof error === "object" && error !== null ? error : {}) as Described;
  return typeof message === "string" && message !== "" ? message.slice(0, maxDetail) : null;
}

/** What a wallet threw, as a WalletError. */
export function toWalletError(error: unknown): WalletError {
  if (error instanceof WalletError) return error;
  const code = getErrorCode(error);
  const fault: WalletFault = code === 4001 ? "declined" : code === -32002 ? "busy" : "failed";
  return new WalletError(fault, { code, detail: getErrorText(error), cause: error });
}

/** The lower-case addresses of an answer of `eth_accounts` or of `accountsChanged`; what is no address is left out. */
export function toAddresses(answer: unknown): Hex[] {
  if (!Array.isArray(answer)) return [];
  return answer
    .filter((one): one is string => typeof one === "string" && /^0x[0-9a-fA-F]{40}$/.test(one))
    .map((one) => one.toLowerCase() as Hex);
}

/** The number of a hex quantity, or of a number that a wallet sends instead; null for anything else. */
export function toQuantity(answer: unknown): number | null {
  if (typeof answer === "number") return Number.isSafeInteger(answer) ? answer : null;
  if (typeof answer !== "string" || !/^0x[0-9a-fA-F]+$/.test(answer)) return null;
  const value = Number(answer);
  return Number.isSafeInteger(value) ? value : null;
}

/** Asks a wallet. @throws WalletError */
export async function ask(provider: Provider, method: string, params: readonly unknown[] = []): Promise<unknown> {
  try {
    return await provider.request({ method, params });
  } catch (error) {
    throw toWalletError(error);
  }
}
