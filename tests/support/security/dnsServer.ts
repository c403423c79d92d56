import { createSocket } from "node:dgram";
import { once } from "node:events";
import { isIP } from "node:net";
import { createResolve } from "@slipway/server/providers/untrustedFetch/addressPolicy";

export type DnsServer = {
  /** Resolves the addresses of a name with this server, like the service does with the system's resolver. */
  resolve(hostname: string): Promise<string[]>;
  /** Returns the number of queries for a name's IPv4 addresses. */
  asked(hostname: string): number;
  close(): Promise<void>;
};

/** A name server (RFC 1035, RFC 3596) over UDP with configured answers and a TTL of 0. */
export async function startDnsServer(answer: (hostname: string, times: number) => string[]): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const asked = new Map<string, number>();
  socket.on("message", (query, from) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at]!; length > 0; length = query[at]!) {
      labels.push(query.toString("ascii", at + 1, at + 1 + length));
      at += 1 + length;
    }
    const question = query.subarray(12, at + 5);
    const name = labels.join(".").toLowerCase();
    const type = query.readUInt16BE(at + 1);
    if (type === typeA) asked.set(name, (asked.get(name) ?? 0) + 1);
    const records = answer(name, asked.get(name) ?? 1)
      .filter((address) => (isIP(address) === 4 ? typeA : typeAaaa) === type)
      .map((address) => {
        const data = getBytes(address);
        return Buffer.from([0xc0, 0x0c, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length, ...data]);
      });
    const head = Buffer.alloc(12);
    head.writeUInt16BE(query.readUInt16BE(0), 0);
    head.writeUInt16BE(0x8180, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    socket.send(Buffer.concat([head, question, ...records]), from.port, from.address);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  return {
    resolve: createResolve([`127.0.0.1:${socket.address().port}`]),
    asked: (hostname) => asked.get(hostname) ?? 0,
    close: async () => {
      socket.close();
      await once(socket, "close");
    },
  };
}

const typeA = 1;
const typeAaaa = 28;

/** Returns the bytes of an address. */
function getBytes(address: string): number[] {
  if (isIP(address) === 4) return address.split(".").map(Number);
  const [head, tail] = address.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const zeros = Array.from({ length: 8 - head!.length - (tail?.length ?? 0) }, () => "0");
  return [...head!, ...zeros, ...(tail ?? [])].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
}
