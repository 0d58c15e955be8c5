import { Box } from "@mantine/core";
import type { Part, ReplyFacts } from "../model/conversation";
import { MediaView } from "./MediaView";
import classes from "./Message.module.css";
import { Reasoning } from "./Reasoning";
import { RichText } from "./RichText";
import { ToolCallCard } from "./ToolCallCard";

export interface PartsProps {
  parts: readonly Part[];
  isGrowing: boolean;
  facts?: ReplyFacts | undefined;
  /** What was answered to a call, by its id. */
  results?: ReadonlyMap<string, string> | undefined;
  /** Set on the last reply: takes the result of a call. */
  onResult?: ((callId: string, name: string, text: string) => void) | undefined;
}

/** The parts of a reply. */
export function Parts({ parts, isGrowing, facts, results, onResult }: PartsProps) {
  return parts.map((part, index) => {
    const key = `${part.type}-${index}`;
    const isLast = isGrowing && index === parts.length - 1;
    switch (part.type) {
      case "text":
        return <RichText key={key} text={part.text} isGrowing={isLast} />;
      case "reasoning":
        return part.text === "" ? null : (
          <Reasoning
            key={key}
            text={part.text}
            isGrowing={isLast}
            milliseconds={facts?.reasoningMs}
            tokens={facts?.usage.reasoning}
          />
        );
      case "media":
        return (
          <Box key={key} my="xs">
            <MediaView media={part.media} />
          </Box>
        );
      case "call": {
        const { id, name } = part.call;
        return (
          <ToolCallCard
            key={key}
            call={part.call}
            result={results?.get(id)}
            onResult={
              isGrowing || onResult === undefined ? undefined : (text) => onResult(id, name, text)
            }
          />
        );
      }
      case "result":
        return (
          <Box key={key} className={classes.plain}>
            {part.text}
          </Box>
        );
    }
    return null;
  });
}
