import { expect, test } from "vitest";
import { nameBrowser } from "./nameBrowser.ts";

test("a user agent gets its own browser and system names, not others in its text", () => {
  const edge =
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0";
  const phone = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1 Version/18.0 Safari/604.1";
  expect(nameBrowser(edge)).toEqual({ browser: "Edge", system: "Windows" });
  expect(nameBrowser(phone)).toEqual({ browser: "Safari", system: "iOS" });
  expect(nameBrowser("Mozilla/5.0 (X11; rv:140.0) Firefox/140.0")).toEqual({ browser: "Firefox", system: null });
});

test("an unknown user agent has no name", () => {
  expect(nameBrowser(null)).toBeNull();
  expect(nameBrowser("curl/8.14")).toBeNull();
});
