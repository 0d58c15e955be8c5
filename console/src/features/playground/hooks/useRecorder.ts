// Recording from the microphone into a file. Browsers allow it only on https and on this machine.

import { useEffect, useRef, useState } from "react";

export interface Recorder {
  isAvailable: boolean;
  isRecording: boolean;
  /** Whether the person or the system said no. */
  isRefused: boolean;
  toggle: () => void;
}

export function useRecorder(onRecorded: (file: File) => void): Recorder {
  const recorder = useRef<MediaRecorder>(undefined);
  const [isRecording, setRecording] = useState(false);
  const [isRefused, setRefused] = useState(false);
  useEffect(() => () => recorder.current?.stop(), []);
  const start = async () => {
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const made = new MediaRecorder(stream);
      const pieces: Blob[] = [];
      made.ondataavailable = ({ data }) => pieces.push(data);
      made.onstop = () => {
        for (const track of stream.getTracks()) {
          track.stop();
        }
        setRecording(false);
        const type = made.mimeType.split(";", 1)[0] ?? "audio/webm";
        onRecorded(new File(pieces, `recording.${type.split("/")[1] ?? "webm"}`, { type }));
      };
      made.start();
      recorder.current = made;
      setRefused(false);
      setRecording(true);
    } catch {
      setRefused(true);
    }
  };
  return {
    isAvailable: typeof MediaRecorder !== "undefined" && navigator.mediaDevices !== undefined,
    isRecording,
    isRefused,
    toggle: () => {
      if (isRecording) {
        recorder.current?.stop();
      } else {
        void start();
      }
    },
  };
}
