import { existsSync } from "node:fs";
import { writeHeapSnapshot } from "node:v8";

/** The process writes a heap snapshot to HEAP_PATH once the file HEAP_PATH.wanted exists. */
const path = process.env.HEAP_PATH!;
const timer = setInterval(() => {
  if (!existsSync(`${path}.wanted`)) return;
  clearInterval(timer);
  writeHeapSnapshot(path);
}, 50);
