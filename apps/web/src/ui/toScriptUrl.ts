/** The part of Trusted Types that the page uses; TypeScript's library does not have it. */
type TrustedTypes = {
  createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL(url: string): unknown };
};

/**
 * Returns the URL of a worker's script in the form that the site's policy accepts. The policy accepts such a URL only from
 * a rule of Trusted Types; this rule allows the one URL.
 */
export function toScriptUrl(name: string, url: string): string {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy(name, { createScriptURL: () => url });
  return (policy?.createScriptURL("") ?? url) as string;
}
