import type { Deps } from "../deps.ts";
import { accountsRoutes } from "../features/accounts/routes.ts";
import { adminRoutes } from "../features/admin/routes.ts";
import { alertsRoutes } from "../features/alerts/routes.ts";
import { analyticsRoutes } from "../features/analytics/routes.ts";
import { businessesRoutes } from "../features/businesses/routes.ts";
import { cardRoutes } from "../features/cards/routes.ts";
import { clearSigningRoutes } from "../features/clearSigning/routes.ts";
import { dexScreenerRoutes } from "../features/feeds/dexScreenerRoutes.ts";
import { eventRoutes } from "../features/feeds/eventRoutes.ts";
import { geckoTerminalRoutes } from "../features/feeds/geckoTerminalRoutes.ts";
import { tokenListRoutes } from "../features/feeds/tokenListRoutes.ts";
import { udfRoutes } from "../features/feeds/udfRoutes.ts";
import { feesRoutes } from "../features/fees/routes.ts";
import { forecastRoutes } from "../features/forecast/routes.ts";
import { gasRoutes } from "../features/gas/routes.ts";
import { healthRoutes } from "../features/health/routes.ts";
import { imagesRoutes } from "../features/images/routes.ts";
import { optionRoutes } from "../features/intents/optionRoutes.ts";
import { intentsRoutes } from "../features/intents/routes.ts";
import { launchRoutes } from "../features/launch/routes.ts";
import { marketsRoutes } from "../features/markets/routes.ts";
import { deniedImageRoutes } from "../features/moderation/deniedImageRoutes.ts";
import { moderationRoutes } from "../features/moderation/routes.ts";
import { openingsRoutes } from "../features/openings/routes.ts";
import { paymentsRoutes } from "../features/payments/routes.ts";
import { qrRoutes } from "../features/qr/routes.ts";
import { recipientsRoutes } from "../features/recipients/routes.ts";
import { riskRoutes } from "../features/risk/routes.ts";
import { settingsRoutes } from "../features/settings/routes.ts";
import { signalsRoutes } from "../features/signals/routes.ts";
import { splitsRoutes } from "../features/splits/routes.ts";
import { streamRoutes } from "../features/stream/routes.ts";
import { contractUriRoutes } from "../features/tokens/contractUriRoutes.ts";
import { galleryRoutes } from "../features/tokens/galleryRoutes.ts";
import { tokensRoutes } from "../features/tokens/routes.ts";
import { tradeRoutes } from "../features/trade/routes.ts";
import { vestingsRoutes } from "../features/vestings/routes.ts";
import { walletsRoutes } from "../features/wallets/routes.ts";
import { webhooksRoutes } from "../features/webhooks/routes.ts";
import type { Route } from "../route.ts";

/** Every route of the API. */
export function createRoutes(deps: Deps): Route[] {
  return [
    ...settingsRoutes(deps),
    ...intentsRoutes(deps),
    ...optionRoutes(deps),
    ...imagesRoutes(deps),
    ...splitsRoutes(deps),
    ...launchRoutes(deps),
    ...openingsRoutes(deps),
    ...vestingsRoutes(deps),
    ...tradeRoutes(deps),
    ...feesRoutes(deps),
    ...gasRoutes(deps),
    ...tokensRoutes(deps),
    ...galleryRoutes(deps),
    ...cardRoutes(deps),
    ...contractUriRoutes(deps),
    ...tokenListRoutes(deps),
    ...eventRoutes(deps),
    ...dexScreenerRoutes(deps),
    ...geckoTerminalRoutes(deps),
    ...udfRoutes(deps),
    ...clearSigningRoutes(deps),
    ...walletsRoutes(deps),
    ...recipientsRoutes(deps),
    ...streamRoutes(deps),
    ...analyticsRoutes(deps),
    ...businessesRoutes(deps),
    ...qrRoutes(deps),
    ...forecastRoutes(deps),
    ...marketsRoutes(deps),
    ...alertsRoutes(deps),
    ...webhooksRoutes(deps),
    ...riskRoutes(deps),
    ...signalsRoutes(deps),
    ...accountsRoutes(deps),
    ...paymentsRoutes(deps),
    ...adminRoutes(deps),
    ...moderationRoutes(deps),
    ...deniedImageRoutes(deps),
    ...healthRoutes(deps),
  ];
}
