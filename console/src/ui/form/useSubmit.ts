// Sends a form: busy state, the server's answer on the field that it names, everything else as a
// failure above the form. What was typed stays.

import type { UseFormReturnType } from "@mantine/form";
import { useState } from "react";
import { serverErrorOf } from "./serverErrors";

export interface Submit<V> {
  isBusy: boolean;
  /** What the form as a whole was refused for. */
  failure: Error | undefined;
  /** For `form.onSubmit(…)`. */
  submit: (values: V) => Promise<void>;
}

/** `send` does the call; `onDone` gets its answer. */
export function useSubmit<V extends Record<string, unknown>, A>(
  form: Pick<UseFormReturnType<V>, "setFieldError" | "getValues">,
  send: (values: V) => Promise<A>,
  onDone: (answer: A) => void,
): Submit<V> {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Error>();
  const submit = async (values: V) => {
    setBusy(true);
    setFailure(undefined);
    try {
      onDone(await send(values));
    } catch (error) {
      const { field, text } = serverErrorOf(error, Object.keys(form.getValues()));
      if (field !== undefined) {
        form.setFieldError(field, text ?? true);
      } else {
        setFailure(error as Error);
      }
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, failure, submit };
}
