// @vitest-environment happy-dom
import { QueryClient } from "@tanstack/react-query";
import { expect, test, vi } from "vitest";
import { createLazyHub } from "./createLazyHub.ts";
import { createLiveHub } from "./createLiveHub.ts";

const target = { kind: "tokens", key: ["listTokens"] } as const;

function createHub() {
  const end = vi.fn();
  return {
    end,
    hub: {
      getStatus: vi.fn(() => ({ state: "live" })),
      subscribe: vi.fn(() => end),
      watch: vi.fn(() => end),
      onMessage: vi.fn(() => end),
    },
  };
}

test("a hub that loads later watches what is still shown, and ends it with its component", async () => {
  const { hub, end } = createHub();
  const lazy = createLazyHub(async () => hub as never);
  const [kept, gone] = [lazy.watch(target), lazy.watch({ ...target, key: ["gone"] })];
  gone();
  expect(lazy.getStatus()).toEqual({ state: "off" });
  await vi.waitFor(() => expect(hub.watch.mock.calls).toEqual([[target]]));
  expect(lazy.getStatus()).toEqual({ state: "live" });
  kept();
  expect(end).toHaveBeenCalledTimes(1);
  lazy.onMessage(() => {})();
  expect([hub.onMessage.mock.calls.length, end.mock.calls.length]).toEqual([1, 2]);
});

test("a hub that cannot be loaded is loaded when the network is back", async () => {
  const { hub } = createHub();
  const load = vi.fn(async () => hub as never).mockRejectedValueOnce(new TypeError("no network"));
  const lazy = createLazyHub(load);
  lazy.watch(target);
  await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(1));
  await new Promise((resolve) => setTimeout(resolve));
  expect(hub.watch).not.toHaveBeenCalled();
  dispatchEvent(new Event("online"));
  await vi.waitFor(() => expect(hub.watch).toHaveBeenCalledTimes(1));
});

test("the status stays the same object when the hub is loaded, so that React does not render the page again", async () => {
  const page = { isHidden: () => false, isOnline: () => true, requestFrame: () => {}, listen: () => () => undefined };
  const hub = createLiveHub({ client: new QueryClient(), baseUrl: "http://none", page });
  const load = vi.fn(async () => hub);
  const lazy = createLazyHub(load);
  const before = lazy.getStatus();
  await vi.waitFor(() => expect(load).toHaveBeenCalledTimes(1));
  await new Promise((resolve) => setTimeout(resolve));
  expect(lazy.getStatus()).toBe(before);
});
