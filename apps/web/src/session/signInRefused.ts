/** The message to sign does not match this page: nothing was signed. */
export class SignInRefused extends Error {
  override name = "SignInRefused";
}
