// The dialogs that mend an interrupted call, in a chunk of their own.

import { useEffect } from "react";
import { SignInAgain } from "./SignInAgain";
import { StepUp } from "./StepUp";

/** Says when both dialogs can be asked. */
export default function Dialogs({ onReady }: { onReady: () => void }) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: they are ready once.
  useEffect(onReady, []);
  return (
    <>
      <SignInAgain />
      <StepUp />
    </>
  );
}
