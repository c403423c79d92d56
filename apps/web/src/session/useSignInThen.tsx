import { type ReactNode, useEffect, useState } from "react";
import { SignInDialog } from "./lazySignInDialog.ts";

/**
 * Signs in, and then continues with an action without a second press of the user.
 *
 * @param next - Called in an effect of the render after the sign-in, when the page has removed what belongs to another
 *   account. It must do nothing if its text can belong to another account.
 */
export function useSignInThen(next: () => void): {
  signIn: () => void;
  /** The sign-in dialog while open; the component renders it. */
  dialog: ReactNode;
} {
  const [isOpen, setOpen] = useState(false);
  const [continues, setContinues] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the end of the sign-in is the only reason to continue
  useEffect(() => {
    if (!continues) return;
    setContinues(false);
    next();
  }, [continues]);
  const dialog = isOpen ? (
    <SignInDialog
      onClose={() => setOpen(false)}
      onDone={() => {
        setOpen(false);
        setContinues(true);
      }}
    />
  ) : null;
  return { signIn: () => setOpen(true), dialog };
}
