import { beforeEach, describe, expect, it } from "vitest";
import { createStreamLimit, type StreamLimit } from "./createStreamLimit.ts";

const maxOpen = 12;

let limit: StreamLimit;
/** The names of the streams that were replaced. */
let replaced: string[];

beforeEach(() => {
  [limit, replaced] = [createStreamLimit(maxOpen), []];
});

const open = (address: string, name = address) => limit.acquire(address, () => replaced.push(name));

/** Opens streams up to the maximum: `n` is the number of each one. */
function fill(getAddress: (n: number) => string) {
  return Array.from({ length: maxOpen }, (_, n) => open(getAddress(n), `${getAddress(n)} #${n}`));
}

const refused = expect.objectContaining({ code: "rate_limited" });

describe("C4-75 at the maximum of a process, a new stream", () => {
  it("replaces the newest one of the address with the most streams in the network with the most", () => {
    fill((n) => (n < 4 ? "192.0.2.1" : n < 7 ? "203.0.113.1" : "203.0.113.2"));
    open("198.51.100.1");
    expect(replaced).toEqual(["203.0.113.2 #11"]);
  });

  it("is refused if no network has twice as many streams as its own would have", () => {
    fill((n) => `203.0.${n}.1`);
    expect(() => open("198.51.100.1")).toThrow(refused);
    expect(replaced).toEqual([]);
  });

  it("never replaces one in turn: of two networks each gets its part", () => {
    fill(() => "203.0.113.1");
    for (let n = 0; n < 20; n++) {
      try {
        open("198.51.100.1", "new");
      } catch {}
    }
    expect(replaced).toHaveLength(4);
    expect(replaced).not.toContain("new");
    expect(() => open("203.0.113.1")).toThrow(refused);
  });

  it("competes within its own network if that has the most streams", () => {
    fill((n) => (n < 9 ? "203.0.113.1" : "192.0.2.1"));
    open("203.0.113.2");
    expect(replaced).toEqual(["203.0.113.1 #8"]);
    expect(() => open("203.0.113.1")).toThrow(refused);
  });

  it("replaces one of an IPv6 site that has each stream in another /64", () => {
    fill((n) => `2001:db8:1:${n + 1}::/64`);
    open("2001:db8:2:1::/64");
    expect(replaced).toEqual(["2001:db8:1:1::/64 #0"]);
  });

  it("finds the place of an ended stream, however often its end is reported", () => {
    const [first] = fill((n) => `203.0.${n}.1`);
    first!();
    first!();
    open("198.51.100.1");
    expect(() => open("198.51.100.2")).toThrow(refused);
    expect(replaced).toEqual([]);
  });

  it("keeps the count after the end of a replaced stream was reported", () => {
    const releases = fill(() => "203.0.113.1");
    open("198.51.100.1");
    releases.at(-1)!();
    open("198.51.100.2");
    expect(replaced).toEqual(["203.0.113.1 #11", "203.0.113.1 #10"]);
  });
});
