import { hasWords, topicAddress, uintWord } from "@slipway/protocol/rawLog";
import type { EventModule } from "./eventModule.ts";

/** The creator's buy within the launch: noted on the launch. Its swap counts as any other. */
export const initialBuy: EventModule = {
  topic: "0xd491b7c213256287b6bb5bcdbc37f797907ec6def675e7e0bb73d30283af539d",
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
