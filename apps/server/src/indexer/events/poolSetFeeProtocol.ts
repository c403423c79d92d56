import { decodeSetFeeProtocol, setFeeProtocolTopic } from "@slipway/protocol/swapLog";
import { touch } from "../reduce/batch.ts";
import type { EventModule } from "./eventModule.ts";

/** Uniswap's own protocol fee of a launch's pool was switched: liquidity earns less from here on. */
export const poolSetFeeProtocol: EventModule = {
  topic: setFeeProtocolTopic,
  role: "pool",
  apply: (log, batch, emitter) => {
    const feeProtocol = decodeSetFeeProtocol(log);
    if (feeProtocol === null) return;
    touch(batch, emitter.pool!);
    emitter.pool!.poolProtocolFee = feeProtocol;
  },
};
