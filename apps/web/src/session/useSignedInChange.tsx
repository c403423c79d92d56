import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useCallback, useState } from "react";
import type { ReadName } from "../data/queries.ts";
import { useMessages } from "../messages/useMessages.ts";
import type { Sender } from "../wallet/send.ts";
import { SignInDialog } from "./lazySignInDialog.ts";
import { OtherWallet, repeatAfterSignIn } from "./repeatAfterSignIn.ts";
import { useServices } from "./services.tsx";
import { useOpenConnect } from "./servicesProvider.tsx";

type Asked = { sender: Sender; settle: (isSignedIn: boolean) => void };

/** Runs an account action. If the service requires a newer sign-in, signs in and repeats the action. */
export function useRecentSignIn(): {
  guard: <T>(action: () => Promise<T>) => Promise<T>;
  /** The sign-in dialog while open; the component renders it. */
  dialog: ReactNode;
} {
  const { wallet: text } = useMessages();
  const { session, getSender } = useServices();
  const openConnect = useOpenConnect();
  const [asked, setAsked] = useState<Asked | null>(null);
  const guard = useCallback(
    <T,>(action: () => Promise<T>) =>
      repeatAfterSignIn(action, {
        ...{ session, getSender, openConnect },
        signInAs: (sender) => new Promise<boolean>((settle) => setAsked({ sender, settle })),
        otherWallet: (wallets) => new OtherWallet(text.signInAgainAs(wallets)),
      }),
    [session, getSender, openConnect, text],
  );
  const end = (isSignedIn: boolean) => () => {
    asked?.settle(isSignedIn);
    setAsked(null);
  };
  const dialog = asked === null ? null : <SignInDialog again={asked.sender} onClose={end(false)} onDone={end(true)} />;
  return { guard, dialog };
}

/**
 * Returns a mutation of account data. It signs in again if necessary, and refetches the changed data.
 *
 * @param reads - The operations whose responses the mutation changes.
 */
export function useSignedInChange<Input, Answer>(
  change: (input: Input) => Promise<Answer>,
  reads: readonly ReadName[] = [],
) {
  const { guard, dialog } = useRecentSignIn();
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: (input: Input) => guard(() => change(input)),
    // Not cached, because the response can contain a secret.
    gcTime: 0,
    onSettled: () => Promise.all(reads.map((name) => client.invalidateQueries({ queryKey: [name] }))),
  });
  return { ...mutation, dialog };
}
