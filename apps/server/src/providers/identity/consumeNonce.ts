import type { Identity } from "./identityOf.ts";

/** Uses a nonce up that the sign-in route gave; false when it was never given, was used or is too old. */
export async function consumeNonce({ auth }: Identity, nonce: string): Promise<boolean> {
  const { internalAdapter } = await auth.$context;
  return (await internalAdapter.consumeVerificationValue(`siwe:${nonce}`)) !== null;
}
