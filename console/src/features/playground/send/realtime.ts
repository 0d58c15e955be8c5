// A realtime session in the browser. A web socket cannot send headers, so the token is one of the offered
// protocols, as the vendor's own library does it in browsers.

/** One event of the session, in either direction. */
export interface RealtimeEvent {
  id: number;
  direction: "sent" | "received";
  /** Milliseconds since the session was opened. */
  atMs: number;
  type: string;
  data: unknown;
}

export interface RealtimeHandlers {
  opened: () => void;
  event: (direction: RealtimeEvent["direction"], data: unknown) => void;
  /** `wasOpen` is false when the gateway refused the session. */
  closed: (code: number, reason: string, wasOpen: boolean) => void;
}

/** The close code of an ordinary end. */
const NORMAL = 1000;

export class RealtimeSession {
  readonly #socket: WebSocket;
  readonly #handlers: RealtimeHandlers;
  #hasHungUp = false;

  constructor(origin: string, model: string, token: string, handlers: RealtimeHandlers) {
    const address = `${origin.replace(/^http/, "ws")}/v1/realtime?model=${encodeURIComponent(model)}`;
    this.#handlers = handlers;
    this.#socket = new WebSocket(address, ["realtime", `openai-insecure-api-key.${token}`]);
    let wasOpen = false;
    this.#socket.onopen = () => {
      wasOpen = true;
      handlers.opened();
    };
    this.#socket.onmessage = ({ data }) => handlers.event("received", JSON.parse(String(data)));
    this.#socket.onclose = ({ code, reason }) =>
      // Who hangs up knows the code; a browser forgets it when the other side is quicker with the line.
      handlers.closed(this.#hasHungUp ? NORMAL : code, reason, wasOpen);
  }

  send(event: Readonly<Record<string, unknown>>): void {
    this.#socket.send(JSON.stringify(event));
    this.#handlers.event("sent", event);
  }

  close(): void {
    this.#hasHungUp = true;
    this.#socket.close(NORMAL);
  }
}
