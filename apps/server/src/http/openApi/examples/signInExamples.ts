import { example, type OperationExamples, sample } from "./example.ts";

const message = `site.example wants you to sign in with your Ethereum account:
${sample.creator}

URI: https://site.example
Version: 1
Chain ID: ${sample.chainId}
Nonce: 3f71ac6480f20bbb872543e8caaed3b8
Issued At: 2026-11-22T07:07:52.100Z`;

/** A sign-in message with its signature. */
export const signedMessage = { message, signature: `0x${"5f".repeat(64)}1b` };

/** Sign-in and linking. */
export const signInExamples: Record<string, OperationExamples> = {
  createSignInNonce: {
    responses: {
      200: example({
        nonce: "3f71ac6480f20bbb872543e8caaed3b8",
        domain: "site.example",
        uri: "https://site.example",
        chain_id: sample.chainId,
      }),
    },
  },
  signIn: {
    request: example(signedMessage),
    responses: { 200: example({ account_id: sample.accountId, wallet: sample.creator }) },
  },
  getSession: {
    responses: {
      200: example({
        account_id: sample.accountId,
        session_id: "01a20215-2f71-7f68-8dba-5d5845d85fae",
        expires_at: "2026-11-29T07:07:52.561Z",
      }),
    },
  },
  signOut: { responses: { 200: example({ removed: true }) } },
  startLink: {
    request: example({ provider: "code_host", callback_url: "/settings" }),
    responses: { 200: example({ url: "https://code.example/oauth/authorize?client_id=slipway&state=2f71" }) },
  },
};
