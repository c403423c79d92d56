import { bytesToHex, type Hex } from "viem";
import { type HDAccount, mnemonicToAccount } from "viem/accounts";

/** Publicly known: use it only for the local chain. */
const mnemonic = "test test test test test test test test test test test junk";

/** The number of accounts that the local chain funds in its first block (10,000 ETH each). */
export const walletCount = 30;

/**
 * The development accounts by role. The first ten are for people, examples and tests: the stack never sends from them.
 */
export const walletRoles = {
  open: { first: 0, count: 10 },
  deployer: { first: 10, count: 1 },
  treasury: { first: 11, count: 1 },
  relayer: { first: 12, count: 1 },
  creators: { first: 13, count: 3 },
  traders: { first: 16, count: 4 },
  keeper: { first: 20, count: 1 },
} as const;

export type WalletRole = keyof typeof walletRoles;
export type Wallet = { account: HDAccount; address: `0x${string}`; privateKey: Hex };

const derived = new Map<number, Wallet>();

/** Returns the development accounts of a role, in order. */
export function getWallets(role: WalletRole): Wallet[] {
  const { first, count } = walletRoles[role];
  return Array.from({ length: count }, (_, position) => walletAt(first + position));
}

/** Returns the only or first account of a role. */
export function getWallet(role: WalletRole): Wallet {
  return walletAt(walletRoles[role].first);
}

function walletAt(index: number): Wallet {
  const cached = derived.get(index);
  if (cached) return cached;
  const account = mnemonicToAccount(mnemonic, { addressIndex: index });
  const privateKey = account.getHdKey().privateKey;
  if (!privateKey) throw new Error("a development account without a private key");
  const wallet = { account, address: account.address, privateKey: bytesToHex(privateKey) };
  derived.set(index, wallet);
  return wallet;
}
