// The dialogs that mend an interrupted call, in a chunk of their own: hardly any visit needs them.

import { SignInAgain } from "./SignInAgain";
import { StepUp } from "./StepUp";

export default function Dialogs() {
  return (
    <>
      <SignInAgain />
      <StepUp />
    </>
  );
}
