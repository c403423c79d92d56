import { deployCommand } from "./deployCommand.ts";
import { runCommand } from "./runCommand.ts";

await runCommand(() => deployCommand(process.argv.slice(2), process.env, console.log));
