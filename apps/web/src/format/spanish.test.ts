import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

const load = async () => ({
  ...(await import("./amount.ts")),
  ...(await import("./figures.ts")),
  ...(await import("./locale.ts")),
  ...(await import("./price.ts")),
  ...(await import("./share.ts")),
});

describe("a browser in Spanish", () => {
  let format: Awaited<ReturnType<typeof load>>;
  beforeAll(async () => {
    vi.stubGlobal("navigator", { language: "es-ES", languages: ["es-ES", "en"] });
    vi.resetModules();
    format = await load();
  });
  afterAll(() => {
    vi.unstubAllGlobals();
    vi.resetModules();
  });

  it("gets numbers with a decimal comma", () => {
    expect(format.language).toBe("es");
    expect(format.formatAmount(1_234_567_500_000_000_000_000n, 18)).toBe("1.234,56");
    expect(format.formatAmount(1n, 18)).toBe("<0,000001");
    expect(format.formatPrice(0.0000057612)).toBe("0,0₅5761");
    expect(format.formatPrice(12.5)).toBe("12,50");
    expect(format.formatPercent(3.42)).toBe("+3,4%");
    expect(format.formatShare(33)).toBe("0,33%");
    expect(format.formatUsd(9_210).replaceAll("\u00a0", " ")).toBe("$9,21 mil");
    expect(format.formatUsd(0.001).replaceAll("\u00a0", " ")).toBe("<$0,01");
    expect(format.formatFraction(0.1234)).toBe("12,34%");
  });

  it("types a comma or a point as a decimal sign, but not a point that can separate groups", () => {
    expect(format.parseAmount("1,234", 18)).toBe(1_234_000_000_000_000_000n);
    expect(format.parseAmount("0.5", 18)).toBe(500_000_000_000_000_000n);
    expect(format.parseAmount("1.234", 18)).toBeNull();
  });

  it.each([1_234n * 10n ** 15n, 1n, 10n ** 21n, 123_456_789n])("reads back the exact amount %s", (value) => {
    expect(format.parseAmount(format.toExactAmount(value, 18), 18)).toBe(value);
  });
});
