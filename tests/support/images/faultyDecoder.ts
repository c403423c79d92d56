import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { blockForever } from "./blockForever.ts";

// A decoder program whose files contain, after their picture, the kind of failure.

const encoded = { bytes: new Uint8Array(), contentType: "image/webp", sha256: "", cid: "", width: 1, height: 1 };
const answer = (blurhash = "") => ({
  ok: true,
  image: { ...encoded, animated: false, blurhash, dominantColor: "", sizes: [] },
});

async function getCode(work: () => unknown): Promise<string> {
  try {
    await work();
    return "done";
  } catch (error) {
    return String((error as { code?: string }).code);
  }
}

async function describeAccess(): Promise<string> {
  const { TINYPOOL_WORKER_ID, ...environment } = process.env;
  return JSON.stringify({
    environment: { ...environment, TINYPOOL_WORKER_ID },
    read: await getCode(() => readFileSync("/etc/hostname")),
    write: await getCode(() => writeFileSync("/tmp/planted-by-a-picture", "x")),
    spawn: await getCode(() => {
      const { error } = spawnSync("true");
      if (error) throw error;
    }),
    connect: await getCode(
      () =>
        new Promise((resolve, reject) => {
          connect(9, "127.0.0.1").on("connect", resolve).on("error", reject);
        }),
    ),
  });
}

export async function decodeImage(file: Uint8Array): Promise<unknown> {
  const text = Buffer.from(file).toString("latin1");
  if (text.endsWith("crash")) process.abort();
  if (text.endsWith("stop")) process.kill(process.pid, "SIGSTOP");
  if (text.endsWith("hang")) blockForever();
  if (text.endsWith("slow")) await sleep(20);
  return answer(text.endsWith("environment") ? await describeAccess() : "");
}
