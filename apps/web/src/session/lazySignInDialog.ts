import { lazyPart } from "../ui/lazyPart.tsx";

/** The sign-in dialog, loaded when a person first signs in. */
export const SignInDialog = lazyPart(
  () => import("./signInDialog.tsx"),
  (module) => module.SignInDialog,
);
