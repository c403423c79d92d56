/** What the service gave to sign is not of this page: nothing was signed. */
export class SignInRefused extends Error {
  override name = "SignInRefused";
}
