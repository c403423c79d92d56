import { SlipwayError } from "@slipway/protocol/errors";
import { evmAddress } from "@slipway/protocol/primitives";
import { findSitePage } from "@slipway/protocol/sitePaths";
import { CachedResponse } from "../../cache/cachedResponse.ts";
import type { Deps } from "../../deps.ts";
import type { Route } from "../../route.ts";
import type { PageContent } from "./fillPage.ts";
import type { Site } from "./loadSite.ts";

/** The content of a page; pages with the same key have the same HTML. */
export type SitePage = { status: 200 | 404; key: string; content: PageContent };

const siteTitle = "Slipway";
const siteDescription = "Launch tokens with locked liquidity and shared fees, and follow their markets.";
const maxDescription = 200;

/** The first query of the explore page; the page uses the answer for exactly this input. */
const firstTokens = { sort: "volume", limit: 50 };

/** Creates the pages of the site from the cached answers of the API's own routes. */
export function createSitePages(deps: Deps, routes: readonly Route[], site: Site) {
  const origin = deps.config.SITE_URL === undefined ? undefined : new URL(deps.config.SITE_URL).origin;
  const listTokens = getRoute(routes, "listTokens");
  const getToken = getRoute(routes, "getToken");
  const toUrl = (path: string) => (origin === undefined ? undefined : `${origin}${path}`);
  const plain: PageContent = { title: siteTitle, description: siteDescription, files: [], answers: [] };

  return {
    /** Returns any other page, or the page for an unknown path; their HTML differs only in the files. */
    other(path: string): SitePage {
      const page = findSitePage(path);
      const files = site.getPageFiles(page ?? "notFoundPage");
      return { status: page === null ? 404 : 200, key: page ?? "404", content: { ...plain, files } };
    },

    async explore(): Promise<SitePage> {
      const answer = await read(listTokens, { query: firstTokens });
      const shared = { ...plain, url: toUrl("/"), files: site.getPageFiles("explorePage") };
      if (!(answer instanceof CachedResponse)) return { status: 200, key: "/", content: shared };
      const answers = [{ operation: "listTokens", input: firstTokens, json: answer.bytes }];
      return { status: 200, key: `/ ${answer.etag}`, content: { ...shared, answers, paintedPath: "/" } };
    },

    async token(address: string): Promise<SitePage> {
      const files = site.getPageFiles("tokenPage");
      const unknown: SitePage = { status: 404, key: "/t 404", content: { ...plain, files } };
      if (!evmAddress.safeParse(address).success) return unknown;
      const answer = await read(getToken, { params: { address } });
      if (answer === "token_not_indexed") return unknown;
      // The page itself shows the error.
      if (!(answer instanceof CachedResponse)) return { status: 200, key: "/t", content: { ...plain, files } };
      const token = JSON.parse(answer.bytes.toString()) as {
        address: string;
        name: string;
        symbol: string;
        description: string | null;
      };
      const summary = token.description?.replace(/\s+/g, " ").trim().slice(0, maxDescription);
      const content: PageContent = {
        title: `${token.name} (${token.symbol}) · ${siteTitle}`,
        description: summary || `Price, trades, recipients and fees of ${token.name} (${token.symbol}).`,
        url: toUrl(`/t/${token.address}`),
        image: toUrl(`/og/${token.address}.png`),
        files,
        // The page uses addresses in lower case, whatever the case of its URL is.
        paintedPath: `/t/${token.address}`,
        answers: [{ operation: "getToken", input: { address: token.address.toLowerCase() }, json: answer.bytes }],
      };
      return { status: 200, key: `/t ${answer.etag}`, content };
    },
  };
}

function getRoute(routes: readonly Route[], name: string): Route {
  const route = routes.find((each) => each.name === name);
  if (route === undefined) throw new Error(`there is no route ${name}`);
  return route;
}

/** Returns the answer of a public route of the API, or the code of its error. */
async function read(route: Route, input: { query?: object; params?: object }): Promise<unknown> {
  try {
    return await route.handle({ query: {}, params: {}, ...input } as never);
  } catch (error) {
    if (error instanceof SlipwayError) return error.code;
    return "internal_error";
  }
}
