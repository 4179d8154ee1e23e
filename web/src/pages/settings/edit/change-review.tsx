// What a change of the file does, before it is saved: its lines, warnings, and what has to be agreed to.
import type { AnswerOf } from '../../../api/client.ts'

export type Preview = AnswerOf<'POST /api/config/preview'>

const SIGNS = { same: ' ', removed: '-', added: '+', skipped: '' } as const
const TONES = {
  same: '',
  removed: 'bg-bad-soft text-bad',
  added: 'bg-good-soft text-good',
  skipped: 'text-muted',
} as const

interface Props {
  preview: Preview
  configPath: string
  agreed: readonly string[]
  onAgree: (hashes: string[]) => void
}

export function ChangeReview({ preview: { rows, warnings, consents }, configPath, agreed, onAgree }: Props) {
  return (
    <div className="flex flex-col gap-3 text-sm">
      <p className="font-mono text-xs break-all text-muted">{configPath}</p>
      {rows.length === 0 ? (
        <p>The file already says so.</p>
      ) : (
        <section
          aria-label="The change"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
          tabIndex={0}
          className="max-h-80 overflow-auto rounded-md border bg-surface py-1"
        >
          <div className="w-max min-w-full font-mono text-xs leading-5">
            {rows.map(({ kind, text }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows never move
              <div key={index} className={`px-2 whitespace-pre ${TONES[kind]}`}>
                {kind === 'skipped' ? `… ${text} ${text === '1' ? 'line' : 'lines'}` : `${SIGNS[kind]} ${text}`}
              </div>
            ))}
          </div>
        </section>
      )}
      {warnings.map((warning) => (
        <p key={warning} className="break-words text-attention">
          {warning}
        </p>
      ))}
      {consents.length > 0 && (
        <fieldset className="flex flex-col gap-2 rounded-md border border-attention p-3">
          <legend className="px-1 font-medium">This needs your consent</legend>
          {consents.map(({ hash, what }) => (
            <label key={hash} className="flex items-start gap-2">
              <input
                type="checkbox"
                className="mt-1"
                checked={agreed.includes(hash)}
                onChange={(event) =>
                  onAgree(event.target.checked ? [...agreed, hash] : agreed.filter((one) => one !== hash))
                }
              />
              <span className="min-w-0 break-words">I agree: {what}</span>
            </label>
          ))}
        </fieldset>
      )}
    </div>
  )
}
