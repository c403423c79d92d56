import { expect, test } from "vitest";
import { getFailedFile } from "./importFile.ts";

// A hash can contain "js", and a host can contain ".js".
const file = "https://slipway.js.example/assets/leanStreamEvents-DL5mjsQ_.js";

test.each([
  ["Chromium", `TypeError: Failed to fetch dynamically imported module: ${file}`],
  ["Chromium, after a retry", `TypeError: Failed to fetch dynamically imported module: ${file}?3`],
  ["Firefox", `TypeError: error loading dynamically imported module: ${file}`],
])("the failed file is found in the message of %s", (_, message) => {
  expect(getFailedFile(message)).toBe(file);
});

test("the message of Safari contains no file", () => {
  expect(getFailedFile(new TypeError("Importing a module script failed."))).toBeNull();
});
