import { lazyPart } from "../ui/lazyPart.tsx";

/** The sign-in dialog, which loads at the first sign-in. */
export const SignInDialog = lazyPart(
  () => import("./signInDialog.tsx"),
  (module) => module.SignInDialog,
);
