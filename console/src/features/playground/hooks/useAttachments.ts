// The files of the message that is being written, and why a file may not go along.

import { useState } from "react";
import { useTranslation } from "react-i18next";
import {
  type AttachmentProblem,
  acceptedTypes,
  attachmentProblem,
  LARGEST_BYTES,
} from "../model/attachments";
import type { Media } from "../model/conversation";
import type { EndpointId } from "../model/endpoints";
import type { ModelInfo } from "../model/models";
import { readMedia } from "../send/body";

export interface Attachments {
  media: Media[];
  /** What is wrong with the file that was tried last. */
  problem: string | undefined;
  accept: string;
  /** Why the model takes no file at all. */
  whyNot: string | undefined;
  add: (files: File[]) => void;
  remove: (index: number) => void;
  /** Shows why no file can go along. */
  explain: () => void;
  clear: () => void;
}

const PROBLEM_TEXT = {
  tooLarge: "playground.attach.tooLarge",
  type: "playground.attach.type",
  vision: "playground.attach.vision",
  audio: "playground.attach.audio",
  document: "playground.attach.document",
} as const satisfies Record<AttachmentProblem, string>;

export function useAttachments(
  endpoint: EndpointId,
  model: ModelInfo | undefined,
  modelName: string,
): Attachments {
  const { t, i18n } = useTranslation();
  const [media, setMedia] = useState<Media[]>([]);
  const [problem, setProblem] = useState<string>();
  const capabilities = model?.capabilities;
  const accept = acceptedTypes(endpoint, capabilities);
  const limit = new Intl.NumberFormat(i18n.language, { style: "unit", unit: "megabyte" }).format(
    LARGEST_BYTES / 1e6,
  );
  const whyNot = accept === "" ? t("playground.attach.none", { model: modelName }) : undefined;
  const add = async (files: File[]) => {
    setProblem(undefined);
    for (const file of files) {
      const found = attachmentProblem(file, endpoint, capabilities);
      if (found === undefined) {
        const read = await readMedia(file);
        setMedia((before) => [...before, read]);
      } else {
        setProblem(t(PROBLEM_TEXT[found], { name: file.name, model: modelName, limit }));
      }
    }
  };
  return {
    media,
    problem,
    accept,
    whyNot,
    add: (files) => void add(files),
    remove: (index) => setMedia((before) => before.filter((_, at) => at !== index)),
    explain: () => setProblem(whyNot),
    clear: () => {
      setMedia([]);
      setProblem(undefined);
    },
  };
}
