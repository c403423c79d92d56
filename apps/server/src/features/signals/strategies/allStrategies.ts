import { bollingerReversion } from "./bollingerReversion.ts";
import { donchianBreakout } from "./donchianBreakout.ts";
import { emaCross } from "./emaCross.ts";
import { macdTrend } from "./macdTrend.ts";
import { momentum } from "./momentum.ts";
import { rsiReversion } from "./rsiReversion.ts";
import type { Strategy } from "./strategy.ts";

/** Every strategy. Their parameters are the customary ones and are fixed: none was chosen by what it would have earned. */
export const allStrategies: readonly Strategy[] = [
  rsiReversion,
  bollingerReversion,
  macdTrend,
  emaCross,
  donchianBreakout,
  momentum,
];
