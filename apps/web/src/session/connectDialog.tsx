import { useEffect } from "react";
import { useMessages } from "../messages/useMessages.ts";
import { Button, buttonClasses } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Notice } from "../ui/notice.tsx";
import { useMediaQuery } from "../ui/useMediaQuery.ts";
import { walletApps } from "../wallet/walletApps.ts";
import { useConnection } from "./services.tsx";

/** The wallets of this browser, and the result of the last attempt to connect one. */
export function ConnectDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const { wallet: text } = useMessages();
  const { status, wallet, wallets, isSilent, fault, connection } = useConnection();
  const isPhone = useMediaQuery("(pointer: coarse)");
  const isOpen = open && status !== "connected";
  // Closes the dialog after the connection, so that a later disconnection does not open it again.
  useEffect(() => {
    if (open && status === "connected") onClose();
  }, [open, status, onClose]);
  const close = () => {
    connection.cancel();
    onClose();
  };
  const faults = {
    declined: text.declined,
    busy: text.busy,
    no_account: text.noAccount,
    failed: text.connectFailed,
  };
  return (
    <Dialog open={isOpen} onClose={close} title={text.connectTitle} description={text.connectHint} sheet>
      <div className="flex flex-col gap-3">
        {status === "connecting" && wallet !== null ? (
          <Notice
            live
            tone={isSilent ? "warning" : "info"}
            title={isSilent ? text.silent : text.connecting(wallet.name)}
            actions={
              <>
                {isSilent ? (
                  <Button size="sm" variant="primary" onClick={() => void connection.connect(wallet.id)}>
                    {text.askAgain}
                  </Button>
                ) : null}
                <Button size="sm" onClick={() => connection.cancel()}>
                  {text.cancel}
                </Button>
              </>
            }
          >
            {text.connectingHelp}
          </Notice>
        ) : null}
        {fault === null ? null : (
          <Notice live tone={fault === "declined" ? "info" : "warning"}>
            {faults[fault]}
          </Notice>
        )}
        {wallets.length === 0 ? (
          <>
            <Notice title={text.noWallet}>{text.noWalletHelp}</Notice>
            {isPhone ? <AppLinks /> : null}
          </>
        ) : (
          <ul className="flex flex-col gap-2">
            {wallets.map(({ id, name, icon }) => (
              <li key={id}>
                <Button
                  className="w-full justify-start text-start"
                  size="lg"
                  busy={status === "connecting" && wallet?.id === id && !isSilent}
                  onClick={() => void connection.connect(id)}
                >
                  {icon === null ? null : <img src={icon} alt="" width={24} height={24} className="rounded-sm" />}
                  {name}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  );
}

/** Links that open the current page in the browsers of wallet apps. A phone's own browser has no wallet extensions. */
function AppLinks() {
  const { wallet: text } = useMessages();
  const page = new URL(window.location.href);
  return (
    <ul className="flex flex-col gap-2">
      {walletApps.map(({ name, toLink }) => (
        <li key={name}>
          <a href={toLink(page)} rel="noopener noreferrer" className={`${buttonClasses("secondary", "lg")} w-full`}>
            {text.openInApp(name)}
          </a>
        </li>
      ))}
    </ul>
  );
}
