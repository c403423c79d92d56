// Tries to take the lock of the first argument, prints the result, and holds the lock until standard input ends.
import { takeStackLock } from "@slipway/dev/stack/stackLock";

try {
  await takeStackLock(process.argv[2] as string);
  process.stdout.write("taken\n");
} catch (error) {
  process.stdout.write(`${(error as Error).message}\n`);
}
for await (const _ of process.stdin);
