import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { StackError } from "../stack/stackError.ts";
import { type Child, type ChildExit, readLogTail } from "./spawnChild.ts";

export type SuperviseParameters = {
  name: string;
  first: Child;
  /** Starts the child again, at the same address. */
  restart: () => Promise<Child>;
  /** Called with a line about each exit and each restart. */
  report: (text: string) => void;
  /** The log whose last lines are included in the error when supervision fails. */
  logPath: string;
  /** The number of consecutive early exits at which supervision fails. Default 5. */
  maxEarlyExits?: number;
  /** Whether the exit is fatal, so that a restart cannot help. */
  isFatal?: (exit: ChildExit) => boolean;
};

export type Supervised = {
  current: () => Child;
  /** Resolves when the child is not restarted any more; never rejects. */
  failed: Promise<StackError>;
  stop: () => Promise<void>;
};

/** The time after the start within which an exit counts as early. */
const earlyExitMs = 5_000;

/**
 * Restarts a child whenever it ends by itself, after a pause of 0.2 s that doubles up to 5 s after each early exit.
 * Fails after `maxEarlyExits` consecutive early exits.
 */
export function supervise(parameters: SuperviseParameters): Supervised {
  const { name, restart, report, logPath, maxEarlyExits = 5, isFatal } = parameters;
  const stopping = new AbortController();
  const logStart = statSync(logPath, { throwIfNoEntry: false })?.size ?? 0;
  const { promise: failed, resolve: fail } = Promise.withResolvers<StackError>();
  let child = parameters.first;

  const run = async (): Promise<void> => {
    let earlyExits = 0;
    let startedAt = Date.now();
    for (;;) {
      const exit = await child.exited;
      if (stopping.signal.aborted) return;
      earlyExits = Date.now() - startedAt < earlyExitMs ? earlyExits + 1 : 0;
      if (earlyExits >= maxEarlyExits || isFatal?.(exit)) {
        return fail(createExitError(name, exit, earlyExits, readLogTail(logPath, 10, logStart), logPath));
      }
      const pauseMs = Math.min(200 * 2 ** Math.max(earlyExits - 1, 0), 5_000);
      report(`${name} ended (${formatExit(exit)}); restart in ${pauseMs / 1000} s`);
      await sleep(pauseMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      try {
        child = await restart();
      } catch (error) {
        return fail(new StackError(`${name} could not be restarted: ${(error as Error).message}`, `See ${logPath}.`));
      }
      startedAt = Date.now();
      if (stopping.signal.aborted) return child.stop();
      report(`${name} runs again (process ${child.pid})`);
    }
  };
  const running = run();

  return {
    current: () => child,
    failed,
    stop: async () => {
      stopping.abort();
      await child.stop();
      await running;
    },
  };
}

function formatExit({ code, signal }: ChildExit): string {
  return signal ? `by ${signal}` : `with code ${code}`;
}

function createExitError(name: string, exit: ChildExit, earlyExits: number, tail: string, logPath: string): StackError {
  const times = earlyExits > 1 ? `${earlyExits} times right after its start, last ` : "";
  return new StackError(
    `${name} ended ${times}${formatExit(exit)}: not restarted.${tail && `\n${tail}`}`,
    `Its whole log is ${logPath}.`,
  );
}
