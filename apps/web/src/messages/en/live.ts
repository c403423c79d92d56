export const live = {
  paused: (time: string) => `Live data paused, as of ${time}`,
  pausedBody: "Figures may be out of date. Trading resumes when live data is back.",
};
