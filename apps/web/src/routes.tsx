import type { DirectorySource } from "@slipway/protocol/businesses";
import type { ListedInterval } from "@slipway/protocol/indexed";
import type { BarLength } from "@slipway/protocol/markets";
import type { OpeningStatus } from "@slipway/protocol/openings";
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  parseSearchWith,
  type RouterHistory,
  stringifySearchWith,
} from "@tanstack/react-router";
import type { ComponentType } from "react";
import { loadEndpoints } from "./data/api.ts";
import { type ExploreSearch, sorts } from "./data/exploreSearch.ts";
import { type GallerySearch, galleryPages } from "./data/galleryPages.ts";
import { isAddress } from "./data/getReceiveCodeUrl.ts";
import { marketsOptions } from "./data/marketQueries.ts";
import { readOptions } from "./data/queries.ts";
import { tokenOptions } from "./data/tokenQueries.ts";
import { walletPages } from "./data/walletPages.ts";
import { loadPageTexts } from "./messages/messages.ts";
import { AppShell } from "./shell/appShell.tsx";
import { PageCrash } from "./ui/errorBoundary.tsx";
import { lazyPart } from "./ui/lazyPart.tsx";

/** The context of route loaders. */
type RouterContext = { queryClient: QueryClient };

type TokenSearch = { interval?: ListedInterval; tab?: "trades" | "holders" | "traders" | "depth" | "facts" };
type WalletSearch = { tab?: "holdings" | "launches" | "receipts" | "trades" };
type MarketSearch = { interval?: BarLength };
type ForecastSearch = { pair?: string };
type AlertsSearch = { pair?: string };
type OpeningsSearch = { status?: OpeningStatus };
type DirectorySearch = { q?: string; source?: DirectorySource };

/** Raw search parameters: text or undefined. A route's `validateSearch` types them. */
type RawSearch = Record<string, unknown>;
/** Converts a parameter to text, because the router parses digits as numbers and `true` and `false` as booleans. */
const text = (value: unknown) => (typeof value === "object" ? undefined : String(value ?? "") || undefined);
const whole = (value: unknown) => (/^-?\d{1,9}$/.test(String(value)) ? String(value) : undefined);
const seed = (value: unknown) =>
  /^\d{1,10}$/.test(String(value)) && Number(value) < 2 ** 32 ? String(value) : undefined;
const pair = (value: unknown) => (/^[A-Z0-9]{1,41}_[A-Z0-9]{2,12}$/.test(String(value)) ? String(value) : undefined);
const choice = <T extends string>(values: readonly T[], value: unknown) => values.find((each) => each === text(value));

/**
 * Starts to read a page's data while the page's file loads. The navigation does not wait for the data: the page shows
 * skeletons or its own error.
 */
function prefetch(data: Promise<unknown>): void {
  data.catch(() => {});
}

/** Loads what every page except the first one needs. */
async function loadPageBasics(): Promise<void> {
  await Promise.all([loadPageTexts(), loadEndpoints()]);
}

/** A page after the first one, with its texts and endpoints. */
const lazyPage = <Module,>(load: () => Promise<Module>, pick: (module: Module) => ComponentType) =>
  lazyPart(load, pick, loadPageBasics);

const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: AppShell,
  notFoundComponent: lazyPart(
    () => import("./pages/notFoundPage.tsx"),
    (page) => page.NotFoundPage,
    loadPageBasics,
  ),
});
const root = () => rootRoute;

/*
 * The site's routes. A page loads when it opens; `validateSearch` types the search parameters. Each route is a separate
 * constant, because a list would lose the types of the paths.
 */
