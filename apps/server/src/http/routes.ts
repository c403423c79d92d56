import type { Deps } from "../deps.ts";
import { accountsRoutes } from "../features/accounts/routes.ts";
import { adminRoutes } from "../features/admin/routes.ts";
import { analyticsRoutes } from "../features/analytics/routes.ts";
import { feesRoutes } from "../features/fees/routes.ts";
import { gasRoutes } from "../features/gas/routes.ts";
import { healthRoutes } from "../features/health/routes.ts";
import { intentsRoutes } from "../features/intents/routes.ts";
import { launchRoutes } from "../features/launch/routes.ts";
import { qrRoutes } from "../features/qr/routes.ts";
import { settingsRoutes } from "../features/settings/routes.ts";
import { splitsRoutes } from "../features/splits/routes.ts";
import { streamRoutes } from "../features/stream/routes.ts";
import { tokensRoutes } from "../features/tokens/routes.ts";
import { tradeRoutes } from "../features/trade/routes.ts";
import type { Route } from "../route.ts";

/** Every route of the API. */
export function createRoutes(deps: Deps): Route[] {
  return [
    ...settingsRoutes(deps),
    ...intentsRoutes(deps),
    ...splitsRoutes(deps),
    ...launchRoutes(deps),
    ...tradeRoutes(deps),
    ...feesRoutes(deps),
    ...gasRoutes(deps),
    ...tokensRoutes(deps),
    ...streamRoutes(deps),
    ...analyticsRoutes(deps),
    ...qrRoutes(deps),
    ...accountsRoutes(deps),
    ...adminRoutes(deps),
    ...healthRoutes(deps),
  ];
}
