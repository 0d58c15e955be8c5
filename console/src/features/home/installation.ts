// What this installation offers a visitor: whether it is set up, whether accounts can be made, what
// is announced. Asked once; a page without an answer stays as the server wrote it.

interface Notice {
  title: string;
  body: string;
  level: string;
}

interface Status {
  is_set_up: boolean;
  registration: boolean;
  catalogue: boolean;
  status_page: boolean;
}

const TIMEOUT_MS = 5_000;

async function ask<T>(path: string): Promise<T | undefined> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(path, { cache: "no-store", signal });
    return answer.ok ? ((await answer.json()) as { data: T }).data : undefined;
  } catch {
    return undefined;
  }
}

function show(selector: string, isShown: boolean): void {
  const element = document.querySelector<HTMLElement>(selector);
  if (element !== null) {
    element.hidden = !isShown;
  }
}

function drawNotice({ title, body, level }: Notice): HTMLElement {
  const box = document.createElement("section");
  box.className = "notice";
  box.dataset.level = level;
  box.setAttribute("aria-label", title);
  const head = document.createElement("strong");
  head.textContent = title;
  const text = document.createElement("p");
  text.textContent = body;
  box.append(head, text);
  return box;
}

/** Shows what the server says of itself. */
export async function showInstallation(): Promise<void> {
  const [status, notices] = await Promise.all([
    ask<Status>("/api/status"),
    ask<Notice[]>("/api/notice/"),
  ]);
  if (status !== undefined) {
    show("#setup", !status.is_set_up);
    show("#register-link", status.is_set_up && status.registration);
    show("#models-link", status.catalogue);
    show("#status-link", status.status_page);
  }
  document.querySelector("#notices")?.replaceChildren(...(notices ?? []).map(drawNotice));
}
