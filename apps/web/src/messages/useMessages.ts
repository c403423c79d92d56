import { createContext, useContext } from "react";
import { en, type Messages } from "./en.ts";

/** The texts of the chosen language. English is in the first load; another language would load before the render. */
export const MessagesContext = createContext<Messages>(en);

export const useMessages = (): Messages => useContext(MessagesContext);
