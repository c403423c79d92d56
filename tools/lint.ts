import { gates } from "./testing/gates.ts";
import { runAll } from "./testing/runAll.ts";

process.exitCode = await runAll(gates.filter(({ name }) => name !== "typecheck"));
