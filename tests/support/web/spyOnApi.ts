import type { Client } from "@slipway/sdk/createLazyClient";
import { type MockInstance, vi } from "vitest";
import { api } from "../../../apps/web/src/data/api.ts";

/** Replaces a method of the page's client. The client creates a method at its first use; only then it can be replaced. */
export function spyOnApi<Name extends keyof Client>(name: Name): MockInstance<Client[Name]> {
  void api[name];
  return vi.spyOn(api, name as never) as unknown as MockInstance<Client[Name]>;
}
