import { z } from "zod";

// Zod's probe of `new Function` would violate the page's CSP at the first schema definition. Import this file first.
z.config({ jitless: true });
