import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { spawnChild, spawnListener } from "@slipway/dev/process/spawnChild";
import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { type Stack, startStack } from "@slipway/dev/startStack";
import pg from "pg";
import { requireProgram } from "../findProgram.ts";
import { prometheusFolder, readDashboards, readRules, readRunbooks } from "./artefacts.ts";

/** Rates over five minutes need some scrapes before they have a value. */
const warmUpMs = 20_000;
const faultTimeoutMs = 60_000;

/** Panels that have no data on a healthy stack: their counter starts with the first such event, or the part is not configured. */
const mayBeEmpty =
  /slipway_(replica_lag|replica_used|refused|shed_requests|connections_closed|rate_limited|websockets_closed|rpc_endpoint_failures|forecasts|mails|image_pins|token_images|gas_top_ups|market_bars_refused|unconfirmed_ranges|risk_computed|listing_feed|rate_limit_settlements)|status=~"5\.\."|outcome="failed"/;

/** Alerts that a new local stack can raise: its markets are still collecting their history, and it has one RPC endpoint. */
const expectedAlerts = /^(SlipwayMarketStale|SlipwayLogsUnconfirmed)$/;

type Series = { metric: Record<string, string>; value: [number, string] };
type Alert = { labels: { alertname: string }; state: string };

function assert(condition: boolean, problem: string): void {
  if (!condition) throw new Error(problem);
}

/** Checks the configuration, the rules and their unit tests with promtool. */
function checkWithPromtool(): void {
  const promtool = requireProgram("promtool");
  for (const args of [
    ["check", "config", "prometheus.yaml"],
    ["test", "rules", "rules.test.yaml"],
  ]) {
    const { status, stdout, stderr } = spawnSync(promtool, args, { cwd: prometheusFolder, encoding: "utf8" });
    assert(status === 0, `promtool ${args.join(" ")}:\n${stdout}${stderr}`);
  }
}

/** Checks the text of `/metrics` as Prometheus' own naming rules require. */
async function checkMetricNames(url: string): Promise<void> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const { stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" });
  const problems = `${stdout}${stderr}`.trim();
  assert(problems === "", `promtool check metrics:\n${problems}`);
}

/** Starts Prometheus with the shipped rules before the metrics of a stack. @returns its URL */
async function startPrometheus(folder: string, target: string): Promise<{ url: string; stop: () => Promise<void> }> {
  const dir = join(folder, "prometheus");
  mkdirSync(dir);
  copyFileSync(join(prometheusFolder, "rules.yaml"), join(dir, "rules.yaml"));
  const configuration = {
    global: {
      scrape_interval: "1s",
      evaluation_interval: "1s",
      external_labels: { runbooks: "https://runbooks.example" },
    },
    rule_files: ["rules.yaml"],
    scrape_configs: [{ job_name: "slipway", static_configs: [{ targets: [target] }] }],
  };
  writeFileSync(join(dir, "prometheus.yml"), JSON.stringify(configuration));
  const logPath = join(dir, "prometheus.log");
  const { child, port } = await spawnListener({
    title: "Prometheus",
    logPath,
    spawn: (listenPort) =>
      spawnChild({
        dir,
        name: "prometheus",
        command: requireProgram("prometheus"),
        args: [
          `--config.file=${join(dir, "prometheus.yml")}`,
          `--storage.tsdb.path=${join(dir, "data")}`,
          `--web.listen-address=127.0.0.1:${listenPort}`,
        ],
        endSignal: "SIGTERM",
        endOrder: 1,
        logPath,
      }),
    isReady: async (listenPort) =>
      (await fetch(`http://127.0.0.1:${listenPort}/-/ready`).catch(() => null))?.ok === true,
  });
  return { url: `http://127.0.0.1:${port}`, stop: child.stop };
}

/** Asks Prometheus. @throws Error with its message if it refuses the request */
async function ask<T>(prometheus: string, path: string): Promise<T> {
  const response = await fetch(`${prometheus}/api/v1/${path}`);
  const answer = (await response.json()) as { status: string; data: T; error?: string };
  assert(answer.status === "success", `${path}: ${answer.error}`);
  return answer.data;
}

const query = async (prometheus: string, expression: string) =>
  (await ask<{ result: Series[] }>(prometheus, `query?query=${encodeURIComponent(expression)}`)).result;

/** Runs the query of every panel. @returns their number */
async function checkDashboards(prometheus: string): Promise<number> {
  let count = 0;
  const empty: string[] = [];
  for (const [file, { panels }] of readDashboards()) {
    for (const { title, targets } of panels) {
      for (const { expr } of targets) {
        const result = await query(prometheus, expr);
        if (result.length === 0 && !mayBeEmpty.test(expr)) empty.push(`${file}, ${title}: ${expr}`);
        count++;
      }
    }
  }
  assert(empty.length === 0, `these panels have no data:\n${empty.join("\n")}`);
  return count;
}

