import { constants, setPriority } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type EncodeResult, encodeImage, refuseImage } from "./encodeImage.ts";
import { imageLimits } from "./imageLimits.ts";

// The program of a decoder process (`createImageDecoder.ts`). It gets none of the service's environment variables.

// Requests have priority over pictures.
setPriority(process.pid, constants.priority.PRIORITY_BELOW_NORMAL);
// A native decoder that hangs could delay an orderly exit forever.
const end = () => process.kill(process.pid, "SIGKILL");
process.on("disconnect", end);

/** The interval between measurements of time and memory; decoding runs on another thread. */
const tickMs = 20;
/** Memory that a process may keep between two pictures; above it, the next picture gets a new process. */
const maxIdleBytes = imageLimits.maxMemoryBytes / 2;

/** Decodes one picture within the limits of time and memory; called by the pool with the bytes of a file. */
export async function decodeImage(file: Uint8Array): Promise<EncodeResult> {
  const finished = new AbortController();
  try {
    return await Promise.race([encodeImage(file), watch(finished.signal)]);
  } finally {
    finished.abort();
    if (process.memoryUsage.rss() > maxIdleBytes) endSoon();
  }
}

/** Resolves with a refusal when the picture has used up its time or its memory; the process then ends. */
async function watch(finished: AbortSignal): Promise<EncodeResult> {
  const start = process.cpuUsage();
  while (!finished.aborted) {
    await sleep(tickMs, undefined, { signal: finished }).catch(() => undefined);
    const { user, system } = process.cpuUsage(start);
    if ((user + system) / 1_000 > imageLimits.maxCpuMs) {
      endSoon();
      return refuseImage(`takes more than ${imageLimits.maxCpuMs / 1_000} s to decode`);
    }
    if (process.memoryUsage.rss() > imageLimits.maxMemoryBytes) {
      endSoon();
      return refuseImage("needs too much memory to decode");
    }
  }
  return refuseImage("was decoded");
}

/** Ends the process after its answer is sent. */
function endSoon(): void {
  setTimeout(end, 50);
}
