/** Who asks: an account, and how it proved itself. */
export type Principal = {
  accountId: string;
  keyId: string;
  scopes: readonly string[];
};
