import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getFreePort } from "@slipway/dev/process/getFreePort";
import { queryText, type TestEngine } from "./startChdb.ts";

const credentials = { user: "slipway", key: "secret" };
const server = "/usr/sbin/clickhouse-server";
const zooKeeperJar = "/usr/share/java/zookeeper.jar";

export type Cluster = TestEngine & {
  name: string;
  /** Runs a statement at one node. */
  queryNode: (node: 0 | 1, statement: string) => Promise<string>;
  /** Kills a node. */
  kill: (node: 0 | 1) => Promise<void>;
  /** Starts a killed node again. */
  restart: (node: 0 | 1) => Promise<void>;
};

type Ports = { http: number; tcp: number; interserver: number };

/** Starts the two nodes of a ClickHouse 18.16 cluster with ZooKeeper, from Debian's packages. */
export async function startCluster(folder: string, layout: "two_shards" | "two_replicas"): Promise<Cluster> {
  if (!existsSync(server) || !existsSync(zooKeeperJar)) {
    throw new Error(
      "install clickhouse-server and zookeeper: apt-get install --no-install-recommends clickhouse-server zookeeper",
    );
  }
  const zooKeeperPort = await getFreePort();
  const zooKeeper = spawn(
    "java",
    [
      ...["-Xmx256m", "-Dzookeeper.admin.enableServer=false", "-cp", zooKeeperJar],
      ...["org.apache.zookeeper.server.ZooKeeperServerMain", String(zooKeeperPort), join(folder, "zookeeper")],
    ],
    { stdio: "ignore" },
  );
  const ports: Ports[] = [];
  for (let node = 0; node < 2; node++) {
    ports.push({ http: await getFreePort(), tcp: await getFreePort(), interserver: await getFreePort() });
  }
  const processes: (ChildProcess | null)[] = [null, null];
  const queryNode = (node: 0 | 1, statement: string) =>
    queryText(`http://127.0.0.1:${ports[node]!.http}/`, credentials, statement);

  const start = async (node: 0 | 1) => {
    const config = writeConfig(join(folder, `node${node}`), { node, layout, ports, zooKeeperPort });
    processes[node] = spawn(server, [`--config-file=${config}`], { stdio: "ignore" });
    await waitFor(async () => {
      // ON CLUSTER needs the session with ZooKeeper.
      await queryNode(node, "select count() from system.zookeeper where path = '/'");
    });
  };
  const kill = async (node: 0 | 1) => await end(processes[node]);
  await start(0);
  await start(1);
  return {
    name: layout,
    url: `http://slipway:secret@127.0.0.1:${ports[0]!.http}/slipway`,
    query: (statement) => queryNode(0, statement),
    queryNode,
    kill,
    restart: start,
    stop: async () => {
      await Promise.all([end(processes[0]), end(processes[1]), end(zooKeeper)]);
    },
  };
}

async function end(child: ChildProcess | null | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

async function waitFor(condition: () => Promise<void>): Promise<void> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    try {
      return await condition();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

function writeConfig(
  folder: string,
  {
    node,
    layout,
    ports,
    zooKeeperPort,
  }: { node: number; layout: string; ports: readonly Ports[]; zooKeeperPort: number },
): string {
  mkdirSync(folder, { recursive: true });
  const own = ports[node]!;
  const toReplica = ({ tcp }: Ports) =>
    `<replica><host>127.0.0.1</host><port>${tcp}</port><user>slipway</user><password>secret</password></replica>`;
  const toShard = (members: readonly Ports[]) =>
    `<shard><internal_replication>true</internal_replication>${members.map(toReplica).join("")}</shard>`;
  const shards = layout === "two_shards" ? ports.map((port) => toShard([port])) : [toShard(ports)];
  const macros = layout === "two_shards" ? [`s${node}`, "r0"] : ["s0", `r${node}`];
  writeFileSync(
    join(folder, "users.xml"),
    `<yandex>
      <profiles><default/></profiles><quotas><default/></quotas>
      <users><slipway><password>secret</password><networks><ip>127.0.0.1</ip></networks>
        <profile>default</profile><quota>default</quota></slipway></users>
    </yandex>`,
  );
  const config = join(folder, "config.xml");
  writeFileSync(
    config,
    `<yandex>
      <logger><level>warning</level><log>${folder}/log</log><errorlog>${folder}/errors</errorlog></logger>
      <listen_host>127.0.0.1</listen_host>
      <http_port>${own.http}</http_port><tcp_port>${own.tcp}</tcp_port>
      <interserver_http_port>${own.interserver}</interserver_http_port>
      <interserver_http_host>127.0.0.1</interserver_http_host>
      <path>${folder}/data/</path><tmp_path>${folder}/tmp/</tmp_path>
      <user_files_path>${folder}/files/</user_files_path><format_schema_path>${folder}/schemas/</format_schema_path>
      <users_config>${folder}/users.xml</users_config>
      <default_profile>default</default_profile><default_database>default</default_database>
      <mark_cache_size>67108864</mark_cache_size>
      <zookeeper><node><host>127.0.0.1</host><port>${zooKeeperPort}</port></node><session_timeout_ms>4000</session_timeout_ms></zookeeper>
      <macros><shard>${macros[0]}</shard><replica>${macros[1]}</replica></macros>
      <distributed_ddl><path>/clickhouse/ddl</path></distributed_ddl>
      <remote_servers><${layout}>${shards.join("")}</${layout}></remote_servers>
    </yandex>`,
  );
  return config;
}
