import { fileURLToPath } from "node:url";

/**
 * The folder in which Node keeps compiled modules: a program of ours then starts with half of the CPU time. The tests
 * start several hundred of them.
 */
export const compileCacheFolder = fileURLToPath(new URL("../../.cache/node-compile", import.meta.url));

/** The variables that a program of ours needs to start; a test adds the program's settings. */
export const programEnvironment = { PATH: process.env.PATH ?? "", NODE_COMPILE_CACHE: compileCacheFolder };
