import { endpoints } from "@slipway/protocol/endpoints";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, lazy, type ReactNode, Suspense, useContext, useEffect, useMemo, useState } from "react";
import { readOptions } from "../data/queries.ts";
import { loadPageTexts } from "../messages/en.ts";
import { type Services, ServicesContext } from "./services.tsx";

const ConnectDialog = lazy(async () => {
  const [{ ConnectDialog: dialog }] = await Promise.all([import("./connectDialog.tsx"), loadPageTexts()]);
  return { default: dialog };
});

const OpenConnectContext = createContext<() => void>(() => {});

/** Opens the choice of wallets. */
export const useOpenConnect = () => useContext(OpenConnectContext);

/** Gives the page its wallet and session, and shows the choice of wallets over it. */
export function ServicesProvider({ services, children }: { services: Services; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const [wasOpened, setWasOpened] = useState(false);
  const { data: settings } = useQuery(readOptions("getConfig", undefined));
  useEffect(() => {
    if (settings !== undefined) services.setSettings(settings);
  }, [services, settings]);
  useEffect(() => {
    void services.session.restore();
  }, [services]);
  const client = useQueryClient();
  useEffect(
    () =>
      services.session.subscribe(() => {
        if (services.session.getState().status !== "signed_out") return;
        // What an account has read is not shown to the next one that signs in here.
        client.removeQueries({
          predicate: ({ queryKey: [name] }) => endpoints[name as keyof typeof endpoints]?.auth === "bearer",
        });
      }),
    [services, client],
  );
  const openConnect = useMemo(
    () => () => {
      setWasOpened(true);
      setOpen(true);
    },
    [],
  );
  return (
    <ServicesContext value={services}>
      <OpenConnectContext value={openConnect}>
        {children}
        {wasOpened ? (
          <Suspense fallback={null}>
            <ConnectDialog open={isOpen} onClose={() => setOpen(false)} />
          </Suspense>
        ) : null}
      </OpenConnectContext>
    </ServicesContext>
  );
}
