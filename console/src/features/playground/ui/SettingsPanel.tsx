import {
  Accordion,
  SegmentedControl,
  Stack,
  Switch,
  TagsInput,
  Text,
  Textarea,
} from "@mantine/core";
import { useTranslation } from "react-i18next";
import { useSession } from "@/session/session";
import type { ChangeSettings } from "../hooks/useSettings";
import { chatDialect, endpoint } from "../model/endpoints";
import { parametersOf } from "../model/parameters";
import type { Settings } from "../model/settings";
import { readSchema } from "../request/output";
import { extraBody, type PreparedRequest, takesStop } from "../request/prepare";
import { readTools } from "../request/tools";
import { ChannelField } from "./ChannelField";
import { HeadersView } from "./HeadersView";
import classes from "./Message.module.css";
import { ParameterField } from "./ParameterField";

export interface SettingsPanelProps {
  settings: Settings;
  onChange: ChangeSettings;
  request: PreparedRequest;
}

/** Everything that goes along with the message. */
export function SettingsPanel({ settings, onChange, request }: SettingsPanelProps) {
  const { t } = useTranslation();
  const { isAdministrator } = useSession();
  const isChat = chatDialect(settings.endpoint) !== undefined;
  return (
    <Stack gap="md">
      {isAdministrator && (
        <ChannelField value={settings.channel} onChange={(channel) => onChange({ channel })} />
      )}
      {isChat && (
        <Textarea
          label={t("playground.system.label")}
          placeholder={t("playground.system.placeholder")}
          autosize
          minRows={2}
          maxRows={10}
          value={settings.system}
          onChange={(event) => onChange({ system: event.currentTarget.value })}
        />
      )}
      {endpoint(settings.endpoint).canStream && (
        <Switch
          label={t("playground.stream")}
          checked={settings.stream}
          onChange={(event) => onChange({ stream: event.currentTarget.checked })}
        />
      )}
      <ParameterList settings={settings} onChange={onChange} />
      {takesStop(settings.endpoint) && (
        <TagsInput
          label={t("playground.stop.label")}
          description={t("playground.stop.text")}
          maxTags={4}
          splitChars={[]}
          value={settings.stop}
          onChange={(stop) => onChange({ stop })}
        />
      )}
      {isChat && <OutputField settings={settings} onChange={onChange} />}
      <Accordion multiple variant="separated" chevronPosition="left">
        {isChat && <ToolsField settings={settings} onChange={onChange} />}
        {settings.endpoint !== "realtime" && <ExtraField settings={settings} onChange={onChange} />}
        {settings.endpoint !== "realtime" && (
          <Accordion.Item value="headers">
            <Accordion.Control>{t("playground.headers.label")}</Accordion.Control>
            <Accordion.Panel>
              <HeadersView request={request} />
            </Accordion.Panel>
          </Accordion.Item>
        )}
      </Accordion>
    </Stack>
  );
}

interface FieldProps {
  settings: Settings;
  onChange: ChangeSettings;
}

function ParameterList({ settings, onChange }: FieldProps) {
  const { t } = useTranslation();
  const parameters = parametersOf(settings.endpoint);
  if (parameters.length === 0) {
    return null;
  }
  return (
    <Stack gap="sm" role="group" aria-label={t("playground.parameter.title")}>
      <Text size="sm" fw={600}>
        {t("playground.parameter.title")}
      </Text>
      {parameters.map((parameter) => (
        <ParameterField
          key={parameter.id}
          parameter={parameter}
          setting={settings.parameters[parameter.id]}
          onChange={(setting) =>
            onChange({ parameters: { ...settings.parameters, [parameter.id]: setting } })
          }
        />
      ))}
    </Stack>
  );
}

function OutputField({ settings, onChange }: FieldProps) {
  const { t } = useTranslation();
  const choices = [
    { value: "text", label: t("playground.output.text") },
    // The messages dialect knows no "any JSON".
    ...(settings.endpoint === "messages"
      ? []
      : [{ value: "json", label: t("playground.output.json") }]),
    { value: "schema", label: t("playground.output.schema") },
  ];
  const isWrong = settings.output === "schema" && readSchema(settings.schema) === undefined;
  return (
    <Stack gap={6}>
      <Text size="sm" fw={500} id="playground-output">
        {t("playground.output.label")}
      </Text>
      <SegmentedControl
        size="xs"
        aria-labelledby="playground-output"
        data={choices}
        value={settings.output}
        onChange={(output) => onChange({ output: output as Settings["output"] })}
      />
      {settings.output === "schema" && (
        <Textarea
          label={t("playground.output.schemaLabel")}
          autosize
          minRows={4}
          maxRows={14}
          placeholder={'{"type": "object", "properties": {}}'}
          value={settings.schema}
          error={isWrong ? t("playground.notAnObject") : undefined}
          classNames={{ input: classes.mono ?? "" }}
          onChange={(event) => onChange({ schema: event.currentTarget.value })}
        />
      )}
    </Stack>
  );
}

function ToolsField({ settings, onChange }: FieldProps) {
  const { t } = useTranslation();
  const read = readTools(settings.tools);
  const problem = "problem" in read ? read.problem : undefined;
  return (
    <Accordion.Item value="tools">
      <Accordion.Control>{t("playground.tools.label")}</Accordion.Control>
      <Accordion.Panel>
        <Stack gap="xs">
          <Textarea
            label={t("playground.tools.declared")}
            description={t("playground.tools.text")}
            autosize
            minRows={4}
            maxRows={16}
            placeholder={'[{"name": "get_weather", "parameters": {"type": "object"}}]'}
            value={settings.tools}
            error={
              problem === undefined
                ? undefined
                : t(problem === "json" ? "playground.notJson" : "playground.tools.shape")
            }
            classNames={{ input: classes.mono ?? "" }}
            onChange={(event) => onChange({ tools: event.currentTarget.value })}
          />
          <SegmentedControl
            size="xs"
            aria-label={t("playground.tools.choice")}
            data={[
              { value: "auto", label: t("playground.tools.auto") },
              { value: "required", label: t("playground.tools.required") },
              { value: "none", label: t("playground.tools.none") },
            ]}
            value={settings.toolChoice}
            onChange={(toolChoice) =>
              onChange({ toolChoice: toolChoice as Settings["toolChoice"] })
            }
          />
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  );
}

function ExtraField({ settings, onChange }: FieldProps) {
  const { t } = useTranslation();
  return (
    <Accordion.Item value="extra">
      <Accordion.Control>{t("playground.extra.label")}</Accordion.Control>
      <Accordion.Panel>
        <Textarea
          label={t("playground.extra.field")}
          description={t("playground.extra.text")}
          autosize
          minRows={3}
          maxRows={12}
          placeholder={'{"user": "me"}'}
          value={settings.extra}
          error={extraBody(settings.extra) === undefined ? t("playground.notAnObject") : undefined}
          classNames={{ input: classes.mono ?? "" }}
          onChange={(event) => onChange({ extra: event.currentTarget.value })}
        />
      </Accordion.Panel>
    </Accordion.Item>
  );
}
