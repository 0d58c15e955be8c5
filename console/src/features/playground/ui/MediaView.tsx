import { Badge, Image, Modal, UnstyledButton } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconFile } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { mediaUrl } from "../model/attachments";
import type { Media } from "../model/conversation";

/** A picture that opens in full size, sound with a player, or the name of another file. */
export function MediaView({ media, size = 180 }: { media: Media; size?: number }) {
  const { t } = useTranslation();
  const [isOpen, { open, close }] = useDisclosure(false);
  const name = media.name || media.mediaType;
  if (media.mediaType.startsWith("audio/")) {
    // biome-ignore lint/a11y/useMediaCaption: it is what the reader recorded or the model spoke
    return <audio controls src={mediaUrl(media)} aria-label={name} />;
  }
  if (!media.mediaType.startsWith("image/")) {
    return (
      <Badge variant="default" leftSection={<IconFile size={12} />} maw="100%">
        {name}
      </Badge>
    );
  }
  return (
    <>
      <UnstyledButton onClick={open} aria-label={t("playground.openImage", { name })}>
        <Image
          src={mediaUrl(media)}
          alt={name}
          mah={size}
          w="auto"
          maw="100%"
          fit="contain"
          radius="md"
        />
      </UnstyledButton>
      <Modal
        opened={isOpen}
        onClose={close}
        size="auto"
        title={name}
        closeButtonProps={{ "aria-label": t("ui.close") }}
      >
        <Image src={mediaUrl(media)} alt={name} />
      </Modal>
    </>
  );
}
