// A mail server on loopback that keeps what it is given: just enough SMTP for one message after another.

import type { AddressInfo } from "node:net";
import { createServer, type Socket } from "node:net";

export interface MailSink {
  /** Settings of a gateway that sends its mail here. */
  settings: Record<string, string>;
  /** Messages so far, head and body, in the order of arrival. */
  messages: string[];
  stop: () => Promise<void>;
}

export async function startMailSink(): Promise<MailSink> {
  const messages: string[] = [];
  const server = createServer((socket) => converse(socket, messages));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    settings: {
      MAIL__HOST: "127.0.0.1",
      MAIL__PORT: String(port),
      MAIL__SECURITY: "none",
      MAIL__ALLOW_PRIVATE: "127.0.0.1",
    },
    messages,
    stop: async () => {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function converse(socket: Socket, messages: string[]): void {
  let text = "";
  let message: string[] | undefined;
  const say = (line: string) => socket.write(`${line}\r\n`);
  const hear = (line: string) => {
    if (message === undefined) {
      const verb = line.slice(0, 4).toUpperCase();
      message = verb === "DATA" ? [] : undefined;
      say({ DATA: "354 go on", QUIT: "221 bye" }[verb] ?? "250 ok");
      return verb === "QUIT" ? socket.end() : undefined;
    }
    if (line === ".") {
      messages.push(message.join("\n"));
      message = undefined;
      return say("250 ok");
    }
    return message.push(line);
  };
  say("220 mail sink");
  socket.on("data", (chunk) => {
    const lines = (text + String(chunk)).split("\r\n");
    text = lines.pop() ?? "";
    for (const line of lines) {
      hear(line);
    }
  });
  // A client that leaves without a word has been answered all the same.
  socket.on("error", () => socket.destroy());
}
