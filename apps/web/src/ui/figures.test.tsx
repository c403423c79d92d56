import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Amount } from "./amount.tsx";
import { Avatar } from "./avatar.tsx";
import { ErrorNote, getErrorCode } from "./errorNote.tsx";
import { Percent } from "./percent.tsx";
import { Price } from "./price.tsx";
import { Sparkline } from "./sparkline.tsx";
import { SplitBar } from "./splitBar.tsx";
import { Time } from "./time.tsx";
import { Tooltip } from "./tooltip.tsx";

const render = (node: ReactNode) => renderToStaticMarkup(node);

describe("a price", () => {
  it("shows a count of its zeros, and has all zeros in its title, copied text and screen reader text", () => {
    const html = render(<Price value={0.000004848} />);
    expect(html).toContain('title="$0.000004848"');
    expect(html).toContain('<span class="sr-only">$0.000004848</span>');
    expect(html).toMatch(/aria-hidden="true" class="select-none">\$0\.0<sub[^>]*>5<\/sub>4848</);
  });

  it("that is unknown shows a dash, never zero", () => {
    expect(render(<Price value={null} />)).toContain("—");
    expect(render(<Percent value={null} />)).toContain("—");
    expect(render(<Amount value={null} decimals={18} />)).toContain("—");
  });
});

describe("figures", () => {
  it("show the direction of a change by sign, arrow and colour", () => {
    expect(render(<Percent value={-3.21} />)).toMatch(/text-sell.*<svg.*−3\.2%/);
    expect(render(<Percent value={3.21} />)).toMatch(/text-buy.*<svg.*\+3\.2%/);
    expect(render(<Percent value={0} />)).not.toContain("<svg");
  });

  it("have all digits of an amount in their title", () => {
    expect(render(<Amount value="1999999999999999999" decimals={18} symbol="ETH" />)).toContain(
      'title="1.999999999999999999 ETH">1.99999 ETH',
    );
  });

  it("have the complete time in their title", () => {
    expect(render(<Time value={new Date().toISOString()} />)).toMatch(/<time dateTime="[^"]+Z" title="[^"]{10,}"/);
  });
});

describe("drawings", () => {
  it("of an address are stable, and a stored picture replaces them", () => {
    const address = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
    expect(render(<Avatar address={address} />)).toBe(render(<Avatar address={address} />));
    expect(render(<Avatar address={address} />)).not.toBe(render(<Avatar address={address.replace("90F7", "1234")} />));
    expect(render(<Avatar address={address} image="/media/1/64.webp" />)).toContain('src="/media/1/64.webp"');
  });

  it("of a history need two values", () => {
    expect(render(<Sparkline values={[1]} />)).not.toContain("polyline");
    expect(render(<Sparkline values={[1, 3, 2]} />)).toContain('points="0.0,31.0 110.0,1.0 220.0,16.0"');
  });

  it("of a split name each share", () => {
    const parts = [
      { key: "a", label: "Ann", bps: 7_500 },
      { key: "b", label: "Bo", bps: 2_500 },
    ];
    expect(render(<SplitBar label="Shares" parts={parts} />)).toContain('aria-label="Shares: Ann: 75%, Bo: 25%"');
  });
});

describe("an error", () => {
  const error = Object.assign(new Error("Wait a moment."), { code: "rate_limited", requestId: "r-1" });

  it("of the service has its code and request id; other errors say what to check", () => {
    const html = render(<ErrorNote error={error} onRetry={() => {}} />);
    for (const text of ["Wait a moment.", "rate_limited", "r-1", "Try again"]) expect(html).toContain(text);
    expect(getErrorCode(error)).toBe("rate_limited");
    expect(render(<ErrorNote error={new TypeError("Failed to fetch")} />)).toContain("Can&#x27;t reach the service");
    expect(getErrorCode(new TypeError())).toBeNull();
  });
});

it("a tooltip does not change its element", () => {
  expect(render(<Tooltip text="More of it">{<button type="button">It</button>}</Tooltip>)).toContain(">It</button>");
});
