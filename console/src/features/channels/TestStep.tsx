import { TestRun } from "./TestRun";
import type { WizardState } from "./useWizard";

/** The streamed test of settings that are not stored yet. */
export function TestStep({ wizard }: { wizard: WizardState }) {
  const { run, model, setModel, available, ask } = wizard;
  return (
    <TestRun
      test={run}
      models={available ?? []}
      model={model}
      onModel={setModel}
      isAgain
      onRun={() => void ask(model)}
    />
  );
}
