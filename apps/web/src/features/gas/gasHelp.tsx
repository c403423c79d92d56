import { lazyPart } from "../../ui/lazyPart.tsx";

const TopUpBox = lazyPart(
  () => import("./topUpBox.tsx"),
  (module) => module.TopUpBox,
);

/** The way to a network fee for a wallet that has none: pages give it to the features that send transactions. */
export const renderGasHelp = (gasLimit: bigint, onDone: () => void) => <TopUpBox gasLimit={gasLimit} onDone={onDone} />;
