import { setTimeout as sleep } from "node:timers/promises";
import type { CDPSession, Page } from "playwright-core";
import type { Goal } from "../quant/goals.ts";
import { countMessages } from "./countMessages.ts";
import { describeMachine, openBenchSite } from "./openBenchSite.ts";
import { startTrades } from "./tradeSource.ts";

const rates = [0, 50, 200] as const;
const frameMs = 1_000 / 60;
const settleMs = 5_000;

/** CPU seconds of the page's main thread, in total and by kind of work. */
type Usage = { all: number; script: number; style: number; layout: number };

type Cost = { perSecond: number; share: number; usage: Usage; longTasks: number[]; frames: number; dropped: number };

/**
 * Measures the cost of messages to a page: CPU time of its main thread, tasks above 50 ms, dropped frames. The first
 * window has no messages and measures the page's base cost.
 */
export async function measureLiveCost({ seconds }: { seconds: number }): Promise<Goal[]> {
  const site = await openBenchSite();
  const token = site.stack.tokens[0]!;
  const trades = await startTrades(site.stack, token);
  const goals: Goal[] = [];
  process.stdout.write(
    `Cost of messages in the browser, ${seconds} s each; ${describeMachine()}\n\n` +
      "| page | messages/s | main thread, % of a core | ms for each message | script | style | layout | tasks above 50 ms | longest | frames/s | dropped |\n" +
      "|---|---|---|---|---|---|---|---|---|---|---|\n",
  );
  for (const [name, path, selection] of [
    ["list", "/", {}],
    ["token", `/t/${token}?interval=1m`, { token }],
  ] as const) {
    const { page, context } = await site.openPage({ path });
    await page
      .locator(name === "token" ? "canvas" : "tbody a")
      .first()
      .waitFor();
    const session = await context.newCDPSession(page);
    await session.send("Performance.enable", { timeDomain: "threadTicks" });
    await observeLongTasks(page);
    const counter = countMessages(site.stack.baseUrl, selection);
    let idle = 0;
    for (const rate of rates) {
      trades.setRate(rate);
      await sleep(settleMs);
      const cost = await measureCost(page, session, counter.count, seconds);
      if (rate === 0) idle = cost.share;
      printRow(name, cost, idle);
      if (rate === 50) {
        goals.push(
          { name: `${name}: main thread at ${rate} messages a second, % of a core`, value: cost.share * 100, high: 10 },
          { name: `${name}: tasks above 50 ms at ${rate} messages a second`, value: cost.longTasks.length, high: 0 },
        );
      }
      if (rate > 0)
        goals.push({ name: `${name}: messages a second of ${rate}`, value: cost.perSecond, low: rate * 0.9 });
    }
    trades.setRate(0);
    counter.stop();
    await context.close();
  }
  await trades.stop();
  await site.close();
  return goals;
}

async function measureCost(page: Page, session: CDPSession, count: () => number, seconds: number): Promise<Cost> {
  await takeLongTasks(page);
  const before = { at: performance.now(), messages: count(), usage: await readUsage(session) };
  await sleep(seconds * 1_000);
  const usage = await readUsage(session);
  const passed = (performance.now() - before.at) / 1_000;
  const perSecond = (count() - before.messages) / passed;
  const longTasks = await takeLongTasks(page);
  for (const key of ["all", "script", "style", "layout"] as const)
    usage[key] = (usage[key] - before.usage[key]) / passed;
  // Separate, because requesting every frame has its own cost.
  return { perSecond, share: usage.all, usage, longTasks, ...(await countFrames(page, seconds)) };
}

async function readUsage(session: CDPSession): Promise<Usage> {
  const { metrics } = await session.send("Performance.getMetrics");
  const read = (name: string) => metrics.find((metric) => metric.name === name)!.value;
  const script = read("ScriptDuration");
  const style = read("RecalcStyleDuration");
  const layout = read("LayoutDuration");
  return { all: read("TaskDuration"), script, style, layout };
}

async function observeLongTasks(page: Page): Promise<void> {
  await page.evaluate(() => {
    Object.assign(window, { __longTasks: [] });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries())
        (window as unknown as { __longTasks: number[] }).__longTasks.push(duration);
    }).observe({ type: "longtask" });
  });
}

const takeLongTasks = (page: Page) =>
  page.evaluate(() => (window as unknown as { __longTasks: number[] }).__longTasks.splice(0));

/** Counts the frames that the page could draw, and the frames that were late. */
async function countFrames(page: Page, seconds: number): Promise<{ frames: number; dropped: number }> {
  const times = await page.evaluate(
    (ms) =>
      new Promise<number[]>((resolve) => {
        const at: number[] = [];
        const step = (now: number) => {
          at.push(now);
          if (now - at[0]! < ms) requestAnimationFrame(step);
          else resolve(at);
        };
        requestAnimationFrame(step);
      }),
    seconds * 1_000,
  );
  const due = Math.round((times.at(-1)! - times[0]!) / frameMs);
  return { frames: (times.length - 1) / seconds, dropped: Math.max(0, due - (times.length - 1)) };
}

function printRow(name: string, cost: Cost, idle: number): void {
  const { perSecond, share, usage, longTasks, frames, dropped } = cost;
  const percent = (value: number) => `${(value * 100).toFixed(1)}`;
  const each = perSecond === 0 ? "" : (((share - idle) * 1_000) / perSecond).toFixed(2);
  const longest = longTasks.length === 0 ? "" : `${Math.max(...longTasks).toFixed(0)} ms`;
  process.stdout.write(
    `| ${name} | ${perSecond.toFixed(1)} | ${percent(share)} | ${each} | ${percent(usage.script)} | ${percent(usage.style)} | ` +
      `${percent(usage.layout)} | ${longTasks.length} | ${longest} | ${frames.toFixed(1)} | ${dropped} |\n`,
  );
}
