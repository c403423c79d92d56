import pc from "picocolors";
import { alertStep } from "./demo/alertSteps.ts";
import { assetStep } from "./demo/assetSteps.ts";
import { businessStep, galleryStep, pictureStep } from "./demo/catalogueSteps.ts";
import { claimStep, payoutStep } from "./demo/claimSteps.ts";
import { createDemoContext, createReporter, type DemoContext, DemoFailure, type Reporter } from "./demo/demoContext.ts";
import { waitUntilListed } from "./demo/demoTokens.ts";
import { feesStep } from "./demo/feesSteps.ts";
import { gasStep } from "./demo/gasSteps.ts";
import { indexStep } from "./demo/indexSteps.ts";
import { initialBuyStep } from "./demo/initialBuySteps.ts";
import { keeperStep } from "./demo/keeperSteps.ts";
import { draftStep, launchStep, splitterStep } from "./demo/launchSteps.ts";
import { marketSteps } from "./demo/marketSteps.ts";
import { openingStep } from "./demo/openingSteps.ts";
import { tierStep } from "./demo/tierSteps.ts";
import { nativeBuyStep, permitSellStep } from "./demo/tradeCallsSteps.ts";
import { buyStep, sellStep } from "./demo/tradeSteps.ts";
import { vestingStep } from "./demo/vestingSteps.ts";
import { printError } from "./stack/progress.ts";
import { type DevFile, readDevFile } from "./stack/stackFolder.ts";

/**
 * `npm run demo`: a complete launch on the running stack, from a private draft to fees in the wallets of two people.
 * Signs and sends every transaction with ethers, which the service does not use, and compares every answer with the
 * chain.
 *
 * @throws DemoFailure at the first failed check
 */
export async function runDemo(dev: DevFile, reporter: Reporter): Promise<void> {
  const context = createDemoContext(dev, reporter);
  try {
    await walletsStep(context);
    const imageUri = await pictureStep(context);
    const draft = await draftStep(context, imageUri);
    const splitter = await splitterStep(context, draft);
    const launch = await launchStep(context, draft, splitter);
    await waitUntilListed(context.client, launch.token);
    await buyStep(context, launch);
    await sellStep(context, launch);
    await nativeBuyStep(context, launch);
    await permitSellStep(context, launch);
    await assetStep(context, launch);
    await indexStep(context, launch);
    await feesStep(context, launch);
    await claimStep(context, launch);
    await payoutStep(context, launch);
    await gasStep(context, launch);
    await initialBuyStep(context);
    await vestingStep(context);
    await openingStep(context);
    await tierStep(context);
    await keeperStep(context);
    await galleryStep(context, launch);
    await businessStep(context, imageUri);
    await marketSteps(context);
    await alertStep(context);
  } finally {
    context.dispose();
  }
}

async function walletsStep(context: DemoContext): Promise<void> {
  const { reporter, baseUrl, chainId, creator, collaborator, trader } = context;
  reporter.step("The wallets", "Three wallets of the local chain. Their keys stay here; the service sees addresses.");
  reporter.value("service", baseUrl);
  for (const [name, wallet] of Object.entries({ creator, collaborator, trader })) reporter.value(name, wallet.address);
  const network = await context.provider.send("eth_chainId", []);
  reporter.expectEqual("the chain is the service's chain", Number(network), chainId);
}

if (import.meta.main) {
  const startedAt = performance.now();
  const reporter = createReporter((text) => process.stdout.write(text));
  try {
    await runDemo(readDevFile(), reporter);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    process.stdout.write(`\n${pc.green("Every step done")}: ${reporter.checkCount()} checks in ${seconds} s.\n`);
  } catch (error) {
    if (error instanceof DemoFailure) {
      const failure = `\n${pc.red("✗")} ${error.message}\n\nThe demo failed after ${reporter.checkCount()} checks.\n`;
      process.stderr.write(failure);
      process.exitCode = 1;
    } else process.exitCode = printError(error);
  }
}
