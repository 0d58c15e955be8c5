import { Button, FileInput, Group, SimpleGrid, Stack, Textarea } from "@mantine/core";
import { IconDownload, IconPhoto } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useOneCall } from "../hooks/useOneCall";
import { mediaUrl } from "../model/attachments";
import type { Media } from "../model/conversation";
import { readMedia } from "../send/body";
import { fields, list, text } from "../stream/fields";
import { MediaView } from "../ui/MediaView";
import { RunForm, type SurfaceProps } from "./RunForm";

/** Pictures from words, or from pictures and words. */
export function ImageSurface({ input, onInput, request, blocked }: SurfaceProps) {
  const { t } = useTranslation();
  const isEdit = request.endpoint === "edits";
  const [files, setFiles] = useState<File[]>([]);
  const call = useOneCall(async (answer) => imagesOf(await answer.json()));
  const isMissing = input.text.trim() === "" || (isEdit && input.files.length === 0);
  const take = async (chosen: File[]) => {
    setFiles(chosen);
    onInput({ files: await Promise.all(chosen.map(readMedia)) });
  };
  return (
    <RunForm
      call={call}
      request={request}
      blocked={
        blocked ??
        (isMissing ? t(isEdit ? "playground.image.needBoth" : "playground.needText") : undefined)
      }
      result={(images) => <ImageGrid images={images} />}
    >
      <Textarea
        label={t("playground.image.prompt")}
        autosize
        minRows={2}
        maxRows={8}
        value={input.text}
        onChange={(event) => onInput({ text: event.currentTarget.value })}
      />
      {isEdit && (
        <Stack gap="xs">
          <FileInput
            multiple
            clearable
            label={t("playground.image.files")}
            accept="image/png,image/jpeg,image/webp"
            leftSection={<IconPhoto size={16} />}
            value={files}
            onChange={(chosen) => void take(chosen)}
          />
          <Group gap="xs">
            {input.files.map((media) => (
              <MediaView key={media.name} media={media} size={96} />
            ))}
          </Group>
        </Stack>
      )}
    </RunForm>
  );
}

function imagesOf(body: unknown): Media[] {
  const { data, output_format: format } = fields(body);
  const kind = text(format) || "png";
  return list(data).flatMap((item, index) => {
    const bytes = text(fields(item).b64_json);
    return bytes === ""
      ? []
      : [{ mediaType: `image/${kind}`, data: bytes, name: `image-${index + 1}.${kind}` }];
  });
}

function ImageGrid({ images }: { images: Media[] }) {
  const { t } = useTranslation();
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
      {images.map((image) => (
        <Stack key={image.name} gap="xs" align="flex-start">
          <MediaView media={image} size={320} />
          <Button
            size="xs"
            variant="default"
            component="a"
            href={mediaUrl(image)}
            download={image.name}
            leftSection={<IconDownload size={14} />}
          >
            {t("playground.download", { name: image.name })}
          </Button>
        </Stack>
      ))}
    </SimpleGrid>
  );
}
