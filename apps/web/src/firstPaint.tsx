import type { IndexedTokens } from "@slipway/protocol/indexed";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, RouterProvider } from "@tanstack/react-router";
import { renderToString } from "react-dom/server";
import { api } from "./data/api.ts";
import { addFirstAnswers } from "./data/firstAnswers.ts";
import type { LiveHub } from "./live/createLazyHub.ts";
import { LiveProvider } from "./live/liveContext.tsx";
import { off } from "./live/liveStatus.ts";
import { loadFirstTexts, loadPageTexts } from "./messages/messages.ts";
import { createSiteRouter } from "./routes.tsx";
import { createServices } from "./session/services.tsx";
import { ServicesProvider } from "./session/servicesProvider.tsx";

const stop = () => {};
const noUpdates: LiveHub = {
  getStatus: () => off,
  subscribe: () => stop,
  watch: () => stop,
  onMessage: () => stop,
};
const noStorage: Storage = {
  length: 0,
  clear: stop,
  getItem: () => null,
  key: () => null,
  removeItem: stop,
  setItem: stop,
};
const noWallets = { get: () => [], subscribe: () => stop };
/** The rows of a list that fit into a first view. The scripts render all of them. */
const maxRows = 20;

let areTextsLoaded: Promise<unknown> | undefined;

/**
 * Renders a page as a visitor without a wallet sees it before any script runs. The server inserts the result into its
 * HTML; `main.tsx` renders the page again in the browser and replaces it.
 *
 * @param path - The path of the page.
 * @param answers - The first answers of the HTML as JSON text, see `addFirstAnswers`.
 * @returns HTML without styles in attributes, which the site's policy refuses.
 */
export async function renderFirstPaint(path: string, answers: string): Promise<string> {
  areTextsLoaded ??= Promise.all([loadFirstTexts(), loadPageTexts()]);
  await areTextsLoaded;
  const queryClient = new QueryClient();
  addFirstAnswers(queryClient, answers);
  queryClient.setQueriesData<IndexedTokens>({ queryKey: ["listTokens"] }, (list) =>
    list === undefined ? list : { ...list, items: list.items.slice(0, maxRows) },
  );
  const history = createMemoryHistory({ initialEntries: [path] });
  const router = createSiteRouter(queryClient, { history, scrollRestoration: false });
  const services = createServices({ api, wallets: noWallets, shared: noStorage, own: noStorage });
  await router.load();
  const html = renderToString(
    <QueryClientProvider client={queryClient}>
      <LiveProvider value={noUpdates}>
        <ServicesProvider services={services}>
          <RouterProvider router={router} />
        </ServicesProvider>
      </LiveProvider>
    </QueryClientProvider>,
  );
  // Quotation marks of texts are escaped, so that only attributes match.
  return html.replaceAll(/ style="[^"]*"/g, "");
}
