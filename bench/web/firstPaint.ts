import { percentile } from "../percentile.ts";
import type { Goal } from "../quant/goals.ts";
import { describeMachine, openBenchSite } from "./openBenchSite.ts";

/** The connection and the processor of Lighthouse's mobile profile, applied to the browser instead of computed. */
const network = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 0.75e6 / 8 };
const cpuSlowdown = 4;

type Times = { firstPaint: number; largestPaint: number; ready: number };

/** Records when the site's scripts have rendered the page. */
function watchScripts(): void {
  const check = () => {
    const root = document.getElementById("root");
    if (root?.firstElementChild && root.querySelector(":scope > [inert]") === null) performance.mark("ready");
    else requestAnimationFrame(check);
  };
  check();
}

function readTimes(): Promise<Times> {
  return new Promise((resolve) => {
    let largestPaint = 0;
    const observer = new PerformanceObserver((list) => {
      for (const { startTime } of list.getEntries()) largestPaint = startTime;
    });
    observer.observe({ type: "largest-contentful-paint", buffered: true });
    const find = (name: string) => performance.getEntriesByName(name)[0]!.startTime;
    setTimeout(() => resolve({ firstPaint: find("first-contentful-paint"), largestPaint, ready: find("ready") }), 500);
  });
}

/**
 * Measures the start of the site on a slow phone: the first and the largest paint, and when controls respond. A URL with a
 * query has no first paint from the server; its scripts load at once.
 */
export async function measureFirstPaint({ runs }: { runs: number }): Promise<Goal[]> {
  const site = await openBenchSite();
  process.stdout.write(`a slow 4G phone, medians of ${runs}; ${describeMachine()}\n`);
  const goals: Goal[] = [];
  for (const [name, path] of [
    ["/", "/"],
    ["/t/{address}", `/t/${site.stack.tokens[0]}`],
  ] as const) {
    for (const query of ["", "?empty=1"]) {
      const times: Times[] = [];
      for (let run = 0; run < runs; run++) {
        const { page, context } = await site.openPage({ context: { viewport: { width: 412, height: 823 } } });
        const session = await context.newCDPSession(page);
        await session.send("Network.enable");
        await session.send("Network.emulateNetworkConditions", network);
        await session.send("Emulation.setCPUThrottlingRate", { rate: cpuSlowdown });
        await page.addInitScript(watchScripts);
        await page.goto(`${site.url}${path}${query}`);
        await page.waitForFunction(() => performance.getEntriesByName("ready").length > 0);
        times.push(await page.evaluate(readTimes));
        await context.close();
      }
      const median = (read: (each: Times) => number) => Math.round(percentile(times.map(read), 0.5));
      const label = query === "" ? name : `${name}, without the server's paint`;
      goals.push(
        { name: `${label}: first paint, ms`, value: median(({ firstPaint }) => firstPaint) },
        { name: `${label}: largest paint, ms`, value: median(({ largestPaint }) => largestPaint) },
        { name: `${label}: controls respond, ms`, value: median(({ ready }) => ready) },
      );
    }
  }
  await site.close();
  return goals;
}
