import type { Deps } from "./deps.ts";
import { sendMail } from "./features/alerts/mail/sendMail.ts";
import { raiseAlerts } from "./features/alerts/raiseAlerts.ts";
import { checkWebsiteProofs } from "./features/businesses/checkWebsiteProofs.ts";
import { readListingFeeds } from "./features/businesses/readListingFeeds.ts";
import { makeTokenList } from "./features/feeds/makeTokenList.ts";
import { payFees } from "./features/fees/keeper/payFees.ts";
import { refundLostForecasts } from "./features/forecast/refundLostForecasts.ts";
import { processTopUps } from "./features/gas/processTopUps.ts";
import { copyHistory } from "./features/history/copyHistory.ts";
import { orderHistory } from "./features/history/orderHistory.ts";
import { compareTokenImages } from "./features/images/compareTokenImages.ts";
import { hashStoredImages } from "./features/images/hashStoredImages.ts";
import { processTokenImages } from "./features/images/processTokenImages.ts";
import { retryImagePins } from "./features/images/retryImagePins.ts";
import { startMarketJobs } from "./features/markets/startMarketJobs.ts";
import { bookPayments } from "./features/payments/bookPayments.ts";
import { createReadRiskMetrics } from "./features/risk/readRiskMetrics.ts";
import { writeRisk } from "./features/risk/writeRisk.ts";
import { createReadSignalMetrics } from "./features/signals/readSignalMetrics.ts";
import { writeSignals } from "./features/signals/writeSignals.ts";
import { compareTokenNames } from "./features/tokens/compareTokenNames.ts";
import { fetchTokenManifests } from "./features/tokens/fetchTokenManifests.ts";
import { verifySources } from "./features/verification/verifySources.ts";
import { deliverWebhooks } from "./features/webhooks/deliverWebhooks.ts";
import { mailEvents } from "./features/webhooks/mailEvents.ts";
import type { Job } from "./job.ts";
import { createMailTransport } from "./providers/mail/createMailTransport.ts";
import { createUntrustedFetch } from "./providers/untrustedFetch/untrustedFetch.ts";
import { createResolveTxt } from "./providers/websiteProof/checkWebsite.ts";

/**
 * Starts every job of the worker.
 *
 * @throws ConfigError for an exchange that cannot be a source of bars.
 */
export async function startJobs(deps: Deps): Promise<Job> {
  const untrustedFetch = createUntrustedFetch({ clock: deps.clock });
  const readRiskMetrics = createReadRiskMetrics(deps);
  const jobs: Job[] = [
    await startMarketJobs(deps),
    processTopUps(deps),
    bookPayments(deps),
    payFees(deps),
    copyHistory(deps),
    fetchTokenManifests(deps, untrustedFetch),
    processTokenImages(deps, untrustedFetch),
    readListingFeeds(deps, untrustedFetch),
    checkWebsiteProofs(deps, { untrustedFetch, resolveTxt: createResolveTxt() }),
    compareTokenNames(deps),
    compareTokenImages(deps),
    retryImagePins(deps),
    hashStoredImages(deps),
    refundLostForecasts(deps),
    makeTokenList(deps),
    raiseAlerts(deps, [createReadSignalMetrics(deps), readRiskMetrics]),
    sendMail(deps, createMailTransport(deps.config)),
    deliverWebhooks(deps, untrustedFetch, readRiskMetrics),
    mailEvents(deps),
    writeRisk(deps),
    writeSignals(deps),
    orderHistory(deps),
    verifySources(deps),
  ];
  return {
    stop: async () => {
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}
