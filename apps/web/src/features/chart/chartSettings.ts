/** How a visitor of this browser wants charts of tokens. */
export type ChartSettings = {
  unit: "usd" | "eth";
  value: "price" | "cap";
  isLogarithmic: boolean;
  /** The shown indicators and marks. */
  shown: readonly ChartExtra[];
};

export const indicators = ["sma20", "sma50", "vwap"] as const;
export const markKinds = ["own", "creator", "liquidity"] as const;
export type ChartIndicator = (typeof indicators)[number];
export type ChartMarkKind = (typeof markKinds)[number];
export type ChartExtra = ChartIndicator | ChartMarkKind;

/** Returns the unit of the shown prices. Candles of a pool without a USD price are in ETH. */
export const getUnit = (settings: ChartSettings, quote: ChartSettings["unit"]): ChartSettings["unit"] =>
  quote === "eth" ? "eth" : settings.unit;

const storageKey = "slipway.chart";
const defaults: ChartSettings = { unit: "usd", value: "price", isLogarithmic: false, shown: ["own", "creator"] };

/** Loads the settings of this browser; a value that is no choice becomes the default. */
export function loadChartSettings(storage: Pick<Storage, "getItem">): ChartSettings {
  try {
    const { unit, value, isLogarithmic, shown } = JSON.parse(storage.getItem(storageKey) ?? "{}") as Partial<
      Record<keyof ChartSettings, unknown>
    >;
    const extras = [...indicators, ...markKinds];
    return {
      unit: unit === "eth" ? "eth" : defaults.unit,
      value: value === "cap" ? "cap" : defaults.value,
      isLogarithmic: isLogarithmic === true,
      shown: Array.isArray(shown) ? extras.filter((extra) => shown.includes(extra)) : defaults.shown,
    };
  } catch {
    return defaults;
  }
}

/** Keeps the settings; without storage, they end with the page. */
export function saveChartSettings(storage: Pick<Storage, "setItem">, settings: ChartSettings): void {
  try {
    storage.setItem(storageKey, JSON.stringify(settings));
  } catch {
    // Without storage, the next page starts with the defaults.
  }
}
