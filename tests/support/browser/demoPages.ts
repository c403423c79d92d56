import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { drawPicture } from "@slipway/dev/demo/drawPicture";
import { type DevFile, repositoryRoot } from "@slipway/dev/stack/stackFolder";
import { createClient } from "@slipway/sdk/createClient";
import type { BrowserContext, Page } from "playwright-core";
import { connect } from "./journeys.ts";
import type { TestWallet } from "./testWallet.ts";

const api = "/api/v1/launchpad";

/** Reads the paths of routes.tsx, so that new pages need no change here. @throws Error if a path was not found */
export function readRoutePaths(): string[] {
  const source = readFileSync(join(repositoryRoot, "apps/web/src/routes.tsx"), "utf8");
  const paths = [...source.matchAll(/^ {2}path: "(.+)",$/gm)].map(([, path]) => path!);
  const count = source.match(/= createRoute\(/g)?.length ?? 0;
  if (paths.length !== count) throw new Error(`routes.tsx has ${count} routes, but ${paths.length} paths were found.`);
  return paths;
}

/** Fills the parameters of a route; null if the demo has no value for one. Omits optional parameters. */
export function fillPath(path: string, values: Readonly<Record<string, string | undefined>>): string | null {
  const filled = path.replace(/\/\{-\$\w+\}/g, "").replace(/\$(\w+)/g, (all, name: string) => values[name] ?? all);
  return filled.includes("$") ? null : filled;
}

/** Returns values for the routes' parameters, from the demo's data and the wallet of its first token's creator. */
export async function readParameters(dev: DevFile, context: BrowserContext, wallet: string) {
  const client = createClient({ baseUrl: dev.base_url, apiKey: dev.api_key });
  const [picture, { items: tokens }, { items: listings }] = await Promise.all([
    client.uploadImage({ file: await drawPicture("moon", 265) }),
    client.listTokens({ sort: "volume", limit: 50 }),
    client.getDirectory({ limit: 50 }),
  ]);
  const own = tokens.find(({ creator }) => creator?.toLowerCase() === wallet.toLowerCase()) ?? tokens[0];
  const intent = {
    name: "Evening Ferry",
    symbol: "FERRY",
    chain_id: dev.chain_id,
    description: "The last boat across the bay.",
    image_uri: picture.uri,
    recipients: [
      { provider: "wallet", wallet, share_bps: 6_000 },
      { provider: "wallet", wallet: dev.wallets[1]!.address, share_bps: 4_000 },
    ],
  };
  const headers = { origin: new URL(dev.site_url).origin, "idempotency-key": "screenshots-1" };
  const draft = await context.request.post(`${dev.site_url}${api}/intents`, { data: intent, headers });
  if (!draft.ok()) throw new Error(`the draft was refused: ${await draft.text()}`);
  const { id } = (await draft.json()) as { id: string };
  return {
    address: own?.address,
    draft: id,
    pair: "BTC_USDT",
    id: listings.find(({ source }) => source === "own")?.id,
  };
}

/** Connects on a new page and signs in; afterwards its context is signed in. */
export async function signInOn(page: Page, siteUrl: string, wallet: TestWallet): Promise<void> {
  await wallet.addTo(page);
  await page.goto(`${siteUrl}/drafts`);
  await connect(page);
  const verified = page.waitForResponse((response) => response.url().endsWith("/siwe/verify") && response.ok());
  await page
    .getByRole("main")
    .getByRole("button", { name: /^Sign in/ })
    .click();
  await verified;
  await untilDrawn(page);
}

/** Waits until all content of the page has loaded. */
export async function untilDrawn(page: Page): Promise<void> {
  await page.locator("main h1, main h2").first().waitFor();
  /** Returns the start of the element that is loading. */
  const findLoading = () =>
    page.evaluate(async () => {
      await document.fonts.ready;
      const pictures = [...document.images];
      // A full-page screenshot also shows content below the window.
      for (const picture of pictures) picture.loading = "eager";
      const waiting = document.querySelectorAll("main [aria-busy=true], main [class~='bg-line/60']");
      const incomplete = pictures.filter(({ complete }) => !complete);
      return [...waiting, ...incomplete].map(({ outerHTML }) => outerHTML.slice(0, 200));
    });
  const deadline = Date.now() + 15_000;
  for (;;) {
    const [loading] = await findLoading();
    if (loading === undefined) return;
    if (Date.now() > deadline) throw new Error(`${page.url()} is still loading ${loading}`);
    await sleep(100);
  }
}
