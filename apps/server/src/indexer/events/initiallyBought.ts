import { hasWords, topicAddress, uintWord } from "@slipway/protocol/rawLog";
import type { EventModule } from "./eventModule.ts";

/** The creator's buy within the launch: noted on the launch. Its swap counts as any other. */
export const initiallyBought: EventModule = {
  topic: "0x3184d18d711e8157b4866f97ac8ce966ad69394a3b95c136568aba78c9b9cbe9",
  role: "factory",
  apply: (log, batch) => {
    if (log.topics.length !== 3 || !hasWords(log.data, 3)) return;
    const address = topicAddress(log.topics[1]!);
    // The same transaction launched it, so it is a launch of this batch.
    const launch = batch.launches.find((row) => row.address === address && row.tx_hash === batch.at.txHash);
    if (!launch) return;
    launch.initial_buy_recipient = topicAddress(log.topics[2]!);
    launch.initial_buy_in = uintWord(log.data, 0);
    launch.initial_buy_out = uintWord(log.data, 1);
  },
};
