// The result for each issue that was to be started.
import { Link } from 'wouter'
import type { SpawnAnswer } from '../../../../src/contract/dashboard/answers.ts'
import { IconButton } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'

export function SpawnResult({ result, onClose }: { result: SpawnAnswer; onClose: () => void }) {
  const { spawned, failed } = result
  const parts = [
    ...(spawned.length > 0 ? [`${spawned.length} started`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
  ]
  return (
    <section role="status" aria-label="Started sessions" className="mb-3 rounded-lg border bg-surface p-3 text-sm">
      <div className="flex items-center gap-2">
        <h2 className="flex-1 font-semibold">{parts.join(', ')}</h2>
        <IconButton icon="cross" label="Dismiss" size="sm" onClick={onClose} />
      </div>
      <ul className="mt-1 flex flex-col gap-1">
        {spawned.map(({ issueId, sessionId }) => (
          <li key={sessionId} className="flex flex-wrap items-center gap-x-2">
            <Icon name="check" className="text-good" />
            {issueId !== null && <span className="text-faint">#{issueId}</span>}
            <Link href={`/sessions/${encodeURIComponent(sessionId)}`} className="text-accent hover:underline">
              {sessionId}
            </Link>
          </li>
        ))}
        {failed.map(({ issueId, message, hint }) => (
          <li key={issueId} className="flex items-start gap-2">
            <Icon name="cross" className="mt-0.5 text-bad" />
            {issueId !== null && <span className="text-faint">#{issueId}</span>}
            <span className="min-w-0">
              {message} {hint && <span className="text-muted">{hint}</span>}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
