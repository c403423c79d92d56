import { useQuery } from "@tanstack/react-query";
import { readOptions } from "../data/queries.ts";
import { useSession } from "./services.tsx";

/** Returns the account of this browser's session, with plan and credits. Sends no request without a session. */
export function useAccount() {
  const { status } = useSession();
  const isSignedIn = status === "signed_in";
  // Not cached, because the next user of this browser must not see the account.
  const query = useQuery({ ...readOptions("getAccount", undefined), enabled: isSignedIn, gcTime: 0, staleTime: 0 });
  const account = isSignedIn ? query.data : undefined;
  return { ...query, status, account, hasPlan: Boolean(account?.plan) };
}
