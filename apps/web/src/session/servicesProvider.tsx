import { useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { needsSession } from "../data/api.ts";
import { readOptions } from "../data/queries.ts";
import { loadPageTexts } from "../messages/messages.ts";
import { lazyPart } from "../ui/lazyPart.tsx";
import { type Services, ServicesContext } from "./services.tsx";

const ConnectDialog = lazyPart(
  () => import("./connectDialog.tsx"),
  (module) => module.ConnectDialog,
  loadPageTexts,
);

const OpenConnectContext = createContext<() => void>(() => {});

/** Returns a function that opens the wallet choice. */
export const useOpenConnect = () => useContext(OpenConnectContext);

/** Provides wallet and session to the page, and renders the wallet choice. */
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
        // Removes the account's data, so that the next account in this browser does not see them.
        client.removeQueries({ predicate: ({ queryKey: [name] }) => needsSession(name) });
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
          <div className="fixed inset-x-0 bottom-4 z-20 mx-auto max-w-md">
            <ConnectDialog open={isOpen} onClose={() => setOpen(false)} />
          </div>
        ) : null}
      </OpenConnectContext>
    </ServicesContext>
  );
}
