import type { Client } from "@slipway/sdk/createLazyClient";
import { createSiweMessage } from "viem/siwe";
import { requireReady } from "../wallet/network.ts";
import { type Sender, signText } from "../wallet/send.ts";
import { SignInRefused } from "./signInRefused.ts";

export type ProofParts = {
  api: Pick<Client, "createSignInNonce">;
  location: { host: string; origin: string };
  getDate(): Date;
};

const statements = {
  sign_in: "Sign in to Slipway. This is free and sends no transaction.",
  link: "Link this wallet to your Slipway account: it can then sign in to it. This is free and sends no transaction.",
};

/**
 * Requests a signature of an ERC-4361 message, which proves the wallet's address only to this site. Loaded when a
 * wallet signs.
 *
 * @throws WalletError, ApiError, SignInRefused
 */
export async function proveAddress(
  { api, location, getDate }: ProofParts,
  { address, chain, provider }: Sender,
  purpose: keyof typeof statements,
): Promise<{ message: string; signature: string }> {
  const { nonce, domain, uri, chain_id: chainId } = await api.createSignInNonce();
  // Like wallets, the page compares the message with its own location before it requests the signature.
  if (domain !== location.host || uri !== location.origin || chainId !== chain.id)
    throw new SignInRefused(`The sign-in message is for ${domain}, but this site is ${location.host}.`);
  if (!/^[a-zA-Z0-9]{8,128}$/.test(nonce)) throw new SignInRefused("The service returned an invalid nonce.");
  await requireReady(provider, chain, address);
  const message = createSiweMessage({
    ...{ address, chainId, domain, nonce, uri, version: "1" },
    issuedAt: getDate(),
    statement: statements[purpose],
  });
  return { message, signature: await signText(provider, address, message) };
}
