import { useEffect, useState } from "react";
import { type NetworkState, readNetwork, switchNetwork } from "../wallet/network.ts";
import { WalletError } from "../wallet/provider.ts";
import { useConnection, useSender } from "./services.tsx";

export type Network = {
  /** `none` without a connected account; `unknown` until the wallet has answered. */
  state: NetworkState | "none" | "unknown";
  isSwitching: boolean;
  /** Why the last switch did not succeed. */
  fault: "declined" | "busy" | "failed" | null;
  switchTo(): Promise<void>;
};

/** On which chain the connected wallet is, read from it at each change. */
export function useNetwork(): Network {
  const sender = useSender();
  const { chainId } = useConnection();
  const [state, setState] = useState<Network["state"]>("none");
  const [isSwitching, setSwitching] = useState(false);
  const [fault, setFault] = useState<Network["fault"]>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of the wallet's chain is why it is read again
  useEffect(() => {
    let isCurrent = true;
    if (sender === null) {
      setState("none");
      return;
    }
    readNetwork(sender.provider, sender.chain).then(
      (read) => isCurrent && setState(read),
      () => isCurrent && setState("unknown"),
    );
    return () => {
      isCurrent = false;
    };
  }, [sender, chainId]);

  const switchTo = async () => {
    if (sender === null) return;
    setSwitching(true);
    setFault(null);
    try {
      const read = await switchNetwork(sender.provider, sender.chain);
      setState(read);
      if (read === "wrong_chain") setFault("failed");
    } catch (error) {
      const known = error instanceof WalletError ? error.fault : "failed";
      setFault(known === "declined" || known === "busy" ? known : "failed");
    } finally {
      setSwitching(false);
    }
  };
  return { state, isSwitching, fault, switchTo };
}
