// What went along with a message: pictures are shown, everything else can be saved.
import { type Attachment, isPicture } from '../../../src/contract/agh/attachment.ts'
import { pathOf } from '../api/client.ts'
import { inKilobytes } from '../session/file-picker.tsx'
import { Icon } from '../ui/icon.tsx'
import { Picture } from '../ui/picture.tsx'
import { SaveLink } from '../ui/text/safe-link.tsx'
import { Visible } from '../ui/text/visible.tsx'

export function AttachedFiles({ sessionId, files }: { sessionId: string; files: readonly Attachment[] | undefined }) {
  if (!files || files.length === 0) return null
  return (
    <ul aria-label="Attached files" className="mt-2 flex flex-wrap gap-2">
      {files.map((file) => {
        const src = pathOf('GET /api/sessions/:id/attachments/:hash', { params: { id: sessionId, hash: file.sha256 } })
        return (
          <li key={file.sha256} className="max-w-full">
            {isPicture(file) ? (
              <Picture src={src} alt={file.name} className="max-h-64!" />
            ) : (
              <SaveLink
                href={src}
                name={file.name}
                className="flex items-center gap-1.5 rounded-md border px-2 py-1 text-xs"
              >
                <Icon name="clip" className="size-3.5" />
                <Visible text={file.name} /> <span className="text-faint">{inKilobytes(file.size)}</span>
              </SaveLink>
            )}
          </li>
        )
      })}
    </ul>
  )
}
