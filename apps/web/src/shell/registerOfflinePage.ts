import { toScriptUrl } from "../ui/toScriptUrl.ts";

/**
 * Registers the service worker that shows "You are offline" in the installed app. It stores nothing. The browser compares
 * the file with the service's at each opened page, so that the operator can replace or remove the worker.
 */
export async function registerOfflinePage(): Promise<void> {
  await navigator.serviceWorker?.register(toScriptUrl("offline", "/offlineWorker.js")).catch(() => {});
}
