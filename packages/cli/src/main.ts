#!/usr/bin/env node
import { runCli } from "./runCli.ts";

// A reader such as `head` closes the pipe early: that is no error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

process.exitCode = await runCli(process.argv.slice(2), process);
