import { useQuery } from "@tanstack/react-query";
import { readOptions } from "../data/queries.ts";
import { useSession } from "./services.tsx";

/** The account of this browser's session: its plan and its credits. Nothing is asked while there is no session. */
export function useAccount() {
  const { status } = useSession();
  const isSignedIn = status === "signed_in";
  // What one person's account is must not be shown to the next one of this browser.
  const query = useQuery({ ...readOptions("getAccount", undefined), enabled: isSignedIn, gcTime: 0, staleTime: 0 });
  const account = isSignedIn ? query.data : undefined;
  return { ...query, status, account, hasPlan: Boolean(account?.plan) };
}
