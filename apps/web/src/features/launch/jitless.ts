import { z } from "zod";

// Its probe of `new Function` would break the page's policy as soon as a schema is defined: import this first.
z.config({ jitless: true });