/** Checks that Prometheus evaluates every rule, and that none fires on a healthy stack. */
async function checkRules(prometheus: string): Promise<void> {
  type Group = { rules: { name: string; health: string; lastError?: string; state: string }[] };
  const { groups } = await ask<{ groups: Group[] }>(prometheus, "rules");
  const rules = groups.flatMap((group) => group.rules);
  assert(rules.length === readRules().length, `Prometheus loaded ${rules.length} rules`);
  const bad = rules.filter(({ health }) => health !== "ok");
  assert(bad.length === 0, `not evaluated: ${bad.map(({ name, lastError }) => `${name} ${lastError}`).join("; ")}`);
  const firing = rules.filter(({ name, state }) => state !== "inactive" && !expectedAlerts.test(name));
  assert(
    firing.length === 0,
    `these alerts are active on a healthy stack: ${firing.map(({ name }) => name).join(", ")}`,
  );
}

/** Waits until exactly these of the alerts are active (pending or firing). */
async function waitForAlerts(prometheus: string, names: readonly string[], wanted: boolean): Promise<void> {
  const deadline = Date.now() + faultTimeoutMs;
  let active: string[] = [];
  while (Date.now() < deadline) {
    const { alerts } = await ask<{ alerts: Alert[] }>(prometheus, "alerts");
    active = alerts.map(({ labels }) => labels.alertname);
    if (names.every((name) => active.includes(name) === wanted)) return;
    await sleep(500);
  }
  throw new Error(`${names.join(", ")}: ${wanted ? "not active" : "still active"}; active are ${active.join(", ")}`);
}

/** Stops every process of PostgreSQL for a while, as a machine that hangs, and checks that the alerts notice it. */
async function checkFault(prometheus: string, databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on("error", () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    "select pid from pg_stat_activity where pid <> pg_backend_pid()",
  );
  await client.end();
  const sessions = rows.map(({ pid }) => pid);
  // The parent of the sessions accepts connections.
  const [, parent] = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${sessions[0]}/status`, "utf8"))!;
  const pids = [Number(parent), ...sessions];
  const alerts = ["SlipwayReadsNotReady", "SlipwayWritesNotReady", "SlipwayOutboxNotRead"];
  const signal = (name: "SIGSTOP" | "SIGCONT") => {
    for (const pid of pids) {
      try {
        process.kill(pid, name);
      } catch {
        // The session has ended.
      }
    }
  };
  signal("SIGSTOP");
  try {
    await waitForAlerts(prometheus, alerts, true);
  } finally {
    signal("SIGCONT");
  }
  await waitForAlerts(prometheus, alerts, false);
}

/** Runs the commands of the runbooks' checks, and each SQL statement in a transaction that is rolled back. */
async function checkRunbooks(stack: Stack, prometheus: string): Promise<number> {
  const env = { ...process.env, PROM: prometheus, API: stack.siteUrl, METRICS: stack.siteUrl, RPC: stack.rpcUrl };
  const blocks = readRunbooks().flatMap((section) => section.blocks);
  const client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
  try {
    for (const { page, section, language, code } of blocks) {
      const place = `${page}, ${section}`;
      if (language === "sql") {
        await client.query("begin");
        await client.query(code).catch((error: Error) => {
          throw new Error(`${place}: ${error.message}\n${code}`);
        });
        await client.query("rollback");
      } else if (section !== "Variables") {
        const { status, stdout, stderr } = spawnSync("bash", ["-eo", "pipefail", "-c", code], {
          env,
          encoding: "utf8",
        });
        assert(status === 0, `${place} (exit code ${status}):\n${code}${stdout}${stderr}`);
      }
    }
  } finally {
    await client.end();
  }
  return blocks.length;
}

checkWithPromtool();
const folder = temporaryFolder();
const resources = new AsyncDisposableStack();
try {
  const stack = await startStack({ demo: true, serverEnvironment: { METRICS_CACHE_MS: "0" } });
  resources.defer(() => stack.stop());
  await checkMetricNames(stack.siteUrl);
  const prometheus = await startPrometheus(folder.path, new URL(stack.siteUrl).host);
  resources.defer(() => prometheus.stop());
  await sleep(warmUpMs);
  const queries = await checkDashboards(prometheus.url);
  await checkRules(prometheus.url);
  const blocks = await checkRunbooks(stack, prometheus.url);
  await checkFault(prometheus.url, stack.databaseUrl);
  process.stdout.write(
    `${readRules().length} alerts fire and resolve; ${queries} queries of dashboards and ${blocks} blocks of runbooks run\n`,
  );
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
} finally {
  await resources.disposeAsync();
  folder.remove();
}
