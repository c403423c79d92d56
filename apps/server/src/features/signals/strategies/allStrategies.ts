import { bollingerReversion } from "./bollingerReversion.ts";
import { donchianBreakout } from "./donchianBreakout.ts";
import { emaCross } from "./emaCross.ts";
import { macdTrend } from "./macdTrend.ts";
import { momentum } from "./momentum.ts";
import { rsiReversion } from "./rsiReversion.ts";
import type { Strategy } from "./strategy.ts";

/** All strategies. Their parameters are the customary fixed values; none was chosen by its past returns. */
export const allStrategies: readonly Strategy[] = [
  rsiReversion,
  bollingerReversion,
  macdTrend,
  emaCross,
  donchianBreakout,
  momentum,
];