const exploreRoute = createRoute({
  getParentRoute: root,
  path: "/",
  validateSearch: (search: RawSearch): ExploreSearch => ({
    q: text(search.q),
    sort: choice(sorts, search.sort),
    direction: choice(["asc", "desc"], search.direction),
    list: choice(["live", "favourites"], search.list),
    age: whole(search.age),
    liq: whole(search.liq),
    vol: whole(search.vol),
    holders: whole(search.holders),
    change: whole(search.change),
    creator: isAddress(String(search.creator)) ? String(search.creator) : undefined,
  }),
  component: lazyPart(
    () => import("./pages/explorePage.tsx"),
    (page) => page.ExplorePage,
  ),
});
const galleryRoute = createRoute({
  getParentRoute: root,
  path: "/gallery",
  validateSearch: (search: RawSearch): GallerySearch => ({
    q: text(search.q),
    sort: choice(["new", "volume", "market_cap", "random"], search.sort),
    seed: seed(search.seed),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => prefetch(context.queryClient.ensureInfiniteQueryData(galleryPages(deps))),
  component: lazyPage(
    () => import("./pages/galleryPage.tsx"),
    (page) => page.GalleryPage,
  ),
});
const directoryRoute = createRoute({
  getParentRoute: root,
  path: "/directory",
  validateSearch: (search: RawSearch): DirectorySearch => ({
    q: text(search.q),
    source: choice(["own", "partner_a", "partner_b", "partner_c", "legacy"], search.source),
  }),
  component: lazyPage(
    () => import("./pages/directoryPage.tsx"),
    (page) => page.DirectoryPage,
  ),
});
const businessRoute = createRoute({
  getParentRoute: root,
  path: "/business/$id",
  loader: ({ context, params }) =>
    prefetch(context.queryClient.ensureQueryData(readOptions("getBusiness", { id: params.id }))),
  component: lazyPage(
    () => import("./pages/businessPage.tsx"),
    (page) => page.BusinessPage,
  ),
});
const businessNewRoute = createRoute({
  getParentRoute: root,
  path: "/business/new",
  component: lazyPage(
    () => import("./pages/businessNewPage.tsx"),
    (page) => page.BusinessNewPage,
  ),
});
const businessEditRoute = createRoute({
  getParentRoute: root,
  path: "/business/$id/edit",
  component: lazyPage(
    () => import("./pages/businessEditPage.tsx"),
    (page) => page.BusinessEditPage,
  ),
});
const accountRoute = createRoute({
  getParentRoute: root,
  path: "/account/{-$section}",
  component: lazyPage(
    () => import("./pages/accountPage.tsx"),
    (page) => page.AccountPage,
  ),
});
const marketsRoute = createRoute({
  getParentRoute: root,
  path: "/markets",
  loader: ({ context }) => prefetch(context.queryClient.ensureQueryData(marketsOptions)),
  component: lazyPage(
    () => import("./pages/marketsPage.tsx"),
    (page) => page.MarketsPage,
  ),
});
const marketRoute = createRoute({
  getParentRoute: root,
  path: "/markets/$pair",
  validateSearch: (search: RawSearch): MarketSearch => ({ interval: choice(["1m", "1h"], search.interval) }),
  loader: ({ context }) => prefetch(context.queryClient.ensureQueryData(marketsOptions)),
  component: lazyPage(
    () => import("./pages/marketPage.tsx"),
    (page) => page.MarketPage,
  ),
});
const forecastRoute = createRoute({
  getParentRoute: root,
  path: "/forecast",
  validateSearch: (search: RawSearch): ForecastSearch => ({ pair: pair(search.pair) }),
  component: lazyPage(
    () => import("./pages/forecastPage.tsx"),
    (page) => page.ForecastPage,
  ),
});
const alertsRoute = createRoute({
  getParentRoute: root,
  path: "/alerts",
  validateSearch: (search: RawSearch): AlertsSearch => ({ pair: pair(search.pair) }),
  component: lazyPage(
    () => import("./pages/alertsPage.tsx"),
    (page) => page.AlertsPage,
  ),
});
const alertConfirmRoute = createRoute({
  getParentRoute: root,
  path: "/alerts/confirm",
  component: lazyPage(
    () => import("./pages/alertConfirmPage.tsx"),
    (page) => page.AlertConfirmPage,
  ),
});
const alertUnsubscribeRoute = createRoute({
  getParentRoute: root,
  path: "/alerts/unsubscribe",
  component: lazyPage(
    () => import("./pages/alertUnsubscribePage.tsx"),
    (page) => page.AlertUnsubscribePage,
  ),
});
const statusRoute = createRoute({
  getParentRoute: root,
  path: "/status",
  component: lazyPage(
    () => import("./pages/statusPage.tsx"),
    (page) => page.StatusPage,
  ),
});
const tokenRoute = createRoute({
  getParentRoute: root,
  path: "/t/$address",
  validateSearch: (search: RawSearch): TokenSearch => ({
    interval: choice(["1s", "1m", "5m", "15m", "30m", "1h", "4h", "12h", "1d", "1w"], search.interval),
    tab: choice(["trades", "holders", "traders", "depth", "facts"], search.tab),
  }),
  loader: ({ context, params }) => {
    if (isAddress(params.address)) prefetch(context.queryClient.ensureQueryData(tokenOptions(params.address)));
  },
  component: lazyPage(
    () => import("./pages/tokenPage.tsx"),
    (page) => page.TokenPage,
  ),
});
const shareRoute = createRoute({
  getParentRoute: root,
  path: "/t/$address/share",
  component: lazyPage(
    () => import("./pages/sharePage.tsx"),
    (page) => page.SharePage,
  ),
});
const walletRoute = createRoute({
  getParentRoute: root,
  path: "/wallet/$address",
  validateSearch: (search: RawSearch): WalletSearch => ({
    tab: choice(["holdings", "launches", "receipts", "trades"], search.tab),
  }),
  loader: ({ context, params }) => {
    if (isAddress(params.address)) prefetch(context.queryClient.ensureInfiniteQueryData(walletPages(params.address)));
  },
  component: lazyPage(
    () => import("./pages/walletPage.tsx"),
    (page) => page.WalletPage,
  ),
});
const launchRoute = createRoute({
  getParentRoute: root,
  path: "/launch",
  component: lazyPage(
    () => import("./pages/launchPage.tsx"),
    (page) => page.LaunchPage,
  ),
});
const launchDraftRoute = createRoute({
  getParentRoute: root,
  path: "/launch/$draft",
  component: lazyPage(
    () => import("./pages/launchDraftPage.tsx"),
    (page) => page.LaunchDraftPage,
  ),
});
const draftsRoute = createRoute({
  getParentRoute: root,
  path: "/drafts",
  component: lazyPage(
    () => import("./pages/draftsPage.tsx"),
    (page) => page.DraftsPage,
  ),
});
const feesRoute = createRoute({
  getParentRoute: root,
  path: "/fees",
  component: lazyPage(
    () => import("./pages/feesPage.tsx"),
    (page) => page.FeesPage,
  ),
});
const openingsRoute = createRoute({
  getParentRoute: root,
  path: "/openings",
  validateSearch: (search: RawSearch): OpeningsSearch => ({
    status: choice(["open", "ready", "opened", "refunding", "done"], search.status),
  }),
  component: lazyPage(
    () => import("./pages/openingsPage.tsx"),
    (page) => page.OpeningsPage,
  ),
});
const openingRoute = createRoute({
  getParentRoute: root,
  path: "/opening/$address",
  component: lazyPage(
    () => import("./pages/openingPage.tsx"),
    (page) => page.OpeningPage,
  ),
});
const gasRoute = createRoute({
  getParentRoute: root,
  path: "/gas",
  component: lazyPage(
    () => import("./pages/gasPage.tsx"),
    (page) => page.GasPage,
  ),
});

const routeTree = rootRoute.addChildren([
  exploreRoute,
  galleryRoute,
  directoryRoute,
  businessRoute,
  businessNewRoute,
  businessEditRoute,
  accountRoute,
  statusRoute,
  tokenRoute,
  shareRoute,
  walletRoute,
  launchRoute,
  launchDraftRoute,
  draftsRoute,
  feesRoute,
  gasRoute,
  openingsRoute,
  openingRoute,
  marketsRoute,
  marketRoute,
  forecastRoute,
  alertsRoute,
  alertConfirmRoute,
  alertUnsubscribeRoute,
]);

/** Options of a router outside of a browser. */
type ServerOptions = { history?: RouterHistory; scrollRestoration?: boolean };

/** Creates the router. Search parameters stay plain text in the URL, so that users can read and type links. */
export function createSiteRouter(queryClient: QueryClient, options: ServerOptions = {}) {
  return createRouter({
    routeTree,
    context: { queryClient },
    defaultErrorComponent: PageCrash,
    defaultPreload: "intent",
    // The query cache decides what is fresh.
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    parseSearch: parseSearchWith((value) => value),
    stringifySearch: stringifySearchWith(String),
    ...options,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createSiteRouter>;
  }
}
