// What an entry of an incident's timeline says. What people wrote stays as it is.

import type { TFunction } from "i18next";
import type { Schema } from "@/api/management";
import { incidentWords, type Sayable } from "./incident";

type Event = Schema<"IncidentEvent">;
type Note = NonNullable<Event["note"]>;

export const EVENT_NOTES = {
  unseen: "said.event.unseen",
  told_open: "said.event.toldOpen",
  told_closed: "said.event.toldClosed",
  not_told: "said.event.notTold",
  told_meanwhile: "said.event.toldMeanwhile",
  channel_paused: "said.event.channelPaused",
  channel_unpaused: "said.event.channelUnpaused",
  key_paused: "said.event.keyPaused",
  key_unpaused: "said.event.keyUnpaused",
  swapped: "said.event.swapped",
  attempts_raised: "said.event.attemptsRaised",
} as const satisfies Record<Exclude<Note["code"], "found">, string>;

/** What there is to say about it; what a rule found is said as the incident is, with the facts of then. */
export function eventText(t: TFunction, language: string, event: Event, incident: Sayable): string {
  const { note, message } = event;
  if (note === null || note === undefined) {
    return message;
  }
  if (note.code === "found") {
    const then = { ...incident, facts: note.values.facts, summary: message, is_seen: true };
    return incidentWords(t, language, then).summary;
  }
  const values = "values" in note ? note.values : {};
  return note.code in EVENT_NOTES ? t(EVENT_NOTES[note.code], values) : message;
}
