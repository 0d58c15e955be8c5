// The part of the page that belongs to an endpoint that is no conversation. A chunk of its own: most
// visits are conversations.

import type { Surface as SurfaceKind } from "../model/endpoints";
import { EmbeddingSurface } from "./EmbeddingSurface";
import { ImageSurface } from "./ImageSurface";
import { RankingSurface } from "./RankingSurface";
import { RealtimeSurface } from "./RealtimeSurface";
import type { SurfaceProps } from "./RunForm";
import { SpeechSurface } from "./SpeechSurface";
import { TranscriptSurface } from "./TranscriptSurface";

export default function Surface({ kind, ...props }: SurfaceProps & { kind: SurfaceKind }) {
  switch (kind) {
    case "embedding":
      return <EmbeddingSurface {...props} />;
    case "image":
      return <ImageSurface key={props.request.endpoint} {...props} />;
    case "audio":
      return <SpeechSurface {...props} />;
    case "transcript":
      return <TranscriptSurface {...props} />;
    case "ranking":
      return <RankingSurface {...props} />;
    case "realtime":
      return <RealtimeSurface {...props} />;
    case "chat":
      return null;
  }
}
