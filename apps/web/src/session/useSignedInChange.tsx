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

/** Runs an action of the account; where the service asks for a newer sign-in, signs in and repeats it. */
export function useRecentSignIn(): {
  guard: <T>(action: () => Promise<T>) => Promise<T>;
  /** The sign-in while it goes on; the component shows it anywhere. */
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
 * A change of what the account has, as a mutation: signs in again where it must, and reads again what it changed.
 *
 * @param reads - The operations whose answers it changes.
 */
export function useSignedInChange<Input, Answer>(
  change: (input: Input) => Promise<Answer>,
  reads: readonly ReadName[] = [],
) {
  const { guard, dialog } = useRecentSignIn();
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: (input: Input) => guard(() => change(input)),
    // An answer can be a secret: nothing keeps it when the component is gone.
    gcTime: 0,
    onSettled: () => Promise.all(reads.map((name) => client.invalidateQueries({ queryKey: [name] }))),
  });
  return { ...mutation, dialog };
}
