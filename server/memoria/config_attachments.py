"""Settings of attachments: how large one may be, and how long it is kept."""

from pydantic import BaseModel, Field

_BYTES_PER_MB = 1_000_000


class AttachmentSettings(BaseModel):
    """Settings of files that are sent in messages."""

    attachment_mb: float = Field(10, ge=0, le=20)
    """The largest file, in megabytes, that is kept of a message; of a larger one its name, type and
    size are. 0: none is kept, and the message alone is."""

    attachment_days: float = Field(0, ge=0, le=100_000)
    """How long a file that came with a message is kept before nightly maintenance deletes it for
    good, with the text that was read of it. 0: for ever."""

    @property
    def attachment_bytes(self) -> int:
        """The largest file that is kept, in bytes."""
        return round(self.attachment_mb * _BYTES_PER_MB)
