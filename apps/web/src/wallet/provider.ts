export type Hex = `0x${string}`;

/** The parameters of a wallet request: a list, or an object for `wallet_watchAsset`. */
export type WalletParams = readonly unknown[] | Readonly<Record<string, unknown>>;

/** A wallet provider (EIP-1193). */
export type Provider = {
  request(request: { method: string; params?: WalletParams }): Promise<unknown>;
  on?(event: string, listener: (value: never) => void): unknown;
  removeListener?(event: string, listener: (value: never) => void): unknown;
};

/** Why a wallet request failed. */
export type WalletFault =
  /** The user declined (4001): nothing was sent. */
  | "declined"
  /** Another request is pending in the wallet (-32002). */
  | "busy"
  /** The connected account changed, or there is none. */
  | "account_changed"
  /** The wallet is on a chain with another id. */
  | "wrong_chain"
  /** The chain id matches, but the network does not contain this deployment. */
  | "other_network"
  /** The service prepared the request for another chain or account than the connected one. */
  | "not_this_wallet"
  /** The prepared request takes more than the user requested. */
  | "not_as_asked"
  | "failed";

/** A failed wallet request. `detail` is the wallet's own message; show it only as text. */
export class WalletError extends Error {
  override name = "WalletError";
  readonly fault: WalletFault;
  readonly code: number | null;
  readonly detail: string | null;

  constructor(fault: WalletFault, extra: { code?: number | null; detail?: string | null; cause?: unknown } = {}) {
    super(`Wallet request failed: ${fault}`, { cause: extra.cause });
    this.fault = fault;
    this.code = extra.code ?? null;
    this.detail = extra.detail ?? null;
  }
}

type Described = { code?: unknown; message?: unknown; cause?: unknown; data?: { originalError?: unknown } };

/** Returns the code of a wallet error, also of a wrapped one; null without a code. */
export function getErrorCode(error: unknown, depth = 0): number | null {
  if (typeof error !== "object" || error === null || depth > 4) return null;
  const { code, cause, data } = error as Described;
  // The wrapped code takes precedence: wallets wrap 4001 and 4902 in -32603.
  const inner = getErrorCode(data?.originalError, depth + 1) ?? getErrorCode(cause, depth + 1);
  return inner ?? (typeof code === "number" ? code : null);
}

/** The maximum length of a wallet message. */
const maxDetail = 300;

/** Returns the message of a wallet error. */
export function getErrorText(error: unknown): string | null {
  const { message } = (typeof error === "object" && error !== null ? error : {}) as Described;
  return typeof message === "string" && message !== "" ? message.slice(0, maxDetail) : null;
}

/** Converts an error of the wallet to a WalletError. */
export function toWalletError(error: unknown): WalletError {
  if (error instanceof WalletError) return error;
  const code = getErrorCode(error);
  const fault: WalletFault = code === 4001 ? "declined" : code === -32002 ? "busy" : "failed";
  return new WalletError(fault, { code, detail: getErrorText(error), cause: error });
}

/**
 * Returns the lower-case addresses of an `eth_accounts` response or an `accountsChanged` event, without invalid ones.
 */
export function toAddresses(answer: unknown): Hex[] {
  if (!Array.isArray(answer)) return [];
  return answer
    .filter((one): one is string => typeof one === "string" && /^0x[0-9a-fA-F]{40}$/.test(one))
    .map((one) => one.toLowerCase() as Hex);
}

/** Parses a hex quantity, or a number that a wallet sends instead; null for other values. */
export function toQuantity(answer: unknown): number | null {
  if (typeof answer === "number") return Number.isSafeInteger(answer) ? answer : null;
  if (typeof answer !== "string" || !/^0x[0-9a-fA-F]+$/.test(answer)) return null;
  const value = Number(answer);
  return Number.isSafeInteger(value) ? value : null;
}

/** Sends a request to the wallet. @throws WalletError */
export async function ask(provider: Provider, method: string, params: WalletParams = []): Promise<unknown> {
  try {
    return await provider.request({ method, params });
  } catch (error) {
    throw toWalletError(error);
  }
}
