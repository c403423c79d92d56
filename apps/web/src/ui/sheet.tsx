import type { ComponentProps } from "react";
import { Dialog } from "./dialog.tsx";

/** A dialog at the lower edge of a phone, within reach of the thumb; on a wide page it is centred. */
export const Sheet = (props: Omit<ComponentProps<typeof Dialog>, "sheet">) => <Dialog {...props} sheet />;
