import { temporaryFolder } from "@slipway/dev/stack/temporaryFolder";
import { afterAll, beforeAll, describe } from "vitest";
import { openEngine, startSeededDatabase } from "../support/engine/historyFixture.ts";
import { startChdb } from "../support/engine/startChdb.ts";
import { describeHistory, type HistorySetup } from "./historyBehaviour.ts";

/** The dialect of a current ClickHouse, on one server. */
describe("history in a current ClickHouse (chDB)", () => {
  const folder = temporaryFolder();
  let setup: HistorySetup;
  beforeAll(async () => {
    const engine = await startChdb(folder.path);
    const database = await startSeededDatabase();
    setup = { database, engine, clickHouse: openEngine(engine.url), cluster: null };
  }, 600_000);
  afterAll(async () => {
    await setup?.database.stop();
    await setup?.engine.stop();
    folder.remove();
  });

  describeHistory(() => setup);
});
