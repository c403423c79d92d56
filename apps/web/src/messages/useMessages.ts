import { createContext, useContext } from "react";
import { type Messages, messages } from "./messages.ts";

/** The texts of the chosen language. */
export const MessagesContext = createContext<Messages>(messages);

export const useMessages = (): Messages => useContext(MessagesContext);
