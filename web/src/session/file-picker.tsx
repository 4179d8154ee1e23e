// Files for a message: chosen (on a phone also from its camera), pasted or dropped; shown before they are sent.
import { type ClipboardEvent, type DragEvent, type ReactNode, useRef, useState } from 'react'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Visible } from '../ui/text/visible.tsx'
import { type DraftFile, isShown } from './draft-files.ts'

interface AreaProps {
  /** null: nothing is taken now. */
  onFiles: ((files: Iterable<File>) => void) | null
  children: ReactNode
}

/** Around a text field: what is pasted or dropped there goes along; text is still pasted as text. */
export function DropArea({ onFiles, children }: AreaProps) {
  const [isOver, setIsOver] = useState(false)
  const take = (files: FileList, event: { preventDefault(): void }) => {
    if (!onFiles || files.length === 0) return
    event.preventDefault()
    onFiles(files)
  }
  const hasFiles = ({ dataTransfer }: DragEvent) => onFiles !== null && dataTransfer.types.includes('Files')
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button beside it does the same by keyboard.
    <div
      className={isOver ? 'rounded-md outline-2 outline-accent outline-dashed' : ''}
      onPaste={(event: ClipboardEvent) => take(event.clipboardData.files, event)}
      onDragOver={(event) => {
        if (!hasFiles(event)) return
        event.preventDefault()
        setIsOver(true)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={(event) => {
        setIsOver(false)
        take(event.dataTransfer.files, event)
      }}
    >
      {children}
    </div>
  )
}

export function FileButton({ onFiles }: { onFiles: ((files: Iterable<File>) => void) | null }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton
        icon="clip"
        label="Attach files"
        size="sm"
        disabled={onFiles === null}
        onClick={() => input.current?.click()}
      />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-hidden="true"
        tabIndex={-1}
        onChange={(event) => {
          onFiles?.([...(event.target.files ?? [])])
          // The same file may be chosen again.
          event.target.value = ''
        }}
      />
    </>
  )
}

interface ListProps {
  files: readonly DraftFile[]
  onRemove: ((id: string) => void) | null
}

export function FileList({ files, onRemove }: ListProps) {
  if (files.length === 0) return null
  return (
    <ul aria-label="Attached files" className="flex flex-wrap gap-2">
      {files.map((file) => (
        <li key={file.id} className="flex max-w-full items-center gap-2 rounded-md border bg-sunken py-1 pr-1 pl-1.5">
          {isShown(file) ? (
            <img src={file.url} alt="" className="size-8 rounded object-cover" />
          ) : (
            <Icon name="clip" className="size-4" />
          )}
          <span className="min-w-0 truncate text-xs">
            <Visible text={file.name} />
          </span>
          <span className="text-2xs whitespace-nowrap text-faint">{inKilobytes(file.size)}</span>
          {onRemove && (
            <IconButton
              icon="cross"
              label={`Remove ${file.name}`}
              size="sm"
              className="min-h-6! w-6! pointer-coarse:min-h-8! pointer-coarse:w-8!"
              onClick={() => onRemove(file.id)}
            />
          )}
        </li>
      ))}
    </ul>
  )
}

export function inKilobytes(bytes: number): string {
  return bytes < 1024 * 1024 ? `${Math.max(1, Math.round(bytes / 1024))} kB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`
}
