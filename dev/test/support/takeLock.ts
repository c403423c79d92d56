// Tries to take the lock of the first argument, prints what came of it, and holds it until standard input ends.
import { takeStackLock } from "../../src/stack/stackLock.ts";

try {
  takeStackLock(process.argv[2] as string);
  process.stdout.write("taken\n");
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n`);
}
for await (const _ of process.stdin);
