import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { findChromium } from "../../tests/support/browser/findChromium.ts";
import { percentile } from "../percentile.ts";
import type { Goal } from "../quant/goals.ts";
import { describeMachine, openBenchSite } from "./openBenchSite.ts";

const version = "13.5.0";
/**
 * Installed outside of Slipway's dependencies: it brings 94 packages, and an older version of a package of the server.
 */
const folder = fileURLToPath(new URL(`../../.cache/bench-lighthouse-${version}`, import.meta.url));
const program = join(folder, "node_modules/lighthouse/cli/index.js");
const chromeFlags = "--headless=new --no-sandbox --disable-gpu --disable-background-networking --no-proxy-server";

/** The processor for which Lighthouse's factor of four corresponds to a phone, by Lighthouse's benchmark. */
const referenceIndex = 1_750;

/** The parts of Lighthouse's report that are read. */
type Report = {
  categories: Record<string, { score: number | null }>;
  audits: Record<string, { numericValue?: number; score: number | null; title: string; scoreDisplayMode: string }>;
  environment: { benchmarkIndex: number };
  runtimeError?: { message: string };
};

/** Installs Lighthouse if it is missing, from npm's configured registry; does not download a browser. */
function install(): void {
  if (existsSync(`${folder}/installed`)) return;
  mkdirSync(folder, { recursive: true });
  const description = { name: "bench-lighthouse", private: true, dependencies: { lighthouse: version } };
  writeFileSync(`${folder}/package.json`, `${JSON.stringify(description, null, 2)}\n`);
  const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--workspaces=false"];
  execFileSync("npm", ["install", ...options], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  // Written last, so that an aborted installation does not count.
  writeFileSync(`${folder}/installed`, `${new Date().toISOString()}\n`);
}

async function audit(url: string, cpuSlowdown?: number): Promise<Report> {
  const path = join(folder, "report.json");
  const options = [
    ...["--quiet", "--output=json", `--output-path=${path}`, `--chrome-flags=${chromeFlags}`],
    ...["--no-enable-error-reporting", "--only-categories=performance,accessibility,best-practices,seo"],
    ...(cpuSlowdown === undefined ? [] : [`--throttling.cpuSlowdownMultiplier=${cpuSlowdown}`]),
  ];
  const env = { ...process.env, CHROME_PATH: findChromium() ?? "" };
  await promisify(execFile)(process.execPath, [program, url, ...options], { env, timeout: 300_000 });
  const report = JSON.parse(readFileSync(path, "utf8")) as Report;
  if (report.runtimeError) throw new Error(`${url}: ${report.runtimeError.message}`);
  return report;
}

const pages = (token: string) =>
  [
    ["/", "/"],
    ["/t/{address}", `/t/${token}`],
    ["/gallery", "/gallery"],
    ["/launch", "/launch"],
  ] as const;

type Measured = { name: string; reports: readonly Report[] };

const median = (values: readonly number[]) => percentile(values, 0.5);
const getScore = (reports: readonly Report[], category: string) =>
  median(reports.map(({ categories }) => (categories[category]!.score ?? 0) * 100));
const getFigure = (reports: readonly Report[], id: string) =>
  median(reports.map(({ audits }) => audits[id]!.numericValue!));

/** The goals of a page on the profile as Lighthouse defines it. */
function toGoals({ name, reports }: Measured): Goal[] {
  return [
    { name: `${name}: performance`, value: getScore(reports, "performance"), low: 95 },
    {
      name: `${name}: largest contentful paint, ms`,
      value: Math.round(getFigure(reports, "largest-contentful-paint")),
      high: 1_500,
    },
    {
      name: `${name}: total blocking time, ms`,
      value: Math.round(getFigure(reports, "total-blocking-time")),
      high: 150,
    },
    { name: `${name}: cumulative layout shift`, value: getFigure(reports, "cumulative-layout-shift"), high: 0.02 },
    ...["accessibility", "best-practices", "seo"].map((id) => ({
      name: `${name}: ${id}`,
      value: getScore(reports, id),
      low: 100,
    })),
  ];
}

/** The same figures on a processor as slow as the phone of the profile, without goals. */
function toSlowerFigures({ name, reports }: Measured): Goal[] {
  return [
    { name: `${name}, slower processor: performance`, value: getScore(reports, "performance") },
    {
      name: `${name}, slower processor: total blocking time, ms`,
      value: Math.round(getFigure(reports, "total-blocking-time")),
    },
  ];
}

function printFailures({ name, reports }: Measured): void {
  for (const [id, { scoreDisplayMode, score, title }] of Object.entries(reports[0]!.audits))
    if (scoreDisplayMode === "binary" && score === 0) process.stdout.write(`  ${name}: ${id}: ${title}\n`);
}

/**
 * Returns medians of Lighthouse's mobile profile. The profile slows any processor down four times, so that a fast
 * machine is a faster phone: the figures are also measured with a factor for this machine's processor.
 */
export async function measureLighthouse({ runs }: { runs: number }): Promise<Goal[]> {
  install();
  const site = await openBenchSite();
  const { environment } = await audit(site.url);
  const cpuSlowdown = Math.max(1, (4 * environment.benchmarkIndex) / referenceIndex);
  process.stdout.write(
    `Lighthouse ${version}, mobile, medians of ${runs}; ${describeMachine()}; index ${environment.benchmarkIndex}, ` +
      `slower processor: slowed down ${cpuSlowdown.toFixed(2)} times\n`,
  );
  const measure = async (factor?: number): Promise<Measured[]> => {
    const measured: Measured[] = [];
    for (const [name, path] of pages(site.stack.tokens[0]!)) {
      const reports: Report[] = [];
      for (let run = 0; run < runs; run++) reports.push(await audit(`${site.url}${path}`, factor));
      measured.push({ name, reports });
    }
    return measured;
  };
  const profile = await measure();
  const slower = await measure(cpuSlowdown);
  await site.close();
  for (const each of profile) printFailures(each);
  return [...profile.flatMap(toGoals), ...slower.flatMap(toSlowerFigures)];
}
