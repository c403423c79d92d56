import { fileURLToPath } from "node:url";

/** The folder of the root package.json. */
export const repositoryRoot = fileURLToPath(new URL("../..", import.meta.url));
