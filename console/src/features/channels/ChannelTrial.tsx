import { Paper } from "@mantine/core";
import { useState } from "react";
import { aliasOf, isPattern } from "@/lib/servedModels";
import type { Channel } from "./api";
import { TestRun } from "./TestRun";
import { useChannelTest } from "./useChannelTest";

/** The streamed test of a stored channel. */
export function ChannelTrial({ channel }: { channel: Channel }) {
  const models = channel.models.map(aliasOf).filter((name) => !isPattern(name));
  const [model, setModel] = useState(models[0] ?? "");
  const test = useChannelTest();
  return (
    <Paper withBorder p="lg" maw={860}>
      <TestRun
        test={test}
        models={models}
        model={model}
        onModel={setModel}
        onRun={() => void test.run({ id: channel.id, ...(model === "" ? {} : { model }) })}
      />
    </Paper>
  );
}
