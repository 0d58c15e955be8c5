// A small OpenID Connect provider on loopback: a page with one button, a code for it, and a signed token
// that says who pressed it.

import { createSign, generateKeyPairSync, randomUUID } from "node:crypto";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface IdentityProvider {
  issuer: string;
  /** The entry of the gateway's configuration file that knows it, as `work`. */
  config: string;
  stop: () => Promise<void>;
}

export interface Person {
  sub: string;
  preferred_username: string;
  email: string;
}

const CLIENT = "modelgate";
const LIFETIME_S = 300;

export async function startIdentityProvider(person: Person): Promise<IdentityProvider> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
  const keys = [{ ...publicKey.export({ format: "jwk" }), kid: "k", use: "sig", alg: "RS256" }];
  const nonces = new Map<string, string>();
  let issuer = "";
  const idToken = (nonce: string) => {
    const exp = Math.floor(Date.now() / 1_000) + LIFETIME_S;
    const claims = { iss: issuer, aud: CLIENT, exp, nonce, email_verified: true, ...person };
    const parts = [{ alg: "RS256", kid: "k" }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString("base64url"),
    );
    const signed = createSign("RSA-SHA256").update(parts.join(".")).sign(privateKey, "base64url");
    return `${parts.join(".")}.${signed}`;
  };
  const answer = (url: URL, body: string, response: ServerResponse) => {
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return json(response, {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
        });
      case "/keys":
        return json(response, { keys });
      case "/token": {
        const code = new URLSearchParams(body).get("code") ?? "";
        return json(response, { id_token: idToken(nonces.get(code) ?? ""), access_token: "x" });
      }
      default: {
        const code = randomUUID();
        nonces.set(code, url.searchParams.get("nonce") ?? "");
        const back = new URL(url.searchParams.get("redirect_uri") ?? issuer);
        back.searchParams.set("code", code);
        back.searchParams.set("state", url.searchParams.get("state") ?? "");
        const page = `<!doctype html><title>Work</title><a href="${escapeHtml(back.href)}">Go on</a>`;
        return response.writeHead(200, { "content-type": "text/html" }).end(page);
      }
    }
  };
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += String(chunk);
    });
    request.on("end", () => answer(new URL(request.url ?? "/", issuer), body, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const config = `[[oidc]]
name = "work"
label = "Work"
issuer = "${issuer}"
client_id = "${CLIENT}"
client_secret = "known to both"
register = true
`;
  return { issuer, config, stop };
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}
