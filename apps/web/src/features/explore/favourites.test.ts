// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from "vitest";

const token = (n: number) => `0x${n.toString(16).padStart(40, "a")}`;
let module: typeof import("./favourites.ts");

beforeEach(async () => {
  localStorage.clear();
  vi.resetModules();
  module = await import("./favourites.ts");
});

test("favourites are kept in this browser, newest first, in any spelling of their address", async () => {
  module.toggleFavourite(token(1).toUpperCase().replace("0X", "0x"));
  module.toggleFavourite(token(2));
  expect(module.getFavourites()).toEqual([token(2), token(1)]);
  expect(module.getFavourites()).toBe(module.getFavourites());
  vi.resetModules();
  const reloaded = await import("./favourites.ts");
  expect(reloaded.getFavourites()).toEqual([token(2), token(1)]);
  reloaded.toggleFavourite(token(2));
  expect(reloaded.getFavourites()).toEqual([token(1)]);
});

test("an exported list is added, without what is no address and up to the number that the service lists", () => {
  module.toggleFavourite(token(7));
  const text = JSON.stringify([token(7), token(8), "0x12", `${token(9)}f`, null, "<b>"]);
  expect(module.addFavourites(text)).toBe(1);
  expect(module.getFavourites()).toEqual([token(8), token(7)]);
  module.addFavourites(Array.from({ length: 300 }, (_, n) => token(n + 100)).join(" "));
  expect(module.getFavourites()).toHaveLength(module.maxFavourites);
});

test("a change in another tab calls the listeners", () => {
  const listener = vi.fn();
  const stop = module.subscribeFavourites(listener);
  module.toggleFavourite(token(1));
  localStorage.setItem("slipway.favourites", JSON.stringify([token(5)]));
  dispatchEvent(new StorageEvent("storage", { key: "slipway.favourites" }));
  expect([listener.mock.calls.length, module.getFavourites()]).toEqual([2, [token(5)]]);
  stop();
  module.toggleFavourite(token(5));
  expect(listener).toHaveBeenCalledTimes(2);
});
