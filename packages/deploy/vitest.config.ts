import { defineConfig } from "vitest/config";

// Each test starts chains and processes of its own: on a busy machine that takes a while.
export default defineConfig({ test: { testTimeout: 60_000, hookTimeout: 60_000 } });
