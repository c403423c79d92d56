import pc from "picocolors";
import { feesChapter } from "./demo/feesChapter.ts";
import { gasChapter } from "./demo/gasChapter.ts";
import { indexChapter } from "./demo/indexChapter.ts";
import { draftChapter, launchChapter, splitterChapter } from "./demo/launchChapters.ts";
import { type Scene, setScene } from "./demo/scene.ts";
import { DemoFailure, printedStory, type Story } from "./demo/story.ts";
import { buyChapter, sellChapter } from "./demo/tradeChapters.ts";
import { type DevFile, readDevFile } from "./stack/devFile.ts";
import { showError } from "./stack/showError.ts";
import { untilListed } from "./demo/ensureDemoTokens.ts";

/**
 * `npm run demo`: the main job on the running stack, from a private draft to fees in two people's wallets. Everything
 * is signed and sent with ethers, which the service does not use, and every answer is compared with the chain.
 *
 * @throws DemoFailure at the first thing that is not as promised
 */
export async function playDemo(dev: DevFile, story: Story): Promise<void> {
  const scene = setScene(dev, story);
  try {
    await introduce(scene);
    const draft = await draftChapter(scene);
    const splitter = await splitterChapter(scene, draft);
    const launch = await launchChapter(scene, draft, splitter);
    await untilListed(scene.api, launch.token as `0x${string}`);
    await buyChapter(scene, launch);
    await sellChapter(scene, launch);
    await indexChapter(scene, launch);
    await feesChapter(scene, launch);
    await gasChapter(scene, launch);
  } finally {
    scene.close();
  }
}

async function introduce(scene: Scene): Promise<void> {
  const { story, baseUrl, chainId, creator, collaborator, trader } = scene;
  story.chapter("The people", "Three wallets of the local chain. Their keys stay here; the service sees addresses.");
  story.fact("service", baseUrl);
  for (const [name, wallet] of Object.entries({ creator, collaborator, trader })) story.fact(name, wallet.address);
  const network = await scene.provider.send("eth_chainId", []);
  story.same("the chain is the one the service works on", Number(network), chainId);
}

if (import.meta.main) {
  const startedAt = performance.now();
  const story = printedStory((text) => process.stdout.write(text));
  try {
    await playDemo(readDevFile(), story);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    process.stdout.write(`\n${pc.green("Every step done")}: ${story.checks()} checks in ${seconds} s.\n`);
  } catch (error) {
    if (error instanceof DemoFailure) {
      process.stderr.write(`\n${pc.red("✗")} ${error.message}\n\nThe demo failed after ${story.checks()} checks.\n`);
      process.exitCode = 1;
    } else process.exitCode = showError(error);
  }
}
