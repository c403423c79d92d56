import { z } from "zod";

/**
 * What a credential may do: `read` lists and quotes, `write` stores drafts and listings, `transactions` prepares what a
 * wallet signs, `account` manages keys, sessions and links, `admin` plans and credits of every account.
 */
export const scope = z.enum(["read", "write", "transactions", "account", "admin"]);
export type Scope = z.infer<typeof scope>;

/** What the owner of an account may do: sessions, and keys that name no scopes. */
export const ownerScopes: readonly Scope[] = ["read", "write", "transactions", "account"];
