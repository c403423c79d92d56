import pg from "pg";
import { ConfigError } from "../config.ts";

type DatabaseError = Error & { code?: string; path?: string };

/** Explanations of rejected connections that no retry fixes, by SQLSTATE. */
const refusals: Record<string, (client: pg.Client, message: string) => string> = {
  "28P01": ({ user }) => `refuses the password of the role "${user}"; correct it in the URL`,
  // A missing role, a role that may not log in, or no entry in pg_hba.conf: the server's message contains the reason.
  "28000": (_, message) => `refuses the connection: ${message}; correct role and host of the URL, or let them in`,
  "3D000": ({ database }) => `has no database "${database}"; create it, or correct the URL`,
  "42501": (_, message) => `refuses the connection: ${message}; grant it, or name another role`,
};

function findRefusal({ code = "", message }: DatabaseError, client: pg.Client): string | null {
  const refuse = refusals[code];
  if (refuse !== undefined) return refuse(client, message);
  if (/^SASL:.*client password/.test(message)) return `requires a password of the role "${client.user}"; add it`;
  // A network failure can be temporary, even if its message names TLS.
  const isNetwork = /^E(CONN|PIPE|TIMEDOUT|HOST|NET|AI_|NOTFOUND)/.test(code);
  const isTls = !isNetwork && /SSL|TLS|certificate|altname/i.test(`${code} ${message}`);
  return isTls ? `cannot be reached as the URL's sslmode requires: ${message}; correct sslmode or certificate` : null;
}

/**
 * Acquires a connection of a pool.
 *
 * @param setting - The setting that contains the database's URL.
 * @param connectionString - The value of the setting.
 * @throws ConfigError when only the operator can fix the problem; another error when the database may only be down. The
 *   message contains the setting's name and not its password.
 */
export async function connectOrExplain(
  setting: string,
  connectionString: string,
  pool: pg.Pool,
): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    throw explainConnectionError(setting, connectionString, error);
  }
}

function explainConnectionError(setting: string, connectionString: string, error: unknown): Error {
  const failure = error as DatabaseError;
  let client: pg.Client;
  try {
    client = new pg.Client({ connectionString });
  } catch (cause) {
    const { code, path } = cause as DatabaseError;
    const what = path === undefined ? "the URL cannot be parsed" : `the file ${path} of the URL cannot be read`;
    return new ConfigError([`${setting}: ${what} (${code ?? (cause as Error).name}); correct it`], { cause });
  }
  const subject = `${setting}: the database at ${client.host}:${client.port}`;
  const refusal = findRefusal(failure, client);
  if (refusal !== null) return new ConfigError([`${subject} ${refusal}`], { cause: error });
  // If several addresses of a host fail, the error has a code and no message.
  const reason = failure.message || failure.code;
  return new Error(`${subject} does not answer (${reason}); start it, or correct host and port of the URL`, {
    cause: error,
  });
}

/** Whether an error or its cause is a missing privilege (SQLSTATE 42501). */
export function isPrivilegeError(error: unknown): boolean {
  const { code, cause } = error as DatabaseError;
  return [code, (cause as DatabaseError | undefined)?.code].includes("42501");
}
