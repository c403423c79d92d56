import type { live as en } from "../en/live.ts";

export const live: typeof en = {
  paused: (time: string) => `Datos en vivo en pausa, actualizados a las ${time}`,
  pausedBody: "Las cifras pueden no estar al día. Podrá operar de nuevo cuando vuelvan los datos en vivo.",
};
