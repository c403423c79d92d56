/**
 * Whether the capabilities of a batch (EIP-5792) are exactly those that the page may request: none, or the paymaster of the
 * deployment as an optional capability (ERC-7677). Other capabilities would change what the wallet does with the calls.
 *
 * @param paymasterUrl - `paymaster_url` of `GET /config`; null if the deployment has none.
 */
export function isOrderedCapabilities(capabilities: unknown, paymasterUrl: string | null): boolean {
  if (capabilities === undefined) return true;
  if (paymasterUrl === null || !hasOnly(capabilities, ["paymasterService"])) return false;
  const { paymasterService } = capabilities;
  if (!hasOnly(paymasterService, ["url", "optional"])) return false;
  return paymasterService.url === paymasterUrl && paymasterService.optional === true;
}

function hasOnly<Name extends string>(value: unknown, names: readonly Name[]): value is Record<Name, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const keys = Reflect.ownKeys(value);
  return keys.length === names.length && names.every((name) => keys.includes(name));
}
