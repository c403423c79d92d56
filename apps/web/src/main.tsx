import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, startTransition } from "react";
import { createRoot } from "react-dom/client";
import { api, baseUrl } from "./data/api.ts";
import { addFirstAnswers } from "./data/firstAnswers.ts";
import { language } from "./format/locale.ts";
import { createLazyHub } from "./live/createLazyHub.ts";
import { LiveProvider } from "./live/liveContext.tsx";
import { loadFirstTexts } from "./messages/messages.ts";
import { createSiteRouter } from "./routes.tsx";
import { createServices, followOtherTabs } from "./session/services.tsx";
import { ServicesProvider } from "./session/servicesProvider.tsx";
import { followSystemTheme } from "./shell/theme.ts";
import { ErrorBoundary } from "./ui/errorBoundary.tsx";
import { importFile } from "./ui/importFile.ts";
import { findBrowserWallets } from "./wallet/browserWallets.ts";

const queryClient = new QueryClient({
  defaultOptions: {
    // Without a network, a request fails at once, and the part of the page shows the error. By default, TanStack Query waits
    // for the network, and the part shows its placeholder meanwhile.
    queries: {
      staleTime: 10_000,
      retry: false,
      refetchOnWindowFocus: true,
      networkMode: "always",
      refetchOnReconnect: true,
    },
    mutations: { networkMode: "always" },
  },
});
const live = createLazyHub(async () => {
  const [{ createLiveHub }, { browserPage }] = await Promise.all([
    importFile(() => import("./live/createLiveHub.ts")),
    importFile(() => import("./live/pageEvents.ts")),
  ]);
  return createLiveHub({ client: queryClient, baseUrl, page: browserPage });
});
const services = createServices({ api, wallets: findBrowserWallets(), shared: localStorage, own: sessionStorage });
const router = createSiteRouter(queryClient);

followOtherTabs(services);
addFirstAnswers(queryClient, document.getElementById("first-answers")?.textContent);
followSystemTheme();
if (matchMedia("(display-mode: standalone)").matches) {
  void importFile(() => import("./shell/registerOfflinePage.ts")).then((module) => module.registerOfflinePage());
}
/** The longest wait of the first render for its page; after that, only the frame renders. */
const maxWaitMs = 300;
const root = document.getElementById("root")!;

const render = () =>
  createRoot(root).render(
    <StrictMode>
      <ErrorBoundary className="m-4">
        <QueryClientProvider client={queryClient}>
          <LiveProvider value={live}>
            <ServicesProvider services={services}>
              <RouterProvider router={router} />
            </ServicesProvider>
          </LiveProvider>
        </QueryClientProvider>
      </ErrorBoundary>
    </StrictMode>,
  );

// With its page loaded, the first render is one transition, which React splits so that the browser stays responsive. No
// `await`: other files import from the chunk of this module and would wait for it.
document.documentElement.lang = language;
const page = router.load();
// The server's first paint shows more than the frame, and stays until the page is loaded.
const firstPage = root.hasChildNodes()
  ? page
  : Promise.race([page, new Promise((resolve) => setTimeout(resolve, maxWaitMs))]);
void Promise.allSettled([firstPage, loadFirstTexts()]).then(() => startTransition(render));
