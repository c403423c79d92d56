import { lazyPart } from "../../ui/lazyPart.tsx";

const TopUpBox = lazyPart(
  () => import("./topUpBox.tsx"),
  (module) => module.TopUpBox,
);

/** Renders a top-up for a wallet without native. Pages pass it to the features that send transactions. */
export const renderGasHelp = (gasLimit: bigint, onDone: () => void) => <TopUpBox gasLimit={gasLimit} onDone={onDone} />;
