import { readFileSync } from "node:fs";
import { findSitePage, sitePages } from "@slipway/protocol/sitePaths";
import { QueryClient } from "@tanstack/react-query";
import { describe, expect, it } from "vitest";
import { createSiteRouter } from "./routes.tsx";

const address = "0x00000000000000000000000000000000000000Aa";

describe("the site's paths", () => {
  it("equal the router's: the server answers other paths with 404", () => {
    const { routesByPath } = createSiteRouter(new QueryClient());
    expect(Object.keys(routesByPath).sort()).toEqual(Object.keys(sitePages).sort());
  });

  it("have the router's modules, which the server preloads", () => {
    const source = readFileSync(new URL("./routes.tsx", import.meta.url), "utf8");
    const routes = source.matchAll(/path: "([^"]+)",[\s\S]*?import\("\.\/pages\/(\w+)\.tsx"\)/g);
    expect(Object.fromEntries([...routes].map(([, path, page]) => [path, page]))).toEqual(sitePages);
    expect(findSitePage("/business/new")).toBe("businessNewPage");
    expect(findSitePage("/business/7")).toBe("businessPage");
  });

  it("include parameter segments, in the form that the page accepts", () => {
    const known = ["/", "/Gallery", "/launch/", "/account", "/account/keys", "/business/partner_a:1/edit"];
    for (const path of [...known, `/wallet/${address}`, `/t/${address}`, `/t/${address}/share`, "/markets/ETH_USDT"]) {
      expect([path, findSitePage(path) !== null]).toEqual([path, true]);
    }
    const unknown = ["/no", "/gallery/2", "/account/nothing", "/t", "/t/0x12", `/wallet/0x${"0".repeat(40)}`];
    for (const path of [...unknown, "/business/new/edit/2", "/business"]) {
      expect([path, findSitePage(path) !== null]).toEqual([path, false]);
    }
  });
});
