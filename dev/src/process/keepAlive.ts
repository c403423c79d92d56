import { statSync } from "node:fs";
import { type Child, type ChildExit, logTail } from "./spawnChild.ts";
import { StackError } from "../stack/stackError.ts";

export type KeepAliveParameters = {
  name: string;
  first: Child;
  /** Starts it again, at the same place. */
  restart: () => Promise<Child>;
  /** Told about each death and each new start. */
  report: (text: string) => void;
  /** Read for the message when it is given up. */
  logPath: string;
  /** Quick deaths in a row after which it is given up. Default 5. */
  maximumQuickDeaths?: number;
  /** Says of an exit that trying again cannot help. */
  isHopeless?: (exit: ChildExit) => boolean;
};

export type KeptAlive = {
  current: () => Child;
  /** Resolves when it was given up; never rejects. */
  failed: Promise<StackError>;
  stop: () => Promise<void>;
};

/** A child that lived for less has hardly started. */
const quickDeathMs = 5_000;

/**
 * Starts a child again whenever it ends by itself, after a pause of 0.2 s that doubles to 5 s while it dies right
 * after its start, and gives up when it does so again and again.
 */
export function keepAlive(parameters: KeepAliveParameters): KeptAlive {
  const { name, restart, report, logPath, maximumQuickDeaths = 5, isHopeless } = parameters;
  let child = parameters.first;
  let stopping = false;
  const logStart = statSync(logPath, { throwIfNoEntry: false })?.size ?? 0;
  let wake: () => void = () => undefined;
  let quickDeaths = 0;
  let startedAt = Date.now();
  const { promise: failed, resolve: giveUp } = Promise.withResolvers<StackError>();

  const watch = async (): Promise<void> => {
    while (!stopping) {
      const exit = await child.exited;
      if (stopping) return;
      quickDeaths = Date.now() - startedAt < quickDeathMs ? quickDeaths + 1 : 0;
      if (quickDeaths >= maximumQuickDeaths || isHopeless?.(exit)) {
        return giveUp(givenUp(name, exit, quickDeaths, logTail(logPath, 4, logStart), logPath));
      }
      const pauseMs = Math.min(200 * 2 ** Math.max(quickDeaths - 1, 0), 5_000);
      report(`${name} ended (${howItEnded(exit)}); starting it again in ${pauseMs / 1000} s`);
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, pauseMs).unref();
      });
      if (stopping) return;
      try {
        child = await restart();
        startedAt = Date.now();
        if (stopping) await child.stop();
        else report(`${name} runs again (process ${child.pid})`);
      } catch (error) {
        return giveUp(
          new StackError(`${name} could not be started again: ${(error as Error).message}`, `See ${logPath}.`),
        );
      }
    }
  };
  const watching = watch();

  return {
    current: () => child,
    failed,
    stop: async () => {
      stopping = true;
      wake();
      await child.stop();
      await watching;
    },
  };
}

function howItEnded({ code, signal }: ChildExit): string {
  return signal ? `by ${signal}` : `with code ${code}`;
}

function givenUp(name: string, exit: ChildExit, quickDeaths: number, tail: string, logPath: string): StackError {
  const times = quickDeaths > 1 ? `${quickDeaths} times right after its start, last` : "";
  return new StackError(
    `${name} ended ${times && `${times} `}${howItEnded(exit)}: given up.${tail && `\n${tail}`}`,
    `Its whole log is ${logPath}.`,
  );
}
